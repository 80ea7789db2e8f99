// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"maps"

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
// object that one of the others delivers unchanged: the object was read here before, or is
// in HCL too.
func passedOn(given, others []*file, notes []*manifest.Note) []string {
	delivered := map[string]bool{}
	for _, n := range notes {
		delivered[content(n)] = true
	}
	for _, f := range others {
		for _, d := range f.documents {
			delivered[content(d.Object)] = true
		}
	}
	var texts []string
	for _, f := range given {
		if len(f.documents) != 1 || !delivered[content(f.documents[0].Object)] {
			texts = append(texts, f.text)
		}
	}
	return texts
}

// content returns what an object says, the same for every file that delivers it.
func content(o manifest.Object) string {
	if w, ok := o.(*manifest.Workload); ok {
		undelivered := *w
		undelivered.Labels = maps.Clone(w.Labels)
		delete(undelivered.Labels, manifest.LabelFluxOwner)
		o = &undelivered
	}
	return manifest.Encode(o)
}
