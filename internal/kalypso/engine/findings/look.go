// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// file is what is known of a rendered file.
type file struct {
	objects []object
	err     error
}

// look reads the rendered YAML files that are examined, on all processors, until the context ends, and others that may have one of their
// objects too. It returns the files by their ids, because many are the same.
func look(ctx context.Context, in Facts) map[tree.ID]*file {
	type source struct {
		Names
		*tree.Entry
		file *file
	}
	all, sources, r := map[tree.ID]*file{}, []*source(nil), &reader{}
	for _, ct := range in.Fleet.ClusterTypes {
		for at, entry := range YAMLFiles(in.Folders[ct.Name]) {
			if all[entry.ID] == nil && in.isExamined(ct, at) {
				all[entry.ID] = &file{}
				sources = append(sources, &source{Names{at.Target, ct.Name}, entry, all[entry.ID]})
			}
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for some := range slices.Chunk(sources, turn) {
		group.Go(func() error {
			for _, s := range some {
				if ctx.Err() == nil {
					*s.file = *r.read(s.Names, s.Content)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in the files
	for _, ct := range in.Fleet.ClusterTypes {
		lookBeside(in.Folders[ct.Name], all)
	}
	return all
}

// lookBeside adds those files of a folder that may have one of the objects in the files that were read.
func lookBeside(folder *tree.Dir, read map[tree.ID]*file) {
	names := map[string]bool{}
	for _, entry := range YAMLFiles(folder) {
		if f := read[entry.ID]; f != nil {
			for _, o := range f.objects {
				names[cmp.Or(o.Namespace, o.Name)] = true // few other files have objects in the namespace of a package
			}
		}
	}
	for _, entry := range YAMLFiles(folder) {
		if read[entry.ID] == nil && Mentions(entry.Content, names) {
			read[entry.ID] = readFile(entry.Content)
		}
	}
}

// turn is how many files a processor reads at a time.
const turn = 256

// Mentions reports whether a YAML text has one of some names of objects, as a text of its own. Cost: one look at each word.
func Mentions(text []byte, names map[string]bool) bool {
	isBetween := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'{}[],", r) }
	for word := range bytes.FieldsFuncSeq(text, isBetween) {
		if names[string(word)] {
			return true
		}
	}
	return false
}

func (in Facts) isExamined(ct *manifest.ClusterType, at Location) bool {
	return in.Examines == nil || in.Examines(placement.Key(ct.Name, at.Target))
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
