// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"context"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// maxRead is how many packages a fleet may have so that all of its files are read, which
// takes about a quarter of a second. In a larger fleet, one file of each template is read for
// every cluster type and for every deployment target. Of the other files only the names of
// their objects are looked at, unless something is wrong with these.
const maxRead = 2_000

// file is the known facts of a rendered file.
type file struct {
	content []byte
	objects []output.Identity
	err     error
	// isRead is false if the objects are known by output.Names.
	isRead bool
}

// files are the rendered files by their ids: many are the same.
type files map[tree.ID]*file

// look looks at the rendered YAML files, on all processors, until the context ends.
func look(ctx context.Context, in Facts, schemas *apischema.Schemas) files {
	all := files{}
	type pair struct{ template, clusterType, target string }
	known := map[pair]bool{}
	everything := in.EveryFile || len(in.Placement.Assignments) <= maxRead
	for _, ct := range in.Fleet.ClusterTypes {
		for at, entry := range yamlFiles(in.Folders[ct.Name]) {
			f := all[entry.ID]
			if f == nil {
				f = &file{content: entry.Content}
				all[entry.ID] = f
			}
			template := templateOf(ct, at.file)
			ofClusterType, ofTarget := pair{template: template, clusterType: ct.Name}, pair{template: template, target: at.target}
			if everything || !known[ofClusterType] || !known[ofTarget] {
				f.isRead, known[ofClusterType], known[ofTarget] = true, true, true
			}
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	const together = 64
	for part := range slices.Chunk(slices.Collect(maps.Values(all)), together) {
		group.Go(func() error {
			for _, f := range part {
				if ctx.Err() == nil {
					f.look(schemas)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // they report in the files
	return all
}

// look reads a file, or finds out the names of its objects.
func (f *file) look(schemas *apischema.Schemas) {
	if !f.isRead {
		var ok bool
		if f.objects, ok = output.Names(f.content); ok {
			return
		}
	}
	f.read(schemas)
}

func (f *file) read(schemas *apischema.Schemas) {
	f.objects, f.err = output.Read(f.content, schemas)
	f.isRead = true
}

func (f *file) has(id identity) bool {
	return slices.ContainsFunc(f.objects, func(o output.Identity) bool { return identityOf(&o) == id })
}

// yamlFiles returns the YAML files of the packages in a cluster type's folder.
func yamlFiles(folder *tree.Dir) iter.Seq2[place, *tree.Entry] {
	return func(yield func(place, *tree.Entry) bool) {
		if folder == nil {
			return
		}
		for _, e := range folder.Entries {
			if e.Dir == nil {
				continue
			}
			for i := range e.Dir.Entries {
				entry := &e.Dir.Entries[i]
				if strings.HasSuffix(entry.Name, ".yaml") && !yield(place{e.Name, entry.Name}, entry) {
					return
				}
			}
		}
	}
}
