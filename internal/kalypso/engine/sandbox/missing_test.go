// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]MissingValue{
		"{{ .Name }}":                                                       nil,
		"{{ index .Labels \"none\" }}":                                      nil,
		"{{ $x := .Labels.none }}":                                          nil,
		"{{ if .Labels.none }}{{ end }}":                                    nil,
		"{{ .Labels.none | default 1 }}":                                    nil,
		"{{ .Labels.none | quote }}{{ quote .Name .Values.none }}":          nil,
		"a\n  {{- .Labels.none -}}":                                         {{2, 7, ".Labels.none"}},
		"{{ if .Name }}{{ .Labels.none }}{{ end }}":                         {{1, 18, ".Labels.none"}},
		"{{ range until 3 }}{{ $.Values.none }}{{ end }}{{ .Labels.none }}": {{1, 23, "$.Values.none"}, {1, 51, ".Labels.none"}},
		"{{ define \"x\" }}{{ .none }}{{ end }}{{ template \"x\" .Labels }}": {
			{1, 20, ".none"},
		},
		"{{ $x := 1 }}{{ $x = 2 }}{{ .Labels.none }}":    {{1, 29, ".Labels.none"}},
		"{{ $_ := unset .Values \"a\" }}{{ .Values.a }}": {{1, 33, ".Values.a"}},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			p, errs := testLanguage.Parse(source)
			if errs != nil {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(want, p.Missing(testData{Name: "x", Values: map[string]any{"a": 1}})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
