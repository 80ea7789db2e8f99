// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// templateFleet has a template, from line 6 on, in the place of the placeholder REC.
//
//go:embed testdata/template-lines.yaml
var templateFleet string

// An error of a template names the line of the file, where a line of the template is one.
func TestErrorsNameTheLineOfATemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ template, want string }{
		"syntax": {"  - a: b\n  - |\n    c: d\n    e: {{ .Namespace }\n    f: g", "Invalid template in Template/rec " +
			"(fleet/t.yaml:10, manifests[0]): Manifest 2, line 2"},
		"execution": {"  # a comment\n  - |-\n\n    c: d\n    e: {{ .Namespaze }}", "Template failed in Template/rec " +
			"(fleet/t.yaml:11, manifests[0]): Manifest 1 cannot be rendered: line 3"},
		"no value": {"  - |\n    c: d\n    e: {{ .Manifests.branch }}\n    f: {{ .Labels.none }}",
			"Template failed in Template/rec (fleet/t.yaml:9, manifests[0]): Manifest 1 cannot be rendered: line 2, column 7, in {{ " +
				".Manifests.branch }}: the value does not exist"},
		"no value, later": {"  - |\n    a: b\n    {{ .ConfigData.none }}", "(fleet/t.yaml:8, manifests[0]): Manifest 1 cannot be rendered: " +
			"in the output of rendering 1, line 4, column 4, in {{ .Labels.lost }}: the value"},
		"no value, changed": {"  - |\n    {{ $_ := set .ConfigData \"a\" 1 }}\n    e: {{ .Manifests.branch }}",
			"(fleet/t.yaml:9, manifests[0]): Manifest 1 cannot be rendered: line 2, column 7, in {{ .Manifests.branch }}: the value"},
		"a text of one line": {"  - a\n  - \"{{ .Namespaze }}\"", "Template/rec (fleet/t.yaml:8, manifests[0]): Manifest 2"},
		"lines that are joined": {"  - >\n    a: b\n\n    c: {{ .Namespaze }}",
			"Template/rec (fleet/t.yaml:1, manifests[0]): Manifest 1 cannot " +
				"be rendered: line 2"},
		"an object": {"  - a: b\n    c: '{{ .Namespaze }}'", "Template/rec (fleet/t.yaml:1, manifests[0]): Manifest 1 cannot be " +
			"rendered: line 2"},
		"a later rendering": {"  - |\n    a: b\n    {{ .ConfigData.more }}", "Template/rec (fleet/t.yaml:8, manifests[0]): Manifest 1 cannot " +
			"be rendered: in the output of rendering 1, line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := manifest.OfFile("fleet/t.yaml", strings.Replace(templateFleet, "REC", test.template, 1))
			_, err := engine.Compute(t.Context(), engine.Input{Environment: "prod", Manifests: []manifest.Text{{Name: "manifests[0]", Text: text}}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
