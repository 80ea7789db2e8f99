// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"{{ .Name }}":                                                        "the value",
		"{{ index .Labels \"none\" }}":                                       "the value",
		"{{ $x := .Labels.none }}":                                           "the value",
		"{{ if .Labels.none }}{{ end }}":                                     "the value",
		"{{ .Labels.none | default 1 }}":                                     "the value",
		"{{ .Labels.none | quote }}{{ quote .Name .Values.none }}":           "the value",
		"a\n  {{- .Labels.none -}}":                                          "line 2, column 7, in {{ .Labels.none }}: the value",
		"{{ if .Name }}{{ .Labels.none }}{{ end }}":                          "line 1, column 18, in {{ .Labels.none }}: the value",
		"{{ range until 3 }}{{ $.Values.none }}{{ end }}{{ .Labels.none }}":  "line 1, column 23, in {{ $.Values.none }}: the value",
		"{{ define \"x\" }}{{ .none }}{{ end }}{{ template \"x\" .Labels }}": "line 1, column 20, in {{ .none }}: the value",
		"{{ $x := 1 }}{{ $x = 2 }}{{ .Labels.none }}":                        "line 1, column 29, in {{ .Labels.none }}: the value",
		"{{ $_ := unset .Values \"a\" }}{{ .Values.a }}":                     "line 1, column 33, in {{ .Values.a }}: the value",
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			p, err := testLanguage.Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			err = p.Missing(testData{Name: "x", Values: map[string]any{"a": 1}})
			expectError(t, err, want+" does not exist, or is null, so the output contains")
			if !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %q, want the beginning %q", err, want)
			}
		})
	}
}
