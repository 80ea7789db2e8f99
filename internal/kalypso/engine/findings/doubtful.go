// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// probableMistakes reports input that we read as Kalypso reads it, but that is probably a mistake.
func probableMistakes(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, b := range f.BaseRepos {
		if b.Commit != "" && !tree.IsCommitID(b.Commit) {
			found = append(found, newFinding(ManifestDoubtful, b.ID(), fmt.Sprintf(
				"BaseRepo %s is pinned to %q, which is not a commit id, so nothing can be read there. Write the 40 hexadecimal digits of a commit.",
				b.Name, b.Commit)))
		}
	}
	for _, t := range f.Templates {
		if !t.HasContentType() {
			found = append(found, newFinding(ManifestDoubtful, t.ID(), fmt.Sprintf(
				"Template %s has the content type %q, which Kalypso does not know, so its files end in .yaml. Write sh for files that end in .sh, or "+
					"leave it out.", t.Name, t.ContentType)))
		}
	}
	for _, c := range f.ConfigMaps {
		for _, key := range []string{"true", "false"} {
			if _, set := c.Data[key]; set {
				found = append(found, newFinding(ManifestDoubtful, c.ID(), fmt.Sprintf(
					"ConfigMap %s has the key %s, which is what Kubernetes makes of words like yes, y, no and off without quotes. Put the key in quotes "+
						"if it is to be the word.", c.Name, key)))
			}
		}
	}
	return append(found, everywhere(f)...)
}

// everywhere names the deployment targets without an environment, while others have one.
func everywhere(f *fleet.Fleet) []Finding {
	hasOne := func(t *fleet.Target) bool { return !t.Everywhere }
	if len(f.Elsewhere) == 0 && !slices.ContainsFunc(f.Targets, hasOne) {
		return nil
	}
	var found []Finding
	for _, t := range f.Targets {
		if t.Everywhere {
			found = append(found, newFinding(ManifestDoubtful, "DeploymentTarget/"+t.FullName, fmt.Sprintf(
				"Target %s of workload %s has no environment, so it exists in every environment, and other targets of the fleet have one. Set its "+
					"environment if it belongs to one environment only.", t.Name, t.Workload)))
		}
	}
	return found
}

// differingTargets names the DeploymentTargets of the environment that differ from those
// that their workload makes. Kalypso's operator would overwrite or delete them.
func differingTargets(f *fleet.Fleet) []Finding {
	workloads := map[string]bool{}
	for _, w := range f.Workloads {
		workloads[w.Name] = true
	}
	var found []Finding
	for _, d := range f.DeploymentTargets {
		t, exists := f.Target(d.Name)
		if !exists || d.Environment != f.Environment || !workloads[d.Workload()] {
			continue
		}
		subject := string(d.Kind) + "/" + d.Name
		if t.Owner == subject {
			found = append(found, newFinding(TargetDiffers, subject, fmt.Sprintf(
				"Its label workload names a workload that makes no such target for the environment %s. It is scheduled all the same, in the workspace "+
					"of that workload; Kalypso's operator would delete it. Add the target to the workload, or remove the DeploymentTarget.",
				f.Environment)))
		} else if differs := differences(t, d); len(differs) > 0 {
			found = append(found, newFinding(TargetDiffers, subject, fmt.Sprintf(
				"It differs from what the workload of its label workload makes, in %s. The workload counts. Remove the DeploymentTarget, or change "+
					"the workload.", strings.Join(differs, ", "))))
		}
	}
	return found
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
