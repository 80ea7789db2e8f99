// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// reportUnreachable reports every source that could not be read, once for each object that
// names the source. A registration is a warning or a broken file if the request asks for that.
// If the content that another team has there is at fault, it is always a broken file. If the
// run itself ended, nothing is known about the source, so this is an error.
func (r *run) reportUnreachable(ctx context.Context, sources []*source) {
	for _, s := range sources {
		if s.unreachable == nil {
			continue
		}
		if s == r.start {
			r.problems.Add(r.unreachable(manifest.Meta{}, s))
		}
		for _, l := range s.links {
			p, w := r.unreachable(l.object.Metadata(), s), l.registration()
			switch {
			case ctx.Err() != nil || errors.Is(s.unreachable, errOffline):
				r.problems.Add(p)
			case !r.trusts(l.from):
				l.file.problems.Add(p)
			case w != nil && r.request.NoteUnreachable || isFault(s.unreachable) && !r.trusts(s):
				p.Where = "" // it has a commit
				s.files = append(s.files, &file{where: s.String(), name: s.String(), problems: problem.List{p}})
			case w != nil && r.request.WarnUnreachable:
				p.Detail += " " + r.missing(w)
				r.warnings = append(r.warnings, p)
			default:
				r.problems.Add(p)
			}
		}
	}
}

// unreachable says that the source cannot be read which an object names.
func (r *run) unreachable(m manifest.Meta, s *source) problem.Problem {
	p := problem.Problem{Summary: "The control plane cannot be read"}
	if m.Name != "" {
		p = problem.Problem{Summary: "A source cannot be read", Subject: m.ID(), Where: m.Source.String()}
	}
	why := s.unreachable.Error()
	if errors.Is(s.unreachable, errOffline) {
		why = r.loader.Offline
	}
	p.Detail = fmt.Sprintf("%s cannot be read: %s.", s.address, strings.TrimSuffix(why, "."))
	if _, commit := r.promoted(s.revision); commit != "" && remote.Is(s.unreachable, remote.KindCommitNotFound) {
		p.Detail += fmt.Sprintf(" source_commits asks for the commit %s. Promote a newer release, or choose one with pin of kalypso_promotion.",
			commit)
	}
	return p
}

// missing says what the fleet lacks without the workloads of a registration. Its
// targets are not known, but which policies could have selected them is.
func (r *run) missing(w *manifest.WorkloadRegistration) string {
	var policies []*manifest.SchedulingPolicy
	var clusterTypes []*manifest.ClusterType
	for _, f := range r.files {
		for _, d := range f.documents {
			switch x := d.Object.(type) {
			case *manifest.SchedulingPolicy:
				policies = append(policies, x)
			case *manifest.ClusterType:
				clusterTypes = append(clusterTypes, x)
			}
		}
	}
	var lost []string
	for _, p := range policies {
		if p.Workspace != "" && p.Workspace != w.Workspace {
			continue
		}
		if names := selected(clusterTypes, p.ClusterTypes); len(names) > 0 {
			lost = append(lost, fmt.Sprintf("%s places them on %s", p.ID(), strings.Join(names, ", ")))
		}
	}
	text := fmt.Sprintf("Its workloads, of the workspace %q, are missing from the manifests, and so are their assignments",
		w.Workspace)
	if len(lost) == 0 {
		return text + "; no scheduling policy is for that workspace."
	}
	slices.Sort(lost)
	return text + ", as far as a policy selects their deployment targets: " + strings.Join(lost, "; ") + "."
}

// selected returns the names of the cluster types that a selector matches, sorted.
func selected(clusterTypes []*manifest.ClusterType, selector metav1.LabelSelector) []string {
	compiled, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return nil // placing reports it
	}
	var names []string
	for _, c := range clusterTypes {
		if compiled.Matches(labels.Set(c.Labels)) {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}
