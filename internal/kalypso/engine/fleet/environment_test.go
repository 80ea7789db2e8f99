// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// build makes the fleet of the environment dev.
func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	const noneNames = "Unknown environment in Environment/dev: No deployment target and no Environment object names the environment dev. "
	for name, test := range map[string]struct {
		document string
		want     string
	}{
		"a target names it":     {workload("w", "", "{name: a, environment: dev}"), ""},
		"an object names it":    {object(manifest.KindEnvironment, "name: dev", "controlPlane: {repo: r}"), ""},
		"another one is near":   {workload("w", "", "{name: a, environment: dve}"), noneNames + "Did you mean dve? The manifests name dve. "},
		"none is near":          {object(manifest.KindEnvironment, "name: production", "controlPlane: {repo: r}"), noneNames + "The manifests name production. "},
		"nothing names any one": {template("t"), noneNames + "The manifests name no environment at all. "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := mustBuild(t, test.document).CheckEnvironment()
			if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want+"Correct the name.") {
				t.Errorf("got %v", err)
			}
		})
	}
}
