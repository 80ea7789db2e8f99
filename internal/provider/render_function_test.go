// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestRenderFunction(t *testing.T) {
	t.Parallel()
	testFunction(t, `render(local.fleet, "prod")`, knownvalue.MapExact(map[string]knownvalue.Check{
		"edge/README.md":                knownvalue.NotNull(),
		"edge/web-live/reconciler.yaml": exactly("{apiVersion: v1, kind: ConfigMap, metadata: {name: web-live}}"),
		"edge/web-live/namespace.yaml":  exactly("{apiVersion: v1, kind: Namespace, metadata: {name: prod-edge-web-live}}"),
		"edge/web-live/platform-config.yaml": exactly("apiVersion: v1\ndata:\n  REGION: Edge\n  servers.yaml: |-\n    - name: a\n      port: " +
			"80\nkind: ConfigMap\nmetadata:\n  name: platform-config\n  namespace: prod-edge-web-live\n"),
	}))
}
