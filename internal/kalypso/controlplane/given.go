// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// given returns the source of the manifests of the request, which need no reading.
func (r *run) given() *source {
	s := &source{platform: true, read: true}
	for _, in := range r.request.Manifests {
		in = in.WithCommits(r.request.BaseCommits)
		objects, err := manifest.Decode([]manifest.Text{in})
		r.problems.AddErr("Invalid YAML", err)
		f := &file{key: fileKey{path: in.Name}, text: in.Text}
		for _, o := range objects {
			f.documents = append(f.documents, manifest.Document{Object: o})
		}
		r.files[f.key] = f
		s.files = append(s.files, f)
	}
	return s
}

// passedOn returns the texts of given files unchanged. It leaves out a file with a single
// object that one of the others delivers unchanged: the object was read from there before.
func (r *run) passedOn(given, others []*file, notes []*manifest.Note) []string {
	delivered := map[string]bool{}
	for _, n := range notes {
		delivered[r.content(&file{}, n)] = true
	}
	for _, f := range others {
		for _, d := range f.documents {
			delivered[r.content(f, d.Object)] = true
		}
	}
	var texts []string
	for _, f := range given {
		if len(f.documents) != 1 || !delivered[r.content(f, f.documents[0].Object)] {
			texts = append(texts, f.text)
		}
	}
	return texts
}

// content returns which file an object was read from, and what it says as it is delivered.
func (r *run) content(f *file, o manifest.Object) string {
	d := r.delivered(manifest.Document{Object: o}, r.owner(f))
	return cmp.Or(f.where, o.Metadata().Source.Origin) + "\n" + manifest.Encode(d.Object)
}
