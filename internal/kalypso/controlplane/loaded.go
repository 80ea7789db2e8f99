// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// loaded puts together what was read.
func (r *run) loaded(sources []*source, files []*file) *Loaded {
	release := r.release(sources) // it may warn
	loaded := &Loaded{Release: release, Warnings: r.warnings}
	var notes []string
	for _, f := range files {
		if f.text != "" {
			loaded.Manifests = append(loaded.Manifests, f.text)
			continue
		}
		for _, o := range f.objects {
			loaded.Manifests = append(loaded.Manifests, manifest.Excerpt(o, f.where))
		}
		if !f.isPlatform() && len(f.problems) > 0 {
			notes = append(notes, f.note().Text())
		}
	}
	loaded.Manifests = append(loaded.Manifests, notes...)
	return loaded
}

// filesOf returns the files of sources, each once, with their sources.
func filesOf(sources []*source) []*file {
	var all []*file
	for _, s := range sources {
		for _, f := range s.files {
			if len(f.sources) == 0 {
				all = append(all, f)
			}
			f.sources = append(f.sources, s)
		}
	}
	return all
}

// sorted returns the control plane, then the other sources by name.
func (r *run) sorted() []*source {
	var others []*source
	for _, s := range r.sources {
		if s != r.root {
			others = append(others, s)
		}
	}
	slices.SortFunc(others, func(a, b *source) int {
		return cmp.Or(strings.Compare(a.where(a.path), b.where(b.path)), strings.Compare(a.revision.Commit, b.revision.Commit))
	})
	return append([]*source{r.root}, others...)
}

// given returns a source with the manifests of the scope.
func (r *run) given() *source {
	s := &source{platform: true, read: true}
	for _, in := range r.scope.Manifests {
		objects, err := manifest.Decode([]manifest.Text{in})
		r.problems.AddErr("Invalid YAML", err)
		f := &file{text: in.Text, objects: objects}
		if r.pin(objects) {
			f.text, f.where = "", cmp.Or(objects[0].Metadata().Source.File, in.Name)
		}
		s.files = append(s.files, f)
	}
	return s
}

// reportForeign warns of documents that are left out because they are not objects.
func (r *run) reportForeign() {
	if len(r.foreign) == 0 {
		return
	}
	r.warnings = append(r.warnings, problem.Problem{Summary: "No Kubernetes objects", Detail: fmt.Sprintf(
		"These documents are not Kubernetes objects, so they are left out: %s. If one is meant to be an object, add apiVersion, kind and "+
			"metadata. To silence this warning, exclude the file by %s.", wording.First(r.foreign, maxNamed), ignoreFile)})
}
