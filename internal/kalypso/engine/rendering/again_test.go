// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func TestRenderedAgain(t *testing.T) {
	t.Parallel()
	got, err := renderOne(t, "ns: {{ .ConfigData.inner }}", map[string]any{"inner": "{{ .Namespace }}/{{ .ConfigData.other }}",
		"other": "{{ upper .Workload }}"})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, "ns: dev-large-shop-live/SHOP")

	nested := func(levels int) map[string]any {
		values := map[string]any{"v0": "end"}
		for i := range levels {
			values["v"+string(rune('1'+i))] = "{{ .ConfigData.v" + string(rune('0'+i)) + " }}"
		}
		return values
	}
	if got, err = renderOne(t, "{{ .ConfigData.v7 }}", nested(7)); err != nil || got != "end" {
		t.Errorf("8 renderings: %q, %v", got, err)
	}
	_, err = renderOne(t, "{{ .ConfigData.v8 }}", nested(8))
	expectError(t, err, "Template/rec", "Manifest 1", "after 8 renderings")
	_, err = renderOne(t, "x: {{ .ConfigData.v }}", map[string]any{"v": "{{ .ConfigData.v }}"})
	expectError(t, err, "after 8 renderings")
	_, err = renderOne(t, "x: {{ .ConfigData.v }}", map[string]any{"v": "{{ now }}"})
	expectError(t, err, "output of rendering 1", "line 1, column 7", "function now does not exist")
	_, err = renderOne(t, "x: {{ .ConfigData.v }}", map[string]any{"v": "{{ fail \"stop\" }}"})
	expectError(t, err, "in the output of rendering 1, line 1, column 7", "stop")
}

// An error in a template that comes from a ConfigMap names the ConfigMap, because you fix
// the template there.
func TestRenderedAgainNamesTheConfigMap(t *testing.T) {
	t.Parallel()
	settings := map[string]string{
		"good": "{{ .Namespace }}", "bad": "x {{ now }}", "fails": "{{ fail \"stop\" }}", "endless": "{{ .ConfigData.endless }}",
		"nothing": "{{ .Labels.none }}", "deep": "list: [{text: '{{ .Foo }}'}]", "lines": "|\n  a\n  b: {{ end }}\n", "plain": "now",
	}
	cases := map[string]struct{ source, want string }{
		"a function that does not exist": {"a: {{ .ConfigData.good }}\nb: {{ .ConfigData.bad }}", "function now does not exist: it reads the " +
			"clock or the time zone, so plan and apply would render different bytes (the template comes from the value bad of " +
			"ConfigMap/settings, good of ConfigMap/settings)."},
		"a failure": {"a: {{ .ConfigData.good }}\nb: {{ .ConfigData.fails }}", "stop (the template comes from the value " +
			"fails of ConfigMap/settings, good of ConfigMap/settings)."},
		"without end": {"{{ .ConfigData.endless }}", "would never end (the template comes from the value endless of " +
			"ConfigMap/settings)."},
		"no value": {"{{ .ConfigData.nothing }}", "{{ .Labels.none }} has no value, since the deployment target has no " +
			"label none. So the output contains \"<no value>\". Set what is missing, or use default in the template (the template comes from the " +
			"value nothing of ConfigMap/settings)."},
		"below": {"{{ toYaml .ConfigData.deep }}", "(the template comes from the value deep.list[0].text of " +
			"ConfigMap/settings)."},
		"in a text of several lines": {"{{ .ConfigData.lines | indent 8 }}", "(the template comes from the value lines of " +
			"ConfigMap/settings)."},
		"two in a line": {"{{ .ConfigData.good }} {{ .ConfigData.fails }}", "(the template comes from the value fails of " +
			"ConfigMap/settings, good of ConfigMap/settings)."},
		"the template's own mistake": {"{{ .ConfigData.plain }} {{ \"{{ now }}\" }}", "would render different bytes."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, a := sample(templateOf("rec", c.source))
			f.ConfigMaps = []*manifest.ConfigMap{{
				Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: "settings", Labels: map[string]string{manifest.LabelPlatformConfig: "true"}},
				Data: settings,
			}}
			r, err := New(f)
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Render(t.Context(), a, composition.New(f).Compose(a))
			expectError(t, err, c.want)
		})
	}
}
