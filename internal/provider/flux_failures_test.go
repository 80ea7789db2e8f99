// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_failures breaks the delivered files in the ways that differ to Flux, and
// fixes them. The commit that does not work is red and stays red.
func TestAccFlux_failures(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	const context = "kalypso/dev/large/large-1"
	green := func(commit string) {
		t.Helper()
		d.reports(t, commit, context, gitea.StatusSuccess, "reconciliation succeeded")
		runs(t, c, "north", "blue")
	}
	red := func(commit, reason string) {
		t.Helper()
		d.reports(t, commit, context, gitea.StatusFailure, reason)
		runs(t, c, "north", "blue")
	}
	good := d.writes(t)
	green(good)

	d.region(t, "[no, text]") // a ConfigMap cannot have a list as a value
	refused := d.writes(t)
	red(refused, "reconciliation failed")
	d.region(t, "north")
	green(d.writes(t))

	d.workload(t, "no-such-branch")
	unfetched := d.writes(t)
	red(unfetched, "health check failed")
	d.workload(t, "main")
	green(d.writes(t))

	red(d.gitops.Write(t, "dev", map[string]string{"large/web-live/broken.yaml": "no: [yaml\n"}), "build failed")
	last := d.writes(t)
	green(last)

	// A workload that breaks later turns the commit red that was green.
	d.web.Write(t, "main", map[string]string{"live/broken.yaml": "kind: NoSuchKind\n"})
	red(last, "health check failed")
	d.web.Write(t, "main", map[string]string{"live/broken.yaml": ""})
	green(last)

	for _, commit := range []string{refused, unfetched} {
		if report := d.gitops.Reports(t, commit)[context]; report.State != gitea.StatusFailure {
			t.Errorf("%s is %+v", commit, report)
		}
	}
}
