// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// result puts together what was read.
func (r *run) result(root *source) *Seen {
	result := &Seen{Commit: root.commit, Warnings: r.warnings}
	isGiven := r.request.Manifests != nil
	sources := r.sorted(root)
	for _, s := range sources {
		for _, f := range s.files {
			f.platform = f.platform || s.platform
			f.registrations = append(f.registrations, s.registrations...)
		}
		if s.unreachable == nil && (s != root || !isGiven) {
			result.Sources = append(result.Sources, s.described(root))
		}
	}
	files := filesOf(sources)
	for _, b := range baseRepos(files) {
		result.BaseRepos = append(result.BaseRepos, b.Name)
		if b.Name == manifest.MainBaseRepo {
			result.PromotedCommit = cmp.Or(result.PromotedCommit, b.Commit)
		}
	}
	slices.Sort(result.BaseRepos)
	result.BaseRepos = slices.Compact(result.BaseRepos)
	if isGiven {
		files = files[len(root.files):]
		result.Manifests = passedOn(root.files, files)
	}
	for _, f := range files {
		if len(f.documents) > 0 {
			result.Manifests = append(result.Manifests, r.manifests(f)...)
		}
	}
	return result
}

// filesOf returns the files of sources, each once.
func filesOf(sources []*source) []*file {
	var all []*file
	seen := map[*file]bool{}
	for _, s := range sources {
		for _, f := range s.files {
			if !seen[f] {
				seen[f] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// baseRepos returns those of all files, in their order.
func baseRepos(files []*file) []*manifest.BaseRepo {
	var all []*manifest.BaseRepo
	for _, f := range files {
		for _, d := range f.documents {
			if b, ok := d.Object.(*manifest.BaseRepo); ok {
				all = append(all, b)
			}
		}
	}
	return all
}

// sorted returns the sources: the control plane, then the others by place.
func (r *run) sorted(root *source) []*source {
	var others []*source
	for _, s := range r.sources {
		if s != root {
			others = append(others, s)
		}
	}
	slices.SortFunc(others, func(a, b *source) int {
		return cmp.Or(
			strings.Compare(a.revision.Repo, b.revision.Repo),
			strings.Compare(a.revision.Branch, b.revision.Branch),
			strings.Compare(a.revision.Commit, b.revision.Commit),
			strings.Compare(a.path, b.path),
		)
	})
	return append([]*source{root}, others...)
}

func (s *source) described(root *source) Folder {
	d := Folder{Branch: s.revision.Branch, Commit: s.commit, Path: s.path}
	if s.directory != "" {
		d.Path = s.directory
	} else {
		d.Repo = remote.Redact(s.revision.Repo)
	}
	for _, b := range s.baseRepos {
		d.Reasons = append(d.Reasons, b.ID())
	}
	for _, w := range s.registrations {
		d.Reasons = append(d.Reasons, w.ID())
	}
	if s == root {
		d.Reasons = append(d.Reasons, "control plane")
	}
	slices.Sort(d.Reasons)
	d.Reasons = slices.Compact(d.Reasons)
	return d
}

// manifests returns the documents of a file. The workloads in it that a
// registration delivers say so, as Flux makes them (docs/guides/semantics.md, section 1).
func (r *run) manifests(f *file) []string {
	owner := r.owner(f)
	var texts []string
	for _, d := range f.documents {
		m := d.Object.Metadata()
		if !f.platform && m.Kind.IsOCM() {
			continue // an application may bring its own placements to a hub: they are not part of the fleet
		}
		switch {
		case m.Kind == manifest.KindWorkload && owner != nil:
			d = d.WithLabel(manifest.LabelFluxOwner, r.request.Environment+"-"+owner.Name)
		case m.Kind == manifest.KindCustomResourceDefinition && !f.platform:
			continue // an application's own, which say nothing about the platform's templates
		case m.Kind != manifest.KindWorkload && !f.platform:
			r.problems.Add(problem.Problem{
				Summary: "Not a workload", Subject: m.ID(), Where: m.Source.String(),
				Detail: fmt.Sprintf("%s has its workloads here, and application teams may add only workloads to the fleet. "+
					"Move the %s to the control plane, or exclude its file by %s.", owner.ID(), m.Kind, ignoreFile),
			})
		}
		texts = append(texts, d.Excerpt(f.where))
	}
	return texts
}

// owner returns the registration that delivers a file; nil if none does. It
// reports registrations that disagree.
func (r *run) owner(f *file) *manifest.WorkloadRegistration {
	if len(f.registrations) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(f.registrations), func(a, b *manifest.WorkloadRegistration) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Source.String(), b.Source.String()))
	})
	first := sorted[0]
	for _, other := range sorted[1:] {
		if other.Workspace != first.Workspace {
			r.problems.Add(problem.Problem{
				Summary: "Two workspaces for one workload", Subject: other.ID(), Where: other.Source.String(),
				Detail: fmt.Sprintf("%s is delivered by %s (%s) for the workspace %q and by %s for the workspace %q. "+
					"Remove one of the registrations or change its path.",
					f.where, first.ID(), first.Source, first.Workspace, other.ID(), other.Workspace),
			})
		}
	}
	if label := r.request.Environment + "-" + first.Name; len(validation.IsValidLabelValue(label)) > 0 {
		r.problems.Add(problem.Problem{
			Summary: "Invalid name", Subject: first.ID(), Where: first.Source.String(),
			Detail: fmt.Sprintf("Flux labels what the registration delivers with %q, which is too long for a label or none. "+
				"Shorten the registration's name.", label),
		})
	}
	return first
}
