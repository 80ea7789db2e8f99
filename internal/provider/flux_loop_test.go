// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_loop goes the whole way: an apply writes the branch, Flux applies it to two
// clusters of one type, and each reports what became of the commit.
func TestAccFlux_loop(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	clusters := map[string]*flux.Cluster{"large-1": flux.NewCluster(t), "large-2": flux.NewCluster(t)}
	for name, c := range clusters {
		d.connect(t, c, "large", name)
	}
	for _, region := range []string{"north", "south"} {
		d.region(t, region)
		commit := d.writes(t)
		for name, c := range clusters {
			d.reports(t, commit, "kalypso/dev/large/"+name, gitea.StatusSuccess, "reconciliation succeeded")
			runs(t, c, region, "blue")
		}
		if reports := d.gitops.Reports(t, commit); len(reports) != 2 {
			t.Errorf("want one context a cluster, got %+v", reports)
		}
	}

	// What the workload's team changes arrives without us.
	d.web.Write(t, "main", map[string]string{"live/web.yaml": webYAML("green")})
	for _, c := range clusters {
		eventually(t, func() error { return running(t, c, "south", "green") })
	}
	d.settled(t)
}

// runs expects that a cluster has the workload, with its platform configuration.
func runs(t *testing.T, c *flux.Cluster, region, color string) {
	t.Helper()
	if err := running(t, c, region, color); err != nil {
		t.Error(err)
	}
}

// namespace is that of the workload in clusters of the type large.
const namespace = "dev-large-web-live"

// running reports what is missing of the workload in a cluster.
func running(t *testing.T, c *flux.Cluster, region, color string) error {
	t.Helper()
	if got := flux.Text(c.Get(t, flux.Namespaces, "", namespace), "metadata", "labels", "workload"); got != "web" {
		return fmt.Errorf("the namespace is labelled as that of the workload %q", got)
	}
	if got := flux.Text(c.Get(t, flux.ConfigMaps, namespace, "platform-config"), "data", "REGION"); got != region {
		return fmt.Errorf("the platform configuration has the region %q, want %q", got, region)
	}
	if got := flux.Text(c.Get(t, flux.ConfigMaps, namespace, "web"), "data", "color"); got != color {
		return fmt.Errorf("the workload is %q, want %q", got, color)
	}
	return nil
}
