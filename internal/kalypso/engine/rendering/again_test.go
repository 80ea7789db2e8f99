// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import "testing"

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
	expectError(t, err, "output of rendering 1", "line 1: ", "function now does not exist")
	_, err = renderOne(t, "x: {{ .ConfigData.v }}", map[string]any{"v": "{{ fail \"stop\" }}"})
	expectError(t, err, "in the output of rendering 1, line 1, column 7", "stop")
}
