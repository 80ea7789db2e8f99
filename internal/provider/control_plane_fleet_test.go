// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"
)

// followedFleet is a fleet in HCL whose workload and cluster type are in repositories.
// Their environment is dev.
func followedFleet(app, platform served, pinned string) string {
	return fixtureTemplates + fmt.Sprintf(`
resource "kalypso_scheduling_policy" "apps" {
  name = "apps"
  deployment_target_selector {
    workspace = "app-team"
    match_all = true
  }
  cluster_type_selector {
    match_all = true
  }
}

locals {
  fleet = [
    kalypso_template.reconciler.manifest, kalypso_template.namespace.manifest, kalypso_template.config.manifest,
    kalypso_scheduling_policy.apps.manifest,
    <<-EOT
%sEOT
    ,
    <<-EOT
%sEOT
  ]
}
`, registrationYAML("app", app.url, "main", "./workload", "app-team"), baseRepoYAML("shared", platform, "main", ".", pinned))
}

// The plan reports sources that nothing follows. It does not blame a policy.
func TestControlPlane_notFollowed(t *testing.T) {
	t.Parallel()
	app, platform := servers["http"](t), servers["http"](t)
	r := transports["file"](t)
	d := expectDirectly(t, providerFor(app)+
		followedFleet(app, platform, "1111111111111111111111111111111111111111")+plainCommit("dev", "dev", "dev",
		"path = \".\"\n  limits {\n    allow_empty = true\n  }")+
		fmt.Sprintf("locals {\n  repo = %q\n}\n", r.url))
	for _, want := range []string{
		"BASE_REPO_NOT_FOLLOWED BaseRepo/shared: No object in the",
		"ENVIRONMENT_EMPTY Environment/dev: No deployment target names dev",
		"the manifests through data.kalypso_control_plane { fleet_manifests = ... }, which",
	} {
		d.Warns(t, want)
	}
}
