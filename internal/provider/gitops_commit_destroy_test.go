// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// A fleet that cannot be computed keeps Terraform from its destroy, which begins with an
// ordinary plan. The guide "Operate and repair" says that -refresh=false helps.
func TestAccCLI_destroyBrokenFleet(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	config := fleetHCL(r, fleetOptions{commit: `on_destroy = "delete"`})
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.write(t, "main.tf", strings.Replace(config, "reconciler        = kalypso_template.reconciler.name", "reconciler = \"nothing\"", 1))
	w.fails(t, destroying, `"nothing"`)
	w.mustRun(t, append(destroying, "-refresh=false")...)
	if err := expectPaths(t, r, "docs/index.md")(nil); err != nil {
		t.Error(err)
	}
}
