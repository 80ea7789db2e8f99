// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
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
		"credentials": {
			config(`null`, "{ A_TOKEN = \"hunter2\", DB_PASSWORD = \"hunter3\", SMTP_PASSWORD = \"hunter4\" }\n  ignore_credentials = [\"A_TOKEN\"]"),
			"The value of DB_PASSWORD is a credential, by its name. The value of SMTP_PASSWORD is a credential, by its name.",
		},
		"credential of an object": {
			`output "x" { value = provider::kalypso::manifest({ kind = "ConfigMap", name = "c", data = { DB_PASSWORD = "hunter2" } }) }`,
			`ConfigMap/c: Credential in data: The value of DB_PASSWORD is a credential, by its name.`,
		},
	})
}

// silencedConfigLifecycle is a false alarm that is silenced where it is; the manifest says so
// to everybody.
func silencedConfigLifecycle() lifecycle {
	config := func(more string) string {
		return "resource \"kalypso_config\" \"test\" {\n  name = \"c\"\n  data = { MAX_TOKEN = \"4096\", B_KEY = \"https://example.com\" }\n" + more + "}\n"
	}
	object := func(keys ...string) *manifest.ConfigMap {
		return &manifest.ConfigMap{
			Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "c", Labels: map[string]string{"platform-config": "true"}},
			Data: map[string]string{"MAX_TOKEN": "4096", "B_KEY": "https://example.com"}, IgnoreCredentials: keys,
		}
	}
	return lifecycle{
		address: "kalypso_config.test",
		create:  config("  ignore_credentials = [\"MAX_TOKEN\"]\n"),
		created: object("MAX_TOKEN"),
		imported: "kind: ConfigMap\nmetadata:\n  name: c\n  labels: {platform-config: \"true\"}\n  annotations: {kalypso-gitops.io/ignore-credentials: MAX_TOKEN}\n" +
			"data: {MAX_TOKEN: \"4096\", B_KEY: \"https://example.com\"}\n",
		update:  config("  ignore_credentials = [\"MAX_TOKEN\", \"B_KEY\"]\n"),
		updated: object("MAX_TOKEN", "B_KEY"),
	}
}

// Neither a plan nor an error shows what looks like a credential, also where the value is
// known only at apply.
func TestAccCLI_credentialOfConfig(t *testing.T) {
	t.Parallel()
	config := func(value string) string {
		return "provider \"kalypso\" {}\nvariable \"given\" { default = \"hunter2-given\" }\nresource \"terraform_data\" \"x\" { input = \"hunter2-later\" }\n" +
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
