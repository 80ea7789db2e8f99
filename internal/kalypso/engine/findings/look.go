// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"bytes"
	"context"
	"iter"
	"path"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// maxRead is how many packages a fleet may have so that all of its files are read, which
// takes about half a second. In a larger fleet, one file of each template is read for every
// cluster type and for every deployment target, and each file with a Secret.
const maxRead = 2_000

// file is what is known of a rendered file.
type file struct {
	content []byte
	isRead  bool
	objects []object
	err     error
}

// look reads rendered YAML files, on all processors, until the context ends. It returns the
// files by their ids, because many are the same.
func look(ctx context.Context, in Facts) map[tree.ID]*file {
	all := map[tree.ID]*file{}
	type pair struct{ template, clusterType, target string }
	known := map[pair]bool{}
	everything := in.EveryFile || len(in.Placement.Assignments) <= maxRead
	for _, ct := range in.Fleet.ClusterTypes {
		for at, entry := range YAMLFiles(in.Folders[ct.Name]) {
			f := all[entry.ID]
			if f == nil {
				f = &file{content: entry.Content, isRead: everything || hasSecret(entry.Content)}
				all[entry.ID] = f
			}
			template := TemplateOf(ct, at.File)
			ofClusterType, ofTarget := pair{template: template, clusterType: ct.Name}, pair{template: template, target: at.Target}
			if f.isRead || !known[ofClusterType] || !known[ofTarget] {
				f.isRead, known[ofClusterType], known[ofTarget] = true, true, true
			}
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range all {
		if f.isRead {
			group.Go(func() error {
				if ctx.Err() == nil {
					f.objects, f.err = readObjects(f.content)
				}
				return nil
			})
		}
	}
	_ = group.Wait() // the errors are in the files
	return all
}

// beforeSecret matches what is before the word Secret in its line, if it is the kind of an object.
var beforeSecret = regexp.MustCompile(`(^|[{,] *)["']?kind["']? *: *["']?$`)

// hasSecret reports whether a file probably contains a Secret.
func hasSecret(content []byte) bool {
	word := []byte("Secret")
	for before, after, found := bytes.Cut(content, word); found; before, after, found = bytes.Cut(after, word) {
		if beforeSecret.Match(before[bytes.LastIndexByte(before, '\n')+1:]) {
			return true
		}
	}
	return false
}

// Location is where a file is below a cluster type's folder.
type Location struct{ Target, File string }

func (l Location) in(clusterType string) string { return clusterType + "/" + l.Target + "/" + l.File }

// YAMLFiles returns the YAML files of the packages in a cluster type's folder.
func YAMLFiles(folder *tree.Dir) iter.Seq2[Location, *tree.Entry] {
	return func(yield func(Location, *tree.Entry) bool) {
		if folder == nil {
			return
		}
		for _, e := range folder.Entries {
			if e.Dir == nil {
				continue
			}
			for i := range e.Dir.Entries {
				entry := &e.Dir.Entries[i]
				if strings.HasSuffix(entry.Name, ".yaml") && !yield(Location{e.Name, entry.Name}, entry) {
					return
				}
			}
		}
	}
}

// TemplateOf names the template that renders the file; empty for the built-in one.
func TemplateOf(ct *manifest.ClusterType, file string) string {
	switch strings.TrimSuffix(file, path.Ext(file)) {
	case "reconciler":
		return ct.Reconciler
	case "namespace":
		return ct.NamespaceService
	}
	return ct.ConfigType
}
