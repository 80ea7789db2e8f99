// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func configSchemaLifecycle() lifecycle {
	configSchema := func(labels map[string]string, schema string) *manifest.ConfigSchema {
		return &manifest.ConfigSchema{
			Meta:   manifest.Meta{Kind: manifest.KindConfigSchema, Name: "region", Labels: labels},
			Schema: schema,
		}
	}
	return lifecycle{
		address: "kalypso_config_schema.test",
		create: `resource "kalypso_config_schema" "test" {
  name   = "region"
  labels = { cluster-type = "large" }
  schema = jsonencode({ required = ["REGION"] })
}`,
		created: configSchema(map[string]string{"cluster-type": "large"}, `{"required":["REGION"]}`),
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ConfigSchema
metadata:
  name: region
  labels:
    cluster-type: large
spec:
  schema: |-
    {"required":["REGION"]}
`,
		update: `resource "kalypso_config_schema" "test" {
  name   = "region"
  schema = jsonencode({ required = ["REGION", "DATABASE_URL"] })
}`,
		updated: configSchema(nil, `{"required":["REGION","DATABASE_URL"]}`),
	}
}

func TestConfigSchema_mistakes(t *testing.T) {
	t.Parallel()
	configSchema := func(schema string) string {
		return `resource "kalypso_config_schema" "test" {
  name   = "region"
  schema = ` + schema + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"no JSON":   {configSchema(`"{"`), "schema must be a valid JSON Schema"},
		"no schema": {configSchema(`jsonencode({ type = "text" })`), "schema must be a valid JSON Schema"},
	})
}
