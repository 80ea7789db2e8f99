// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// probableMistakes reports input that we read as Kalypso reads it, but that is probably a mistake.
func probableMistakes(s *search) {
	for _, b := range s.Fleet.BaseRepos {
		if b.Commit != "" && tree.CommitID(b.Commit) == "" {
			s.note(b.ID(), "BaseRepo %s is pinned to %q, which is not a commit id, so nothing can be read there. Write the 40 hexadecimal digits "+
				"of a commit.", b.Name, b.Commit)
		}
	}
	for _, t := range s.Fleet.Templates {
		if !slices.Contains([]string{"", "yaml", manifest.ContentTypeShell}, t.ContentType) {
			s.note(t.ID(), "Template %s has the content type %q, which Kalypso does not know, so its files end in .yaml. Write sh for files that "+
				"end in .sh, or leave it out.", t.Name, t.ContentType)
		}
	}
	for _, c := range s.Fleet.ConfigMaps {
		if len(c.Binary) > 0 {
			s.note(c.ID(), "ConfigMap %s has binaryData, which has no effect: Kalypso reads data alone, so no cluster gets these values. Write "+
				"them to data, or remove them.", c.Name)
		}
		for _, key := range []string{"true", "false"} {
			if _, set := c.Data[key]; set {
				s.note(c.ID(), "ConfigMap %s has the key %s, which is what Kubernetes makes of words like yes, y, no and off without quotes. Put the "+
					"key in quotes if it is to be the word.", c.Name, key)
			}
		}
	}
	hasOne := func(t *fleet.Target) bool { return !t.Everywhere }
	if len(s.Fleet.Elsewhere) == 0 && !slices.ContainsFunc(s.Fleet.Targets, hasOne) {
		return
	}
	for _, t := range s.Fleet.Targets {
		if t.Everywhere {
			s.note("DeploymentTarget/"+t.FullName, "Target %s of workload %s has no environment, so it exists in every environment, and other "+
				"targets of the fleet have one. Set its environment if it belongs to one environment only.", t.Name, t.Workload)
		}
	}
}

// differingTargets names the DeploymentTargets of the environment that differ from those
// that their workload makes. Kalypso's operator would overwrite or delete them.
func differingTargets(s *search) {
	f := s.Fleet
	workloads := map[string]bool{}
	for _, w := range f.Workloads {
		workloads[w.Name] = true
	}
	for _, d := range f.DeploymentTargets {
		t, exists := f.Target(d.Name)
		if !exists || d.Environment != f.Environment || !workloads[d.Workload()] {
			continue
		}
		subject := string(d.Kind) + "/" + d.Name
		if t.Owner == subject {
			s.note(subject, "Its label workload names a workload that makes no such target for the environment %s. The target is scheduled in the "+
				"workspace of that workload, but Kalypso's operator would delete it. Add the target to the workload, or remove the "+
				"DeploymentTarget.", f.Environment)
		} else if differs := differences(t, d); len(differs) > 0 {
			s.note(subject, "It differs from what the workload of its label workload makes, in %s. The workload counts. Remove the "+
				"DeploymentTarget, or change the workload.", strings.Join(differs, ", "))
		}
	}
}

// differences returns the fields in which a target and an object of its name differ,
// sorted. Labels of Flux do not count: they say who delivered something.
func differences(t *fleet.Target, d *manifest.DeploymentTargetObject) []string {
	differs := map[string]bool{}
	compare := func(field string, a, b map[string]string) {
		for key := range a {
			if value, both := b[key]; !both || value != a[key] {
				differs[field+"."+key] = !strings.HasPrefix(key, manifest.LabelFluxPrefix)
			}
		}
	}
	compare("metadata.labels", t.Labels, d.Labels)
	compare("metadata.labels", d.Labels, t.Labels)
	compare("spec.manifests", t.Manifests, d.Manifests)
	compare("spec.manifests", d.Manifests, t.Manifests)
	differs["spec.configSchemas"] = !slices.Equal(t.ConfigSchemas, d.ConfigSchemas)
	maps.DeleteFunc(differs, func(_ string, counts bool) bool { return !counts })
	return slices.Sorted(maps.Keys(differs))
}
