// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"path"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
)

// TestAccConformance_controlPlane arranges every fleet as Kalypso's users do, as
// branches of a control plane with base repositories and repositories of
// applications, and wants the same output as from its plain manifests.
func TestAccConformance_controlPlane(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			a := arrange(t, fleet.In, fleet.Environment)
			want := maps.Clone(fleet.Out)
			if a.promoted != "" {
				want[".github/tracking/Promoted_Commit_Id"] = a.promoted
			}
			result := transports["file"](t)
			inSteps(t, []resource.TestStep{{
				Config: a.provider + fmt.Sprintf(`
data "kalypso_control_plane" "this" {
  repo        = %q
  branch      = %q
  environment = %q
}

resource "kalypso_gitops_commit" "this" {
  environment = data.kalypso_control_plane.this.environment
  manifests   = data.kalypso_control_plane.this.manifests
  repo        = %q
  branch      = "result"
  path        = "."

  ignore_findings = ["CREDENTIAL"] # the fleet factory has one
}
`, a.url, fleet.Environment, fleet.Environment, result.url),
				Check: func(*terraform.State) error { return conformance.Compare(want, packageFiles(t, result, "result")) },
			}}...)
		})
	}
}

// arranged is a fleet in repositories.
type arranged struct {
	url, provider string
	// promoted is the commit of the base repository main.
	promoted string
}

// arrange puts workloads/<registration> into a repository of its own each, the
// folder main into the branch of the base repository main, what other base
// repositories are to hold into theirs, and everything else into the
// environment's branch.
func arrange(t *testing.T, files map[string]string, environment string) arranged {
	t.Helper()
	platform := servers["http"](t)
	all := []served{platform}
	elsewhere := func() served {
		s := servers["http"](t)
		all = append(all, s)
		return s
	}
	onMain, here := map[string]string{}, map[string]string{}
	for name, text := range files {
		text = pointTo(t, text, func(o manifest.Object) manifest.Object { return registered(t, o, files, elsewhere) })
		switch folder, rest, _ := strings.Cut(name, "/"); folder {
		case "workloads":
		case "main":
			onMain[rest] = text
		default:
			here[name] = text
		}
	}
	baseRepos := func(point func(*manifest.BaseRepo) manifest.Object) {
		for name, text := range here {
			here[name] = pointTo(t, text, func(o manifest.Object) manifest.Object {
				if b, ok := o.(*manifest.BaseRepo); ok {
					return point(b)
				}
				return nil
			})
		}
	}
	baseRepos(func(b *manifest.BaseRepo) manifest.Object {
		if b.Name == "main" {
			return nil
		}
		s, moved := elsewhere(), *b
		moved.Repo, moved.Path = s.url, "shared"
		s.commit(t, b.Branch, takeConfigs(onMain))
		return &moved
	})
	var a arranged
	if len(onMain) > 0 {
		a.promoted = platform.commit(t, "main", onMain)
		platform.commit(t, "main", map[string]string{"later.yaml": clusterTypeYAML("later")})
	}
	baseRepos(func(b *manifest.BaseRepo) manifest.Object {
		if b.Name != "main" {
			return nil
		}
		moved := *b
		moved.Repo, moved.Commit = platform.url, a.promoted
		return &moved
	})
	platform.commit(t, environment, here)
	a.url, a.provider = platform.url, providerFor(all...)
	return a
}

// takeConfigs moves configs/ to the folder shared.
func takeConfigs(files map[string]string) map[string]string {
	shared := map[string]string{"shared/README.md": "# Shared\n"}
	for name, text := range files {
		if strings.HasPrefix(name, "configs/") {
			shared["shared/"+name] = text
			delete(files, name)
		}
	}
	return shared
}

// registered puts the workloads of a registration into a repository and points to it.
func registered(t *testing.T, o manifest.Object, files map[string]string, elsewhere func() served) manifest.Object {
	t.Helper()
	w, ok := o.(*manifest.WorkloadRegistration)
	if !ok {
		return nil
	}
	s, moved, workloads := elsewhere(), *w, map[string]string{"README.md": "# An application\n"}
	moved.Workload.Repo = s.url
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, "workloads/"+w.Name+"/"); ok {
			workloads[path.Join(w.Workload.Path, rest)] = text
		}
	}
	if len(workloads) != 2 {
		t.Errorf("%s has %d workload files, want one", w.ID(), len(workloads)-1)
	}
	s.commit(t, w.Workload.Branch, workloads)
	return &moved
}

// pointTo replaces objects of a file by others, where there is one for them.
func pointTo(t *testing.T, text string, other func(manifest.Object) manifest.Object) string {
	t.Helper()
	parts := strings.Split(text, "\n---\n")
	for i, part := range parts {
		objects, err := manifest.Decode([]manifest.Text{{Text: part}})
		if err != nil || len(objects) != 1 {
			continue // not an object of ours
		}
		if o := other(objects[0]); o != nil {
			parts[i] = manifest.Encode(o)
		}
	}
	return strings.Join(parts, "\n---\n")
}
