// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "testing"

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source string
		want   []string
	}{
		"fine":                      {"a: {{ .Namespace | upper }}", nil},
		"empty":                     {"", nil},
		"unclosed action":           {"a\nb: {{ .x", []string{"line 2: unclosed action"}},
		"unclosed in another line":  {"a: {{ .x\n\n", []string{"unclosed action, started in line 1"}},
		"only the start":            {"{{", []string{"line 1: unclosed action"}},
		"unclosed if":               {"{{ if true }}\nx", []string{"line 2: unexpected EOF"}},
		"end without start":         {"x {{ end }}", []string{"line 1: unexpected {{end}}"}},
		"second action of the line": {"\n{{ .a }} {{ .b ) }} {{ .c }}", []string{"line 2: "}},
		"unknown function":          {"a\n  {{ uper .x }}", []string{"line 2: the function uper does not exist; did you mean upper?"}},
		"unknown in a pipe":         {"{{ .x | nothingLikeIt }}", []string{"line 1: the function nothingLikeIt does not exist"}},
		"unknown with trim markers": {"a\n{{- uper .x -}}\nb",
			[]string{"line 2: the function uper does not exist; did you mean upper?"}},
		"misspelled end": {"a\n{{- if .x }}\nb\n{{- edn }}\nc",
			[]string{"line 4: the function edn does not exist; did you mean end?"}},
		"misspelled start": {"{{- rnge .x }}\nb\n{{- end -}}",
			[]string{"line 1: the function rnge does not exist; did you mean range?"}},
		"unknown in a definition": {`{{ define "x" }}{{ (now).Year }}{{ end }}`, []string{"line 1: the function now does not exist: it reads the clock"}},
		"unknown variable":        {"{{ $x }}", []string{"line 1: undefined variable"}},
		"break outside of a loop": {"{{ break }}", []string{"{{break}} outside {{range}}"}},
		"a label with a slash":    {"{{ .Labels.example.com/key }}", []string{"line 1: bad character", `write {{ index .Labels "example.com/key" }}`}},
		"percent signs":           {"%d {{ %s }}", []string{"line 1: "}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := testLanguage.Parse(c.source)
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			expectError(t, err, c.want...)
		})
	}
}
