// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// strangersFleet has a workload that says such texts, and a template that writes them.
func strangersFleet(t *testing.T, template string, texts map[string]string) engine.Input {
	t.Helper()
	var all []string
	for key, text := range texts {
		all = append(all, strconv.QuoteToASCII(key)+": "+strconv.QuoteToASCII(text))
	}
	fleet := strings.Replace(smallFleet, `"name: {{ .DeploymentTargetName }}"`, strconv.QuoteToASCII(template), 1)
	return input([]string{strings.Replace(fleet, "{name: live, environment: prod}",
		"{name: live, environment: prod, manifests: {"+strings.Join(all, ", ")+"}}", 1)})
}

// breakingOut returns the keys of the texts that are found to break out.
func breakingOut(t *testing.T, in engine.Input) (keys []string) {
	t.Helper()
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range foundIn(t, result, true) {
		if f.Code != findings.TextBreaksOut {
			continue
		}
		if !strings.HasPrefix(f.Subject, "DeploymentTarget/app-live/") || f.Severity != findings.SeverityError {
			t.Errorf("%+v", f)
		}
		_, rest, _ := strings.Cut(f.Message, `The text "`)
		key, _, _ := strings.Cut(rest, `" among the manifests of deployment target app-live `)
		keys = append(keys, key)
	}
	return keys
}

