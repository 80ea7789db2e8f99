// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"testing"
)

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source string
		want   []string
	}{
		"fine":                      {"a: {{ .Namespace | upper }}", nil},
		"empty":                     {"", nil},
		"unclosed action":           {"a\nb: {{ .x", []string{"line 2, column 4: unclosed action"}},
		"unclosed in another line":  {"a: {{ .x\n\n", []string{"unclosed action, started in line 1"}},
		"only the start":            {"{{", []string{"line 1, column 1: unclosed action"}},
		"unclosed if":               {"{{ if true }}\nx", []string{"line 2: unexpected EOF"}},
		"end without start":         {"x {{ end }}", []string{"line 1, column 3: unexpected {{end}}"}},
		"second action of the line": {"\n{{ .a }} {{ .b ) }} {{ .c }}", []string{"line 2: "}},
		"unknown function":          {"a\n  {{ uper .x }}", []string{"line 2, column 6: the function uper does not exist; did you mean upper?"}},
		"unknown in a pipe":         {"{{ .x | nothingLikeIt }}", []string{"line 1, column 9: the function nothingLikeIt does not exist"}},
		"all unknown ones": {"{{ aaaaaaaa }}\n{{ if bbbbbbbb }}{{ end }}",
			[]string{"aaaaaaaa", "line 2, column 7: the function bbbbbbbb does not exist"}},
		"unknown with trim markers": {"a\n{{- uper .x -}}\nb",
			[]string{"line 2, column 5: the function uper does not exist; did you mean upper?"}},
		"misspelled end": {"a\n{{- if .x }}\nb\n{{- edn }}\nc",
			[]string{"line 4, column 5: the function edn does not exist; did you mean end?"}},
		"misspelled start": {"{{- rnge .x }}\nb\n{{- end -}}",
			[]string{"line 1, column 5: the function rnge does not exist; did you mean range?"}},
		"two misspelled ends": {"{{ if .x }}{{ if .y }}\n{{ ned }}\n{{ enf }}",
			[]string{"line 2, column 4: the function ned", "line 3, column 4: the function enf"}},
		"more than misspelled":    {"{{ if .x }}{{ edn }}\n{{ if .y }}", []string{"line 2, column 1: unexpected EOF"}},
		"unknown in a definition": {`{{ define "x" }}{{ (now).Year }}{{ end }}`, []string{"column 21", "now"}},
		"unknown variable":        {"{{ $x }}", []string{"line 1, column 1: undefined variable"}},
		"break outside of a loop": {"{{ break }}", []string{"{{break}} outside {{range}}"}},
		"a label with a slash":    {"{{ .Labels.example.com/key }}", []string{"line 1, column 1: bad character", `write {{ index .Labels "example.com/key" }}`}},
		"percent signs":           {"%d {{ %s }}", []string{"line 1, column 4"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := testLanguage.Parse(c.source)
			if c.want == nil {
				if errs != nil {
					t.Error(errs)
				}
				return
			}
			expectError(t, errors.Join(asErrors(errs)...), c.want...)
		})
	}
}
