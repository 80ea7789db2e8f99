// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// targets returns the deployment targets of the environment, sorted by full name
// (docs/guides/semantics.md, section 1). A DeploymentTarget that one of the workloads
// makes is not a second target, whatever it says: the workload counts.
func (f *Fleet) targets(problems *problem.List) []*Target {
	var all []*Target
	owner := map[string]*Target{}
	for _, w := range f.Workloads {
		for i := range w.DeploymentTargets {
			d := &w.DeploymentTargets[i]
			if !d.In(f.Environment) {
				continue
			}
			t := f.targetFrom(w, d)
			if other, taken := owner[t.FullName]; taken {
				problems.Add(f.sameFullName(other, t))
				continue
			}
			owner[t.FullName] = t
			all = append(all, t)
		}
	}
	for _, d := range f.DeploymentTargets {
		if d.Environment != f.Environment {
			continue
		}
		t := f.targetOf(d)
		if t.Workload == "" {
			problems.Add(withoutWorkload(t))
			continue
		}
		switch other, taken := owner[t.FullName]; {
		case !taken:
			all = append(all, t)
		case other.Workload != t.Workload:
			problems.Add(f.sameFullName(other, t))
		}
	}
	slices.SortFunc(all, func(a, b *Target) int { return strings.Compare(a.FullName, b.FullName) })
	return all
}

// OtherEnvironments returns the fleet with the deployment targets that name other
// environments in place of this one's. Several may have the same full name.
func (f *Fleet) OtherEnvironments() *Fleet {
	others := *f
	others.Targets = nil
	for _, w := range f.Workloads {
		for i := range w.DeploymentTargets {
			if d := &w.DeploymentTargets[i]; !d.In(f.Environment) {
				others.Targets = append(others.Targets, f.targetFrom(w, d))
			}
		}
	}
	for _, d := range f.DeploymentTargets {
		if d.Environment != f.Environment {
			others.Targets = append(others.Targets, f.targetOf(d))
		}
	}
	return &others
}

// elsewhere returns the full names of the deployment targets of other
// environments, with those environments, each once and sorted.
func elsewhere(workloads []*manifest.Workload, targets []*manifest.DeploymentTargetObject, environment string) map[string][]string {
	all := map[string][]string{}
	for _, w := range workloads {
		for i := range w.DeploymentTargets {
			if d := &w.DeploymentTargets[i]; !d.In(environment) {
				all[FullName(w, d)] = append(all[FullName(w, d)], d.Environment)
			}
		}
	}
	for _, d := range targets {
		if d.Environment != environment {
			all[d.Name] = append(all[d.Name], d.Environment)
		}
	}
	for name, environments := range all {
		all[name] = wording.Sorted(environments)
	}
	return all
}

// FullName returns the name of a workload's deployment target, which is unique in an environment: <workload>-<target>.
func FullName(w *manifest.Workload, d *manifest.DeploymentTarget) string {
	return w.Name + "-" + d.Name
}

// workspaceOf returns the workspace of the registration that delivered the
// workload, else that of its own label.
func (f *Fleet) workspaceOf(w *manifest.Workload) string {
	for _, name := range f.deliverers(w) {
		if r, known := find(f.Registrations, name); known {
			return r.Workspace
		}
	}
	return w.Labels[manifest.LabelWorkspace]
}

func (f *Fleet) targetFrom(w *manifest.Workload, d *manifest.DeploymentTarget) *Target {
	workspace := f.workspaceOf(w)
	labels := make(map[string]string, len(d.Labels)+len(w.Labels)+2)
	maps.Copy(labels, d.Labels)
	maps.Copy(labels, w.Labels)
	labels[manifest.LabelWorkload] = w.Name
	labels[manifest.LabelWorkspace] = workspace
	return &Target{
		FullName:      FullName(w, d),
		Name:          d.Name,
		Workload:      w.Name,
		Workspace:     workspace,
		Labels:        labels,
		Manifests:     d.Manifests,
		ConfigSchemas: slices.Concat(d.ConfigSchemas, w.ConfigSchemas),
		Owner:         w.ID(),
		Source:        d.Source,
	}
}

// targetOf returns the target that an object of its own says. If its workload is in the list, the
// workspace is that of the workload: who writes the object does not choose it.
func (f *Fleet) targetOf(d *manifest.DeploymentTargetObject) *Target {
	workspace, labels := d.Labels[manifest.LabelWorkspace], d.Labels
	if w, known := find(f.Workloads, d.Workload()); known {
		workspace, labels = f.workspaceOf(w), maps.Clone(d.Labels)
		labels[manifest.LabelWorkspace] = workspace
	}
	return &Target{
		FullName:      d.Name,
		Name:          d.Name,
		Workload:      d.Workload(),
		Workspace:     workspace,
		Labels:        labels,
		Manifests:     d.Manifests,
		ConfigSchemas: d.ConfigSchemas,
		Owner:         string(d.Kind) + "/" + d.Name,
		Source:        d.Source,
	}
}

func withoutWorkload(t *Target) problem.Problem {
	return problem.Problem{
		Summary: "Missing field",
		Subject: t.Owner,
		Where:   t.Source.String(),
		Detail:  "metadata.labels.workload is missing or empty. Set it to the name of the workload that the deployment target belongs to.",
	}
}

func (f *Fleet) sameFullName(a, b *Target) problem.Problem {
	detail := fmt.Sprintf("Target %q of workload %q (%s) and target %q of workload %q (%s) are both called %q in full, so they would share a "+
		"folder. Rename one of them.",
		a.Name, a.Workload, a.Source, b.Name, b.Workload, b.Source, b.FullName)
	if a.Workload == b.Workload {
		detail = fmt.Sprintf("The workload has two targets %q in the environment %q, so they would share a folder. Rename one of them.",
			b.Name, f.Environment)
	}
	return problem.Problem{
		Summary: "Two deployment targets of the same name",
		Subject: b.Owner,
		Where:   b.Source.String(),
		Detail:  detail,
	}
}
