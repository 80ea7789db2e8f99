// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_drift has somebody else's commit reach the cluster, and the next apply put
// it right there, too.
func TestAccFlux_drift(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	const context, file = "kalypso/dev/large/large-1", "large/web-live/platform-config.yaml"
	d.reports(t, d.writes(t), context, gitea.StatusSuccess, "reconciliation succeeded")

	text := strings.Replace(d.gitops.Read(t, "dev", file), "REGION: north", "REGION: moon", 1)
	d.reports(t, d.gitops.Write(t, "dev", map[string]string{file: text}), context, gitea.StatusSuccess, "reconciliation succeeded")
	runs(t, c, "moon", "blue")

	if diff := d.diff(t, "plan"); !strings.Contains(diff, "-  REGION: moon\n+  REGION: north\n") {
		t.Errorf("the plan shows:\n%s", diff)
	}
	d.reports(t, d.writes(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	runs(t, c, "north", "blue")
	d.settled(t)
}
