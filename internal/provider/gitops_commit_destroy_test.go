// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// A fleet that cannot be computed, or a change beyond the limits, keeps Terraform from its destroy, which begins with an
// ordinary plan. The message of the limits and the guide "Operate and repair" say that -refresh=false helps.
func TestAccCLI_destroyBrokenFleet(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	config := fleetHCL(r, fleetOptions{commit: `on_destroy = "delete"`})
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.write(t, "main.tf", strings.Replace(config, "reconciler        = kalypso_template.reconciler.name", "reconciler = \"nothing\"", 1))
	w.fails(t, destroying, `"nothing"`)
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green", commit: "on_destroy = \"delete\"\n  limits { max_changed = \"0\" }"}))
	w.fails(t, destroying, "terraform destroy", "-refresh=false")
	w.mustRun(t, append(destroying, "-refresh=false")...)
	if err := expectPaths(t, r, "docs/index.md")(nil); err != nil {
		t.Error(err)
	}
}
