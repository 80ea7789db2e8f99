// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import "testing"

// If a template writes a value that does not exist, the message names the first such expression and
// its place.
func TestMissingValues(t *testing.T) {
	t.Parallel()
	const so = `: the value does not exist, or is null, so the output contains "<no value>". Set it, or use default in the template.`
	for name, test := range map[string]struct{ source, want string }{
		"a label by index": {`{{ index .Labels "example.com/tier" }}`, `{{ index .Labels "example.com/tier" }}` + so},
		"a label by get":   {`{{ get .ClusterTypeLabels "tier" }}`, `{{ get .ClusterTypeLabels "tier" }}` + so},
		"of the target's manifests": {"a: b\nc: {{ .Manifests.tag }}\n", "cannot be rendered: line 2, column 7, in {{ .Manifests.tag }}" +
			so},
		"of the cluster type": {"{{ range $k, $v := .Labels }}\n{{ $.ClusterTypeLabels.zone }}{{ end }}", "line 2, column 4, in {{ " +
			"$.ClusterTypeLabels.zone }}" + so},
		"a label with a dot": {"{{ .Labels.example.com }}",
			`in the template. To read a label with a dot in its key, write {{ index .Labels "example.com" }}.`},
		"null": {"{{ .ConfigData.map.none }}", "{{ .ConfigData.map.none }}" + so},
		"a template that changes its data": {"{{ $_ := set .ConfigData \"a\" 1 }}\n{{ .Manifests.tag }}",
			"line 2, column 4, in {{ .Manifests.tag }}" + so},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := renderOne(t, test.source, map[string]any{"map": map[string]any{"none": nil}})
			expectError(t, err, test.want)
		})
	}
}

// quote and squote are Sprig's. They leave out missing values at every position.
func TestQuotesLeaveOutWhatIsMissing(t *testing.T) {
	t.Parallel()
	got, err := renderOne(t, `a: {{ .Labels.none | quote }}{{ squote .Labels.none | trim }}{{ quote .Labels.none "b" }}`, nil)
	if err != nil || got != `a: "b"` {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = renderOne(t, "{{ .Labels.none | toString | quote }}", nil)
	expectError(t, err, "line 1, column 19, in {{ toString }}: error calling toString: the value does not exist, or is null")
}
