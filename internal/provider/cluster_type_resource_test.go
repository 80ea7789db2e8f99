// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

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
  taints {
    key    = "example.com/drain"
    effect = "NoSelect"
  }
  taints {
    key    = "tier"
    value  = "gold"
    effect = "PreferNoSelect"
  }
}`,
		beside: &manifest.ManagedCluster{
			Meta: manifest.Meta{Kind: manifest.KindManagedCluster, Name: "drone"},
			Spec: clusterv1.ManagedClusterSpec{Taints: []clusterv1.Taint{
				{Key: "example.com/drain", Effect: clusterv1.TaintEffectNoSelect},
				{Key: "tier", Value: "gold", Effect: clusterv1.TaintEffectPreferNoSelect},
			}},
		},
		created: &manifest.ClusterType{
			Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: "drone",
				Labels: map[string]string{"region": "east-us", "edge": "true"}},
			Reconciler: "arc-flux", NamespaceService: "arc-namespace", ConfigType: "arc-config",
		},
		imported: `---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: drone}
spec: {taints: [{key: example.com/drain, effect: NoSelect}, {effect: PreferNoSelect, key: tier, value: gold}]}
---
kind: ClusterType
apiVersion: scheduler.kalypso.io/v1alpha1
metadata:
  name: "drone"
  labels: {edge: "true", region: east-us}
spec:
  namespaceService: arc-namespace
  reconciler: arc-flux
  configType: arc-config
`,
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
	tainted := func(taint ...string) string {
		return strings.Replace(clusterType("large", "null"), "\n}", "\n"+block("taints", taint...)+"\n}", 1)
	}
	expectMistakes(t, map[string]mistake{
		"name": {clusterType("Large", "null"),
			`name must be a DNS label: at most 63 lower case letters, digits and hyphens: "Large" is not`},
		"label key":   {clusterType("large", `{ "a b" = "c" }`), `labels["a b"] must be a Kubernetes label key`},
		"label value": {clusterType("large", `{ a = "b c" }`), `labels["a"] must be a Kubernetes label value`},
		"null label":  {clusterType("large", `{ a = null }`), "Null"},
		"taint":       {tainted(`kye = "drain"`, `effect = "NoSelect"`), `An argument named "kye" is not expected here`},
		"effect": {tainted(`key = "drain"`, `effect = "NoSchedule"`),
			`taints[0].effect value must be one of: ["NoSelect" "NoSelectIfNew" "PreferNoSelect"`},
		"no effect": {tainted(`key = "drain"`), `The argument "effect" is required`},
		"taint key": {tainted(`key = "a b"`, `effect = "NoSelect"`), "taints[0].key must be a Kubernetes label key"},
		"null":      {tainted(`key = null`, `effect = "NoSelect"`), "value for the taints[0].key attribute"},
	})
}
