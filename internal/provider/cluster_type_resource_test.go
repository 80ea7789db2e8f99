// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func clusterTypeLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_cluster_type.test",
		create: `resource "kalypso_cluster_type" "test" {
  name              = "drone"
  labels            = { region = "east-us", edge = "true" }
  reconciler        = "arc-flux"
  namespace_service = "arc-namespace"
  config_type       = "arc-config"
}`,
		created: &manifest.ClusterType{
			Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: "drone",
				Labels: map[string]string{"region": "east-us", "edge": "true"}},
			Reconciler: "arc-flux", NamespaceService: "arc-namespace", ConfigType: "arc-config",
		},
		update: `resource "kalypso_cluster_type" "test" {
  name              = "drone"
  reconciler        = "arc-flux"
  namespace_service = "arc-namespace"
}`,
		updated: &manifest.ClusterType{
			Meta:       manifest.Meta{Kind: manifest.KindClusterType, Name: "drone"},
			Reconciler: "arc-flux", NamespaceService: "arc-namespace",
		},
	}
}

func TestClusterType_mistakes(t *testing.T) {
	t.Parallel()
	clusterType := func(name, labels string) string {
		return `resource "kalypso_cluster_type" "test" {
  name              = "` + name + `"
  labels            = ` + labels + `
  reconciler        = "flux"
  namespace_service = "namespace"
}`
	}
	expectMistakes(t, map[string]mistake{
		"name": {clusterType("Large", "null"),
			`name must be a DNS label: at most 63 lower case letters, digits and hyphens: "Large" is not`},
		"label key":   {clusterType("large", `{ "a b" = "c" }`), `labels["a b"] must be a label's key`},
		"label value": {clusterType("large", `{ a = "b c" }`), `labels["a"] must be a label's value`},
		"null label":  {clusterType("large", `{ a = null }`), "Null"},
	})
}
