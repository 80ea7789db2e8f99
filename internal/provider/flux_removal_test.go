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

// TestAccFlux_removal removes packages, and checks the effect in a cluster. An emptied folder uninstalls its packages,
// also after a destroy. A deleted folder is an error and uninstalls nothing.
func TestAccFlux_removal(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	const context = "kalypso/dev/large/large-1"
	delivers := func(removal string, types ...string) {
		t.Helper()
		d.clusterTypes(t, types...)
		d.writes(t, fmt.Sprintf("on_removal = %[1]q\n  on_destroy = %[1]q", removal))
	}
	reports := func(state gitea.StatusState, reason string) {
		t.Helper()
		d.reports(t, d.gitops.Head(t, "dev"), context, state, reason)
	}
	gone := func() error {
		if c.Get(t, flux.Namespaces, "", namespace) != nil {
			return errors.New("the workload is still there")
		}
		return nil
	}
	const succeeded = "reconciliation succeeded"
	delivers("empty", "large", "small")
	reports(gitea.StatusSuccess, succeeded)
	runs(t, c, "north", "blue")
	delivers("empty", "small")
	reports(gitea.StatusSuccess, succeeded)
	eventually(t, gone)

	delivers("empty", "large", "small")
	reports(gitea.StatusSuccess, succeeded)
	d.mustRun(t, "destroy", "-auto-approve")
	reports(gitea.StatusSuccess, succeeded)
	eventually(t, gone)

	delivers("delete", "large", "small")
	reports(gitea.StatusSuccess, succeeded)
	delivers("delete", "small")
	reports(gitea.StatusFailure, "artifact failed")
	runs(t, c, "north", "blue")
}
