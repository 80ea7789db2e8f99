// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"strings"
	"testing"
)

func TestNewReportsEveryTemplate(t *testing.T) {
	t.Parallel()
	f, _ := sample(templateOf("rec", "{{ end }}", "fine", "\n{{ now }}"), templateOf("unused", "{{ if }}"))
	_, err := New(f)
	expectError(t, err,
		"Template/rec (manifests[0], line 7): Manifest 1, line 1: ",
		"Template/rec (manifests[0], line 7): Manifest 3, line 2: the function now",
		"Template/unused (manifests[0], line 7): Manifest 1, line 1: ")
}

func TestExecutionErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source string
		want   []string
	}{
		"misspelled field": {"{{ .Namespac }}", []string{".Namespac does not exist. Did you mean .Namespace? Templates can read"}},
		"unknown field":    {"a\n  {{ .Foo }}", []string{"line 2, column 6", ".Foo does not exist", ".DeploymentTargetName"}},
		"no value":         {"{{ .Labels.none }}", []string{`"<no value>"`}},
		"null":             {"{{ .ConfigData.none }}", []string{`"<no value>"`}},
		"below nothing":    {"{{ (dict \"a\" nil).a.deeper }}", []string{"nil pointer evaluating any.deeper"}},
		"below a text":     {"{{ .ConfigData.text.deeper }}", []string{"evaluate field deeper"}},
		"fail":             {`{{ fail "set REGION" }}`, []string{`in {{ fail "set REGION" }}: error calling fail: set REGION`}},
		"wrong type":       {`{{ upper .ConfigData.list }}`, []string{"expected string"}},
		"in a definition": {"{{ define \"x\" }}\n{{ .Foo }}{{ end }}{{ template \"x\" . }}",
			[]string{"line 2, column 4", ".Foo does not exist"}},
		"index out of range": {"{{ index .ConfigData.list 9 }}", []string{"error calling index", "out of range"}},
		"missing template":   {`{{ template "none" }}`, []string{`template "none" not defined`}},
		"list of nothing":    {"{{ first .ConfigData.none }}", []string{"an argument does not"}},
		"size of nothing":    {`{{ chunk 0 .ConfigData.list }}`, []string{"error calling chunk"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := renderOne(t, c.source, values)
			expectError(t, err, append(c.want, "Template/rec (manifests[0], line 7)", "Manifest 1")...)
			for _, noise := range []string{"executing", "sandbox_", "template: ", "(manifest)", "interface {}"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("%q is in %q", noise, err)
				}
			}
		})
	}
}

func TestAllFailingManifestsAreReported(t *testing.T) {
	t.Parallel()
	_, err := renderFiles(t, values, templateOf("rec", "{{ .A }}", "fine", "{{ .B }}"), templateOf("ns", "{{ .C }}"),
		templateOf("cfg", "{{ .D }}"))
	expectError(t, err, ".A does not", ".B does not", ".C does not", ".D does not", "Manifest 3", "Template/cfg")
}

func TestParseNamesTheLine(t *testing.T) {
	t.Parallel()
	expectError(t, Parse("a\nb: {{ .x"), "line 2: unclosed action")
	if err := Parse("{{ toYaml .ConfigData | unquote | hash | stringify }}"); err != nil {
		t.Error(err)
	}
}
