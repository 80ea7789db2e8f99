// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"testing"
)

// If a template writes a value that does not exist, the message names the expression, its
// place, and the object that lacks the value.
func TestMissingValues(t *testing.T) {
	t.Parallel()
	const so = `. So the output contains "<no value>". Set what is missing, or use default in the template.`
	for name, test := range map[string]struct{ source, want string }{
		"a label by index": {`{{ index .Labels "example.com/tier" }}`, `{{ index .Labels "example.com/tier" }} has no value, since the ` +
			"deployment target has no label example.com/tier" + so},
		"a label by get": {`{{ get .ClusterTypeLabels "tier" }}`, `{{ get .ClusterTypeLabels "tier" }} has no value, since the cluster type ` +
			"has no label tier" + so},
		"of the target's manifests": {"a: b\nc: {{ .Manifests.tag }}\n", "cannot be rendered: line 2, column 7: {{ .Manifests.tag }} has no " +
			"value, since the deployment target has no tag in its manifests" + so},
		"behind what is fine": {"{{ .Manifests.branch }}{{ .Labels.none | default 1 }}{{ if .Labels.none }}{{ .Labels.none }}{{ end }} " +
			"{{- .Labels.app }}", "{{ .Labels.app }} has no value, since the deployment target has no label app" + so},
		"of the cluster type": {"{{ range $k, $v := .Labels }}\n{{ $.ClusterTypeLabels.zone }}{{ end }}", "line 2, column 4: {{ " +
			"$.ClusterTypeLabels.zone }} has no value, since the cluster type has no label zone" + so},
		"of the configuration": {"{{ .ConfigData.DATABASE }}", "no ConfigMap that applies sets DATABASE, or it is null" + so},
		"null": {"{{ .ConfigData.map.none }}", "no ConfigMap that applies sets map.none, or it is null (a key with a dot needs " +
			`{{ index .ConfigData "map.none" }})` + so},
		"a label with a dot": {"{{ .Labels.example.com }}", "the deployment target has no label example.com (a key with a dot needs " +
			`{{ index .Labels "example.com" }})` + so},
		"anything else": {`{{ define "x" }}{{ . }}{{ end }}{{ template "x" .ConfigData.none }}`, "{{ . }} has no value, since " +
			"the value does not exist, or is null" + so},
		"several": {
			"{{ .Labels.a }}{{ $x := .Labels.none }}{{ .Labels.b }}",
			"line 1, column 4: {{ .Labels.a }} has no value, since the deployment target " +
				"has no label a; column 43: {{ .Labels.b }} has no value, since the deployment target has no label b" + so,
		},
		"a template that changes its data": {"{{ $_ := set .ConfigData \"a\" 1 }}\n{{ .Manifests.tag }}", "line 2, column 4: {{ .Manifests.tag " +
			"}} has no value, since the deployment target has no tag in its manifests" + so},
		"many": {"{{ .Labels.a }}{{ .Labels.b }}{{ .Labels.c }}{{ .Labels.d }}{{ .Labels.e }}",
			"has no label c; and 2 more" + so},
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
	expectError(t, err, "line 1, column 19, in {{ toString }}: toString fails: the value does not exist, or is null")
}
