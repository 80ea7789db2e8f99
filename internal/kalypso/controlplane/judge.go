// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// judge checks files. A mistake in a file of the platform team is an error of the run. A file of another
// team with a mistake gets a note, and adds no objects.
func (r *run) judge(files []*file) {
	for _, f := range files {
		if f.isPlatform() {
			r.problems = append(r.problems, f.problems...)
		} else {
			f.objects = slices.DeleteFunc(f.objects, isOfAnApplication)
		}
		r.deliver(f)
		if !f.isPlatform() {
			f.problems.AddErr("Invalid fleet", r.check(f))
		}
	}
	for _, f := range files {
		if !f.isPlatform() && len(f.problems) > 0 {
			f.objects = nil
		}
	}
}

// isOfAnApplication reports whether an object belongs to the application alone: an object of Open
// Cluster Management, or a ConfigMap that takes no part in the fleet.
func isOfAnApplication(o manifest.Object) bool {
	config, isConfig := o.(*manifest.ConfigMap)
	return o.Metadata().Kind.IsOCM() || isConfig && !config.TakesPart()
}

// deliver labels the workloads of a file that a registration leads to, as Flux does
// (docs/guides/semantics.md, section 1). The label puts them into the registration's workspace, even if
// the workload names another one. deliver reports registrations with different workspaces for one file.
func (r *run) deliver(f *file) {
	var all []*manifest.WorkloadRegistration
	for _, s := range f.sources {
		for _, l := range s.links {
			if w := l.registration(); w != nil {
				all = append(all, w)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b *manifest.WorkloadRegistration) int { return strings.Compare(a.Name, b.Name) })
	first := all[0]
	f.workspace = first.Workspace
	for _, other := range all[1:] {
		if other.Workspace != first.Workspace {
			r.problems.Add(other.Problem("Two workspaces for one workload", "%s is delivered by %s (%s) for the workspace %q and by %s for the "+
				"workspace %q. Remove one of the registrations or change its path.",
				f.where, first.ID(), first.Source, first.Workspace, other.ID(), other.Workspace))
		}
	}
	label := r.scope.Environment + "-" + first.Name
	if len(validation.IsValidLabelValue(label)) > 0 {
		r.problems.Add(first.Problem("Invalid name", "Flux labels what the registration delivers with %q, which is not a valid label or too "+
			"long. Shorten the registration's name.", label))
	}
	for _, w := range manifest.Of[*manifest.Workload](f.objects) {
		if w.Labels == nil {
			w.Labels = map[string]string{}
		}
		w.Labels[manifest.LabelFluxOwner] = label
	}
}

// check checks a file of another team alone. Its error is a problem.List.
func (r *run) check(f *file) error {
	var problems problem.List
	for _, o := range f.objects {
		problems.AddErr("Document too large", manifest.CheckSize(o))
		if m := o.Metadata(); m.Kind != manifest.KindWorkload {
			problems.Add(m.Problem("Not a workload", "A registration leads to this file, and application teams may add only workloads to the "+
				"fleet. Move the %s to the control plane, or exclude its file by %s.", m.Kind, ignoreFile))
		}
	}
	_, err := fleet.New(f.objects, r.scope.Environment)
	problems.AddErr("Invalid fleet", err)
	return problems.Err()
}

// limitTargets makes a source of another team a broken one, if it has too many deployment targets.
func (r *run) limitTargets(sources []*source) {
	for _, s := range sources {
		targets := 0
		for _, f := range s.files {
			for _, w := range manifest.Of[*manifest.Workload](f.objects) {
				targets += len(w.DeploymentTargets)
			}
		}
		if !s.platform && targets > maxTargets {
			p := s.links[0].object.Metadata().Problem("Too many deployment targets", "The files of %s have %d deployment targets, and those of a "+
				"registration may have %d. Remove some, or ask the platform team for another registration with a folder of its own.",
				s.where(s.path), targets, maxTargets)
			p.Where = "" // it may name a commit
			s.fail(p)
		}
	}
}

// fail puts one broken file in the place of all files.
func (s *source) fail(p problem.Problem) {
	s.files = []*file{{where: s.where(s.path), name: s.where(s.path), problems: problem.List{p}}}
}

// note returns the note for a file with problems. A note names no commit.
func (f *file) note() *manifest.Note {
	n := &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: f.where}, Workspace: f.workspace}
	n.Problems.AddErr("Invalid YAML", f.problems.Err())
	n.Problems = n.Problems[:min(len(n.Problems), maxNamed)]
	for i := range n.Problems {
		n.Problems[i].Where = strings.ReplaceAll(n.Problems[i].Where, f.name, f.where)
	}
	return n
}
