// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"slices"

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
	// Targets of one workload are much alike. Two workloads of a fleet may well differ in this.
	for _, w := range s.Fleet.Workloads {
		named := slices.ContainsFunc(w.DeploymentTargets, func(d manifest.DeploymentTarget) bool { return d.Environment != "" })
		for _, d := range w.DeploymentTargets {
			if named && d.Environment == "" {
				s.note("DeploymentTarget/"+fleet.FullName(w, &d), "Target %s of workload %s has no environment, so it exists in every "+
					"environment, and another target of the workload has one. Set its environment if it belongs to one environment only.",
					d.Name, w.Name)
			}
		}
	}
}
