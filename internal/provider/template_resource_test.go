// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func templateLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_template.test",
		create: `resource "kalypso_template" "test" {
  name      = "arc-namespace"
  type      = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
  EOT
  ]
}`,
		created: &manifest.Template{
			Meta:      manifest.Meta{Kind: manifest.KindTemplate, Name: "arc-namespace"},
			Type:      manifest.TemplateNamespace,
			Manifests: []string{"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {{ .Namespace }}\n"},
		},
		update: `resource "kalypso_template" "test" {
  name         = "arc-namespace"
  labels       = { owner = "platform" }
  type         = "config"
  content_type = "sh"
  manifests = [
    "{{ range $key, $value := .ConfigData }}export {{ $key }}={{ $value | quote }}\n{{ end }}",
    "echo {{ .Namespace | upper }}",
  ]
}`,
		updated: &manifest.Template{
			Meta:        manifest.Meta{Kind: manifest.KindTemplate, Name: "arc-namespace", Labels: map[string]string{"owner": "platform"}},
			Type:        manifest.TemplateConfig,
			ContentType: manifest.ContentTypeShell,
			Manifests: []string{
				"{{ range $key, $value := .ConfigData }}export {{ $key }}={{ $value | quote }}\n{{ end }}",
				"echo {{ .Namespace | upper }}",
			},
		},
	}
}

func TestTemplate_mistakes(t *testing.T) {
	t.Parallel()
	template := func(attributes string) string {
		return `resource "kalypso_template" "test" {
  name = "flux"
  ` + attributes + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"syntax": {template("type = \"config\"\n manifests = [\"a: b\", \"x: y\\nname: {{ .Namespace }\"]"),
			"manifests[1]: Line 2: "},
		"type":         {template("type = \"policy\"\n manifests = [\"a\"]"), `"reconciler" "namespace" "config"`},
		"content type": {template("type = \"config\"\n content_type = \"bash\"\n manifests = [\"a\"]"), `"yaml" "sh"`},
		"no manifests": {template("type = \"config\"\n manifests = []"), "at least 1 elements"},
	})
}
