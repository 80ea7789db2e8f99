// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_removal removes packages, and checks the effect in a cluster. An emptied
// folder uninstalls its packages. A deleted folder is an error and uninstalls nothing.
func TestAccFlux_removal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		onRemoval string
		remove    func(t *testing.T, d delivery, attribute string)
		state     gitea.StatusState
		reason    string
		stays     bool
	}{
		"the cluster type leaves an empty folder": {
			"empty",
			func(t *testing.T, d delivery, attribute string) { d.clusterTypes(t, "small"); d.writes(t, attribute) },
			gitea.StatusSuccess, "reconciliation succeeded", false,
		},
		"a destroy leaves an empty folder": {
			"empty",
			func(t *testing.T, d delivery, _ string) { d.mustRun(t, "destroy", "-auto-approve") },
			gitea.StatusSuccess, "reconciliation succeeded", false,
		},
		"the cluster type leaves no folder": {
			"delete",
			func(t *testing.T, d delivery, attribute string) { d.clusterTypes(t, "small"); d.writes(t, attribute) },
			gitea.StatusFailure, "artifact failed", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, c := newDelivery(t), flux.NewCluster(t)
			d.clusterTypes(t, "large", "small")
			d.connect(t, c, "large", "large-1")
			attribute := fmt.Sprintf("on_removal = %[1]q\n  on_destroy = %[1]q", test.onRemoval)
			const context = "kalypso/dev/large/large-1"
			d.reports(t, d.writes(t, attribute), context, gitea.StatusSuccess, "reconciliation succeeded")
			runs(t, c, "north", "blue")

			test.remove(t, d, attribute)
			d.reports(t, d.gitops.Head(t, "dev"), context, test.state, test.reason)
			if test.stays {
				runs(t, c, "north", "blue")
				return
			}
			eventually(t, func() error {
				if c.Get(t, flux.Namespaces, "", namespace) != nil {
					return errors.New("the workload is still there")
				}
				return nil
			})
		})
	}
}
