// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func configLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_config.test",
		create: `resource "kalypso_config" "test" {
  name   = "west-us-config"
  labels = { region = "west-us" }
  data   = { REGION = "West US", SERVERS = yamlencode([{ name = "a" }]), REPLICAS = 3 }
}`,
		created: &manifest.ConfigMap{
			Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "west-us-config",
				Labels: map[string]string{"region": "west-us", "platform-config": "true"}},
			Data: map[string]string{"REGION": "West US", "SERVERS": "- \"name\": \"a\"\n", "REPLICAS": "3"},
		},
		imported: `
apiVersion: v1
kind: ConfigMap
metadata:
  name: west-us-config
  labels:
    platform-config: "true"
    region: west-us
data:
  REPLICAS: "3"
  REGION: West US
  SERVERS: |
    - "name": "a"
`,
		update: `resource "kalypso_config" "test" {
  name   = "west-us-config"
  labels = { platform-config = "true" }
  data   = { REGION = "US West" }
}`,
		updated: &manifest.ConfigMap{
			Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "west-us-config",
				Labels: map[string]string{"platform-config": "true"}},
			Data: map[string]string{"REGION": "US West"},
		},
	}
}

// ConfigMaps from Azure App Configuration need no label, and get none.
func azureAppConfigLifecycle() lifecycle {
	object := func(labels map[string]string) *manifest.ConfigMap {
		return &manifest.ConfigMap{
			Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "azure-app-config-fleet", Labels: labels},
			Data: map[string]string{"region.west-us.REGION": "West US"},
		}
	}
	config := func(labels string) string {
		return `resource "kalypso_config" "test" {
  name   = "azure-app-config-fleet"
  labels = ` + labels + `
  data   = { "region.west-us.REGION" = "West US" }
}`
	}
	return lifecycle{
		address: "kalypso_config.test",
		create:  config("null"),
		created: object(nil),
		imported: `
kind: ConfigMap
metadata:
  name: azure-app-config-fleet
data:
  region.west-us.REGION: West US
`,
		update:  config(`{ platform-config = "true" }`),
		updated: object(map[string]string{"platform-config": "true"}),
	}
}

func TestConfig_mistakes(t *testing.T) {
	t.Parallel()
	config := func(labels, data string) string {
		return `resource "kalypso_config" "test" {
  name   = "west-us-config"
  labels = ` + labels + `
  data   = ` + data + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"label": {config(`{ platform-config = "false" }`, `{}`), "which a kalypso_config always is"},
		"key":   {config(`null`, `{ "a b" = "c" }`), `data["a b"] must be a key of a Kubernetes ConfigMap`},
		"null":  {config(`null`, `{ a = null }`), "Null"},
	})
}
