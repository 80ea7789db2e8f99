// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// TestAccFlux_keep breaks the file of one team and the schema of a package of another one, while
// the other team and the platform team deliver. Flux delivers what is sound, and keeps running
// the rest as it is in the branch: it deletes and replaces no object. Then the fixes arrive.
func TestAccFlux_keep(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	a, b := giteatest.NewRepo(t), giteatest.NewRepo(t)
	workload := func(name string, repo *giteatest.Repo, color, schema string) string {
		return kalypsoObject("Workload", name, "", fmt.Sprintf("{deploymentTargets: [{name: live, environment: dev, manifests: {repo: %q, "+
			"branch: main, path: ./%s}}], configSchemas: ['%s']}", repo.URL(), color, schema))
	}
	const anywhere, onlyNorth = `{}`, `{"properties": {"REGION": {"enum": ["north"]}}}`
	var registrations []string
	for name, repo := range map[string]*giteatest.Repo{"a": a, "b": b} {
		repo.Write(t, "main", map[string]string{"blue/app.yaml": webYAML("blue"), "green/app.yaml": webYAML("green")})
		registrations = append(registrations, registrationYAML(name, repo.URL(), "main", "workloads", "team-"+name))
	}
	d.write(t, "fleet/workload.yaml", strings.Join(registrations, "---\n"))
	a.Write(t, "main", map[string]string{"workloads/a.yaml": workload("a", a, "blue", anywhere)})
	b.Write(t, "main", map[string]string{"workloads/b.yaml": workload("b", b, "blue", anywhere),
		"workloads/s.yaml": workload("s", b, "blue", onlyNorth)})

	config := strings.Replace(d.commitHCL("dev", `on_error = "keep"`), "= local.fleet", "= data.kalypso_control_plane.dev.manifests", 1) + `
data "kalypso_control_plane" "dev" {
  environment     = "dev"
  fleet_manifests = local.fleet
}
`
	// delivers applies, and expects the region and the color of each workload in the cluster.
	delivers := func(want map[string]string) {
		t.Helper()
		d.applies(t, config)
		d.reports(t, d.gitops.Head(t, "dev"), "kalypso/dev/large/large-1", gitea.StatusSuccess, "reconciliation succeeded")
		eventually(t, func() error {
			got := map[string]string{}
			for name := range want {
				in := "dev-large-" + name + "-live"
				got[name] = flux.Text(c.Get(t, flux.ConfigMaps, in, "platform-config"), "data", "REGION") + " " +
					flux.Text(c.Get(t, flux.ConfigMaps, in, "web"), "data", "color")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("workloads (-want +got):\n%s", diff)
			}
			return nil
		})
	}
	delivers(map[string]string{"a": "north blue", "b": "north blue", "s": "north blue"})
	before, watch := uids(t, c), c.Watch(t, delivered...)

	a.Write(t, "main", map[string]string{"workloads/a.yaml": strings.Replace(workload("a", a, "green", anywhere), "spec", "spek", 1)})
	b.Write(t, "main", map[string]string{"workloads/b.yaml": workload("b", b, "green", anywhere)})
	d.region(t, "south")
	delivers(map[string]string{"a": "north blue", "b": "south green", "s": "north blue"})

	a.Write(t, "main", map[string]string{"workloads/a.yaml": workload("a", a, "green", anywhere)})
	b.Write(t, "main", map[string]string{"workloads/s.yaml": workload("s", b, "green", anywhere)})
	delivers(map[string]string{"a": "south green", "b": "south green", "s": "south green"})

	if diff := cmp.Diff(before, uids(t, c)); diff != "" || len(before) == 0 {
		t.Errorf("objects (-before +after):\n%s", diff)
	}
	if deleted := watch.Deleted(t); len(deleted) > 0 {
		t.Errorf("deleted: %q", deleted)
	}
}
