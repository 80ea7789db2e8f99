// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	l := NewLanguage(testData{}, template.FuncMap{})
	for source, want := range map[string][]Missing{
		"{{ .Name }}":                    nil,
		"{{ index .Labels \"none\" }}":   nil,
		"{{ $x := .Labels.none }}":       nil,
		"{{ if .Labels.none }}{{ end }}": nil,
		"{{ .Labels.none | default 1 }}": nil,
		"{{ not a template":              nil,
		"{{ with .Labels.none | quote }}{{ end }}{{ .Labels.none | quote | default 1 }}{{ quote .Name \"a\" 1 }}": nil,
		"{{ .Labels.none | squote }}{{ quote .Name .Values.none }}":                                               {{1, 4, ".Labels.none | squote"}, {1, 31, "quote .Name .Values.none"}},
		"a\n  {{- .Labels.none -}}":                                         {{2, 7, ".Labels.none"}},
		"{{ range until 3 }}{{ $.Values.none }}{{ end }}{{ .Labels.none }}": {{1, 23, "$.Values.none"}, {1, 51, ".Labels.none"}},
		"{{ .Labels.none }}{{ fail \"x\" }}{{ .Labels.other }}":             {{1, 4, ".Labels.none"}},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			e := l.NewExecutor()
			e.Begin(t.Context(), Budget{For: "test", Steps: 1000, Output: 1000})
			got := e.Missing(source, testData{Name: "x", Labels: map[string]string{"app": "web"}})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if e.meter.missing != nil || e.Exhausted() || len(e.prepared) > 0 {
				t.Errorf("the executor was changed: %+v, %d prepared", e.meter, len(e.prepared))
			}
		})
	}
}

// The search leaves the budget alone, and what it takes is counted.
func TestMissingTakesNothing(t *testing.T) {
	t.Parallel()
	l := NewLanguage(testData{}, template.FuncMap{})
	const source = "{{ .Labels.none }}{{ range until 100 }}{{ end }}{{ .Labels.none }}"
	for steps, want := range map[int]int{10: 1, 2000: 2} {
		e := l.NewExecutor()
		e.Begin(t.Context(), Budget{For: "test", Steps: steps, Output: 100})
		got := e.Missing(source, testData{})
		used, _ := e.Used()
		if len(got) != want || e.Exhausted() || e.meter.missing != nil || e.meter.steps != steps || e.meter.output != 100 || used < min(steps, 500) {
			t.Errorf("%d steps: found %v, used %d, %+v", steps, got, used, e.meter)
		}
	}
}
