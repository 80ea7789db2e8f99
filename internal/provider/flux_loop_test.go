// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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

	// A commit that changes nothing for them is reported on, too.
	untouched := d.gitops.Write(t, "dev", map[string]string{"docs/index.md": "# Docs\n"})
	for name := range clusters {
		d.reports(t, untouched, "kalypso/dev/large/"+name, gitea.StatusSuccess, "reconciliation succeeded")
	}

	// A change of the workload's team arrives without us.
	d.web.Write(t, "main", map[string]string{"live/web.yaml": webYAML("green")})
	for _, c := range clusters {
		eventually(t, func() error { return running(t, c, "south", "green") })
	}
	d.settled(t)
}

// TestAccFlux_clusterOfTwoTypes connects one cluster with the folders of two cluster types,
// that have the same workload: it gets both, and reports on each under its own context.
func TestAccFlux_clusterOfTwoTypes(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	types := []string{"large", "small"}
	d.clusterTypes(t, types...)
	for _, name := range types {
		d.connect(t, c, name, "north-1")
	}
	commit := d.writes(t)
	for _, name := range types {
		d.reports(t, commit, "kalypso/dev/"+name+"/north-1", gitea.StatusSuccess, "reconciliation succeeded")
		in := "dev-" + name + "-web-live"
		if err := present(t, c, "ConfigMap "+in+"/web", "ConfigMap "+in+"/platform-config"); err != nil {
			t.Error(err)
		}
	}
	if reports := d.gitops.Reports(t, commit); len(reports) != len(types) {
		t.Errorf("want one context a cluster type, got %+v", reports)
	}
}