// For any template, no text of a workload adds lines or actions to the output.
func TestTextsThatNoTemplateMayWrite(t *testing.T) {
	t.Parallel()
	for _, breaker := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029", "\x00", "\t", "\x1b", "\u009b", "\ufeff", "{{"} {
		for _, texts := range []map[string]string{{"a": breaker}, {"a": "b" + breaker + "c"}, {"a": "b" + breaker}} {
			if got := breakingOut(t, strangersFleet(t, "b: c", texts)); !slices.Equal(got, []string{"a"}) {
				t.Errorf("%q: %q", texts, got)
			}
		}
		if got := breakingOut(t, strangersFleet(t, "b: c", map[string]string{"a" + breaker: "b"})); len(got) != 1 {
			t.Errorf("%q in a key: %q", breaker, got)
		}
	}
	if got := breakingOut(t, strangersFleet(t, "b: c", map[string]string{"a": "b", "é ü": "{a: [größe, ' ', \"\\\", 1]}"})); got != nil {
		t.Errorf("%q", got)
	}
}

// The position at which a template writes a text decides what the text ends.
func TestTextsThatEndTheirScalar(t *testing.T) {
	t.Parallel()
	const slug = `name: {{ regexReplaceAll "[^a-z0-9]+" .Manifests.a "-" | trimAll "-" }}` + "\n"
	const checked = `{{ if not (regexMatch "^[a-z]+$" .Manifests.a) }}{{ fail "no" }}{{ end }}a: {{ .Manifests.a }}`
	for _, test := range []struct {
		template, text string
		breaks         bool
	}{
		{"a: {{ .Manifests.a }}", "b c", false},
		{"a: {{ .Manifests.a }}", "b: c", true},
		{"a: {{ .Manifests.a }}", "b #c", true},
		{"a: {{ .Manifests.a }}", "b, c} it's \"d\"", false},
		{"a: {{ .Manifests.a }}", "&b c", true},
		{"a: {{ .Manifests.a }}", "*b", true},
		{"a: {{ .Manifests.a }}", "!!int 1", true},
		{"a: {{ .Manifests.a }}", "- b", true},
		{"a: {{ .Manifests.a }}", "|", true},
		{"a: {{ .Manifests.a }}", `*a", b: 'c' }] #d`, true}, // no YAML, whatever one of them is
		{"a: ./{{ .Manifests.a }}", "*b", false},
		{"a: {{ .Manifests.a }}", "true", false},
		{"a: {{ .Manifests.a }}", "-7", false},
		{"a: {{ .Manifests.a }}", "~", false},
		{"a: {{ .Manifests.a }}", "", false},
		{"a: '{{ .Manifests.a }}'", "b' #", true},
		{"a: '{{ .Manifests.a }}'", `b: "c" #d, {e}`, false},
		{`a: "{{ .Manifests.a }}"`, `b" #`, true},
		{`a: "{{ .Manifests.a }}"`, "b: it's #d, {e}", false},
		{`{a: "{{ .Manifests.a }}", b: "c"}`, `d", admin: "e`, true},
		{`{a: "{{ .Manifests.a }}", b: "c"}`, `d\`, true},
		{"{a: {{ .Manifests.a }}, b: c}", "d, admin: e", true},
		{"{a: {{ .Manifests.a }}, role: view\n}", "b, role: edit #", true}, // as many keys
		{"{a: {{ .Manifests.a }}, b: c}", "d}", true},
		{"{{ .Manifests.a }}: b", "c: d #", true},
		{"# {{ .Manifests.a }}\na: b", "c: d #e", false},
		{"a: |\n  {{ .Manifests.a }}\n", "b: c #d", false},
		{"a: {{ upper .Manifests.a }}", "b: c", true},
		{"a: {{ .Manifests.a | trunc 10 }}", "b: c", true},
		{"a: b{{ if contains \":\" .Manifests.a }}\nc: {{ .Manifests.a }}{{ end }}", "d #e: f", true},
		{"{{ .Manifests | toJson }}", "b: c, \"d\" #", false},
		{"a: {{ quote .Manifests.a }}", `b: "c", 'd\' } #`, false},
		{"a: {{ squote .Manifests.a }}", `b: "c", d\ } #`, false},
		{"a: {{ toYaml .Manifests.a }}", "b: c", false},
		{"a: {{ .Manifests.a | b64enc }}", "b: c, d #", false},
		{"a: {{ .Manifests.a | sha256sum }}", "b: c, d #", false},
		{"a: {{ .Manifests.a | replace \": \" \"-\" }}", "b: c", false},
		{"a: {{ .Manifests.a | replace \": \" \"-\" }}", "b: c #d", true},
		{"{{ range splitList \",\" .Manifests.a }}\n- {{ . | quote }}{{ end }}", "b,c: d", false},
		{"{{ range splitList \",\" .Manifests.a }}\n- {{ . }}{{ end }}", "b,c", false},
		{"{{ range splitList \",\" .Manifests.a }}\n- {{ . }}{{ end }}", "b,c: d", true},
		{"a: {{ quote .Manifests.a }}\nb: [{{ .Manifests.a }}]", `c, "d"`, true},
		{"a: {{ index (splitList \": \" .Manifests.a) 1 }}", "b: c", false},
		{"a: {{ index (splitList \": \" .Manifests.a) 1 }}", "b: c #", true},
		{"a: {{ (fromJson .Manifests.a).b | quote }}", `{"b": "c: d"}`, false},
		// The file also has the text in a form of another length.
		{slug + "x: {a: {{ .Manifests.a }}, b: c}", "d, admin: e", true},
		{slug + "path: {{ .Manifests.a }}", "{p: q, admin: [e, f]}", true},
		{slug + "x:\n- {{ .Manifests.a }}", "p: q", true},
		{slug + "a: {{ .Manifests.a }}", "&b c", true},
		{slug + "a: {{ quote .Manifests.a }}", "&b: c, [d]", false},
		{"url: http://ui/{{ urlquery .Manifests.a }}\nx: {a: {{ .Manifests.a }}, b: c}", "d, admin: e", true},
		{"x: {{ quote .Manifests.a }}\ny: [\"{{ .Manifests.a }}\", \"z\"]", `b\`, true},
		{"a: [{{ range splitList \",\" .Manifests.a }}{{ . | quote }}, {{ end }}]", "b,c", true}, // as if the text had added it
		{checked, "main", false},
		{"a: {{ .Workload }}", "b: c", false},
	} {
		want := []string{"a"}
		if !test.breaks {
			want = nil
		}
		if got := breakingOut(t, strangersFleet(t, test.template, map[string]string{"a": test.text})); !slices.Equal(got, want) {
			t.Errorf("%q in %q: %q, want %q", test.text, test.template, got, want)
		}
	}
	for key, want := range map[string][]string{"it's": nil, "a: b": {"a: b"}} {
		if got := breakingOut(t, strangersFleet(t, "a: b\n{{ range $k, $v := .Manifests }}{{ $k }}: {{ $v }}\n{{ end }}",
			map[string]string{key: "c"})); !slices.Equal(got, want) {
			t.Errorf("the key %q: %q, want %q", key, got, want)
		}
	}
	if _, err := engine.Compute(t.Context(), strangersFleet(t, checked, map[string]string{"a": "b: c"})); err == nil ||
		!strings.Contains(err.Error(), "fail fails: no") {
		t.Errorf("a template that looks at a text refuses it: %v", err)
	}
}

// The finding says who has to change which object.
func TestTextsThatEndTheirScalarAreNamed(t *testing.T) {
	t.Parallel()
	result, err := engine.Compute(t.Context(), strangersFleet(t, "a: {{ .Manifests.path }}",
		map[string]string{"path": "b: c", "repo": "d: e"}))
	if err != nil {
		t.Fatal(err)
	}
	got := findings.Report(slices.DeleteFunc(foundIn(t, result, true), func(f findings.Finding) bool {
		return f.Code != findings.TextBreaksOut
	}))
	const want = "- TEXT_BREAKS_OUT DeploymentTarget/app-live/path: The text \"path\" among the manifests of deployment target app-live " +
		"ends the YAML value that a template writes it into, " +
		"so that the workload may add keys and objects of its own: edge/app-live/reconciler.yaml. Have the template write it by quote, or hold " +
		"it to the characters that it needs (regexMatch, fail), or change the text."
	if strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Names and labels cannot contain a text that ends a scalar.
func TestNamesAndLabelsEndNoScalar(t *testing.T) {
	t.Parallel()
	for what, replaced := range map[string][2]string{
		"a target": {"{name: live,", `{name: "a: b",`}, "a workload": {"{name: app,", `{name: "a\nb",`},
		"a workspace":   {"workspace: team", `workspace: "a: b"`},
		"a label":       {"environment: prod}", `environment: prod, labels: {a: "b: c"}}`},
		"a label's key": {"environment: prod}", `environment: prod, labels: {"a: b": c}}`},
	} {
		fleet := strings.Replace(smallFleet, replaced[0], replaced[1], 1)
		if _, err := engine.Compute(t.Context(), input([]string{fleet})); fleet == smallFleet || err == nil ||
			!strings.Contains(err.Error(), "Invalid ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Texts are probed together, and one by one if that shows something.
func TestTextsTogether(t *testing.T) {
	t.Parallel()
	const each = `{{ range $k, $v := .Manifests }}{{ $k }}: {{ $v }}` + "\n{{ end }}"
	for _, test := range []struct {
		template string
		texts    map[string]string
		want     []string
	}{
		{each, map[string]string{"a": "b #c", "d": "e, f", "g": "h #i"}, []string{"a", "g"}},
		{each, map[string]string{"a": "b #c", "d": "[e"}, []string{"a", "d"}},
		{each, map[string]string{"a #b": "c"}, []string{"a #b"}},
		// A template that refuses the letters in one text says nothing about others.
		{`{{ if not (contains ":" .Manifests.a) }}{{ fail "no" }}{{ end }}b: {{ .Manifests.b }}`, map[string]string{"a": "c: d", "b": "{e: f}"},
			[]string{"b"}},
		{`{{ if contains "," .Manifests.a | ne (contains "," .Manifests.b) }}{{ fail "no" }}{{ end }}a: [{{ .Manifests.a }}]`,
			map[string]string{"a": "d, e", "b": "f, g"}, []string{"a", "b"}},
		// Only both together show it.
		{`a: {{ if or (contains "," .Manifests.a) (contains "," .Manifests.b) }}[b, c]{{ else }}b{{ end }}`,
			map[string]string{"a": "d, e", "b": "f, g"}, []string{"a", "b"}},
	} {
		if got := breakingOut(t, strangersFleet(t, test.template, test.texts)); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q: %q, want %q", test.texts, test.template, got, test.want)
		}
	}
}

// Where many of very many texts break out, all that have the character are named: to find
// out which would take long.
func TestVeryManyTexts(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for i := range 500 {
		texts[fmt.Sprintf("k%03d", i)] = "a #b"
	}
	const template = `{{ range $k, $v := .Manifests }}{{ if %s }}{{ $k }}: %s{{ end }}` + "\n{{ end }}"
	for _, test := range []struct {
		only, written string
		least, most   int
	}{
		{`has $k (list "k007" "k300")`, "{{ $v }}", 2, 2},
		{`ne $k "k007"`, "{{ quote $v }}", 0, 0},
		{`ne $k "k007"`, "{{ $v }}", 499, 499},
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		// nobody knows of those that were not looked at
		{`ne $k "k007"`, `{{ if contains "x" $v }}{{ fail "no" }}{{ end }}{{ quote $v }}`, 300, 499}, // nobody knows of those that were not looked at
	} {
		if got := breakingOut(t, strangersFleet(t, fmt.Sprintf(template, test.only, test.written), texts)); len(got) < test.least ||
			len(got) > test.most {
			t.Errorf("%s: %d texts, want %d to %d", test.written, len(got), test.least, test.most)
		}
	}
}

// To silence one text silences no other one.
func TestTextsAreSilencedOneByOne(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 100)
	result, err := engine.Compute(t.Context(), strangersFleet(t, "a: {{ .Manifests.a }}",
		map[string]string{"a": "b #c", "d\n": "e", "f/g": "h\n", long: "\n"}))
	if err != nil {
		t.Fatal(err)
	}
	const target = "TEXT_BREAKS_OUT:DeploymentTarget/app-live"
	for rule, want := range map[string]int{
		target + "/a": 3, target + `/d\n`: 3, target + "/f/g": 3, fmt.Sprintf("%s/sha256-%x", target, sha256.Sum256([]byte(long))): 3, target: 4,
		target + "/f": 4,
	} {
		if err := findings.CheckRule(rule); err != nil {
			t.Error(err)
		}
		kept, _ := findings.Rules{Ignore: []string{rule}}.Apply(result.Fleet, foundIn(t, result, true))
		kept = slices.DeleteFunc(kept, func(f findings.Finding) bool { return f.Code != findings.TextBreaksOut })
		if len(kept) != want {
			t.Errorf("%s leaves %+v", rule, kept)
		}
	}
}

// If no text is suspect, nothing is rendered for it. If some are, their renderings count
// separately: once for each character, no matter how many texts have it. The fleet's own
// renderings are within their bounds.
func TestSuspectsCount(t *testing.T) {
	t.Parallel()
	// Fourteen million steps, which take no time, in each of 21 assignments.
	const work = `a: {{ toJson .Manifests }}{{ trimAll (repeat 800000 "x") (repeat 70000 "y") | trunc 0 }}`
	fleet := func(text string) engine.Input {
		texts := map[string]string{}
		for i := range 100 {
			texts[fmt.Sprintf("k%d", i)] = text
		}
		in := strangersFleet(t, work, texts)
		for i := range 20 {
			in.Manifests[0].Text += fmt.Sprintf("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterType\nmetadata: {name: edge-%d, "+
				"labels: {tier: edge}}\nspec: {reconciler: t, namespaceService: ns}\n", i)
		}
		return in
	}
	for _, within := range []string{"b", "b: c"} {
		if _, err := engine.Compute(t.Context(), fleet(within)); err != nil {
			t.Error(err)
		}
	}
	_, err := engine.Compute(t.Context(), fleet("b: c #d"))
	for _, part := range []string{"takes more than 500000000 steps in all packages of the workspace \"team\" together",
		"fewer and shorter texts", "21 assignments"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
}
