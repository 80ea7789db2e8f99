// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"strings"
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
		"{{ .Labels.words }}":                                               nil,
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
			e := testLanguage.NewExecutor()
			e.Begin(t.Context(), Budget{For: "test", Steps: 1000, Output: 1000})
			for range 2 { // the second time with the prepared template
				data := testData{Name: "x", Labels: map[string]string{"words": "<no value>"}, Values: map[string]any{"a": 1}}
				_, _ = e.Execute(p, data)
				got, all := e.Missing(p, 2)
				if diff := cmp.Diff(want, got); diff != "" || all != len(want) {
					t.Errorf("%d in all, (-want +got)\n%s", all, diff)
				}
			}
		})
	}
}

// The message names the first missing values, and counts all of them.
func TestManyMissing(t *testing.T) {
	t.Parallel()
	p, errs := testLanguage.Parse(strings.Repeat("{{ .Labels.none }}", 5))
	if errs != nil {
		t.Fatal(errs)
	}
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: 1000, Output: 1000})
	_, err := e.Execute(p, testData{})
	if first, all := e.Missing(p, 2); err != nil || len(first) != 2 || all != 5 {
		t.Errorf("%v of %d, %v", first, all, err)
	}
}
