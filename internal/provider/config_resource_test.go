// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

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
		"credentials": {
			config(`null`, "{ A_TOKEN = \"hunter2\", DB_PASSWORD = \"hunter3\", SMTP_PASSWORD = \"hunter4\" }\n  ignore_credentials = "+
				"[\"A_TOKEN\"]"),
			"The value of DB_PASSWORD is a credential, by its name. The value of SMTP_PASSWORD is a credential, by its name.",
		},
		"credential of an object": {
			`output "x" { value = provider::kalypso::manifest({ kind = "ConfigMap", name = "c", data = { DB_PASSWORD = "hunter2" } }) }`,
			`ConfigMap/c: Credential in data: The value of DB_PASSWORD is a credential, by its name.`,
		},
	})
}

// ignore_credentials turns off the error of the resource. The manifest does not say so: who
// writes YAML must not silence a finding.
func TestConfig_ignoreCredentials(t *testing.T) {
	t.Parallel()
	config := func(data, more string) string {
		return "resource \"kalypso_config\" \"c\" {\n  name = \"c\"\n  data = " + data + "\n  ignore_credentials = " + more + "\n}\n" +
			"output \"manifest\" { value = kalypso_config.c.manifest }\n" +
			"output \"findings\" { value = [for f in provider::kalypso::findings([kalypso_config.c.manifest, kalypso_environment.dev.manifest], " +
			"\"dev\") : f.code if f.severity == \"error\"] }\n" +
			"resource \"kalypso_environment\" \"dev\" {\n  name = \"dev\"\n  control_plane {\n    repo = \"https://example.com/x\"\n    branch = " +
			"\"dev\"\n  }\n}\n" +
			"resource \"terraform_data\" \"later\" { input = \"x\" }\n"
	}
	expectDirectly(t, config(`{ DB_PASSWORD = "see-vault" }`, `["DB_PASSWORD"]`),
		statecheck.ExpectKnownOutputValue("manifest", knownvalue.StringExact(manifest.Encode(&manifest.ConfigMap{
			Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "c", Labels: map[string]string{manifest.LabelPlatformConfig: "true"}},
			Data: map[string]string{"DB_PASSWORD": "see-vault"},
		}))),
		statecheck.ExpectKnownOutputValue("findings", knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("CREDENTIAL")})))
	expectMistakes(t, map[string]mistake{
		"a key that data lacks": {
			config(`{ DB_PASSWORD = "see-vault" }`, `["DB_PASSWORD", "DB_PASWORD"]`),
			`ignore_credentials[1] is "DB_PASWORD", and data has no such key. Did you mean DB_PASSWORD? Remove the key, or correct it.`,
		},
	})
	for _, unknown := range []string{config("terraform_data.later.output", `["A"]`), config(`{ A = "b" }`, "[terraform_data.later.output]")} {
		if told := planDirectly(t, unknown).told(); told != "" {
			t.Errorf("what is not known yet is an error: %s", told)
		}
	}
	planDirectly(t, "").imports("kalypso_config", "kind: ConfigMap\nmetadata: {name: c, labels: {platform-config: \"true\"}}\ndata: "+
		"{DB_PASSWORD: see-vault}\n").
		fails(t, `If the value is not a credential, write ignore_credentials = ["DB_PASSWORD"]. An import cannot set this attribute: create the resource instead.`)
}

// Neither a plan nor an error shows a value that looks like a credential, even if the
// value is known only at apply.
func TestAccCLI_credentialOfConfig(t *testing.T) {
	t.Parallel()
	config := func(value string) string {
		return "provider \"kalypso\" {}\nvariable \"given\" { default = \"hunter2-given\" }\nresource \"terraform_data\" \"x\" { input = " +
			"\"hunter2-later\" }\n" +
			"resource \"kalypso_config\" \"c\" {\n  name = \"c\"\n  data = {\n    DB_PASSWORD = " + value + "\n  }\n}\n"
	}
	for name, test := range map[string]struct{ value, secret, command string }{
		"planned":     {`"${var.given}-x"`, "hunter2-given-x", "plan"},
		"after apply": {"terraform_data.x.output", "kalypso_config.c: Creation complete", "apply -auto-approve"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := newWorkspace(t, config(test.value)).run(strings.Fields(test.command)...)
			if err == nil || !strings.Contains(out, "Credential in data") || strings.Contains(out, test.secret) {
				t.Errorf("want an error without the value, got %v:\n%s", err, out)
			}
		})
	}
}
