// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

// inert returns the inert forms of a text, by their characters.
func inert(text string) (all []string) {
	forms := output.Inert(text)
	for _, c := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, forms[c])
	}
	return all
}

func TestInert(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, "./functional-test": nil, "https://git.example/a/b&e=f": nil, "git@git.example:a/b.git": nil, "feature/a#1": nil, "größe": nil,
		"a - b": nil, " a": nil, " ": nil,
		"it's": {"itxs"}, `a "b"`: {"a xbx"}, "a, b": {"ax b"}, "a: b": {"ax b"}, "a:": {"ax"}, "a #b": {"a xb"}, "#a": {"xa"},
		"- a - b": {"x a - b"}, "*a": {"xa"}, " &a": {" xa"},
		"|": {"x"}, "[a]": {"xa]", "[ax"}, `a\`: {"ax"}, "a\nb": {"axb"}, "a\x07b": {"axb"}, "a\u2028b\u0085": {"axxxbxx"},
		`a", b: "c", d: e`: {`ax, b: xcx, d: e`, `a"x b: "c"x d: e`, `a", bx "c", dx e`},
	} {
		if got := inert(text); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Whether a text ends its scalar depends on its position.
func TestCompare(t *testing.T) {
	t.Parallel()
	const plain, double, single, flow, comment, block = "a: %s\nb: c\n", "a: \"%s\"\nb: c\n", "a: '%s'\nb: c\n", "{a: %s, b: c}\n",
		"# %s\na: b\n", "a: |\n  line\n  %s\n  line\n"
	for _, test := range []struct {
		text string
		ends []string
	}{
		{"dev", nil},
		{"it's", []string{single}},
		{`a "b"`, []string{double}},
		{"a, b", []string{flow}},
		{"a: b", []string{plain, flow}},
		{"a #b", []string{plain, flow}},
		{`a", b: "x`, []string{plain, double, flow}},
		{"*a", []string{plain, flow}},
		{`a\`, []string{double}},
		{"a}", []string{flow}},
		{"a, b: admin #", []string{plain, flow}},
		{`a" #`, []string{plain, double, flow}},
		{"&a b", []string{plain, flow}},
		{"!!binary YQ==", []string{plain, flow}},
		{" - a", []string{plain, flow}},
		{"[a", []string{plain, flow}},
		{"# a", []string{plain, flow}},
		{"a\nb: admin", []string{plain, double, single, flow, comment, block}},
	} {
		for _, place := range []string{plain, double, single, flow, comment, block} {
			ends := slices.ContainsFunc(inert(test.text), func(inert string) bool {
				return output.Compare(fmt.Appendf(nil, place, test.text), fmt.Appendf(nil, place, inert)) != output.Same
			})
			if want := strings.Contains(strings.Join(test.ends, "\x00"), place); ends != want {
				t.Errorf("%q in %q: %v, want %v", test.text, place, ends, want)
			}
		}
	}
	large := "[" + strings.Repeat("a,", 600_000) + "]"
	for _, test := range []struct {
		text, inert string
		want        output.Sameness
	}{
		{"a: b", "a: c", output.Same},  // for example a hash of the text
		{"a: b", "a:  b", output.Same}, // of another length: the template looks at the text
		{"a: 'b: c'\nd: e", "a: bx c\nd: e", output.Same},
		{"a: {b: c}\nd: e-", "a: xb: c}\nd: e", output.Different},
		{"a: {b: c}\nd: e-", "a: b\nd: e", output.Different},
		{"{a: b, c: d}\n", "{a: bx c: d}", output.Different},
		{"{a: b, c: d}", "{a: b, e: d}\n", output.Different},
		{"{a: b, 'c \"': d}", "{a: b, c x: d}", output.Same},
		{"{a: b, cd: e}", "{a: b, c: e}", output.Different},
		{"a: &b c\n", "a: xb c", output.Different},
		{"a: !!int 1\n", "a: x!int 1", output.Different},
		{"a: {}\n", "a:\n  b: c", output.Different},
		{"a: {b: c}\n\n", "a:\n  b: c", output.Different},
		{"- a\n- b\n- c", "- axbxc", output.Same}, // splitList
		{"- a\n- {b: c}", "- axb", output.Different},
		{"[a, b]\n", "[axb]", output.Different},
		{"- a\n", "- a\n- b\n", output.Different},
		{"a: b\nc: d\n", "a: b", output.Different},
		{"a: b\n---\nc: d\n", "a: b\n", output.Different},
		{"a: ]", "a: ]", output.Same},
		{"a: ], b", "a: ]x b", output.Incomparable},
		{"a: ]", "a: x", output.Different},
		{"a: &a b", "a: &x b", output.Different},
		{"v: |\n  a: {b: c, d: e}\n  f: g\n", "v: |\n  a: {b: cx d: e}\n  f: g\n", output.Different}, // Helm's values
		{"v: |\n  a: b\n  c: d\n", "v: |\n  a: x\n  c: d\n", output.Same},
		{"v: |\n  a: {b\n  c: d\n", "v: |\n  a: xb\n  c: d\n", output.Different},
		{"v: |\n  echo a, b\n  exit\n", "v: |\n  echo ax b\n  exit\n", output.Same}, // a script
		{large, large, output.Same},
		{large, strings.Replace(large, "a", "x", 1), output.Incomparable},
	} {
		if got := output.Compare([]byte(test.text), []byte(test.inert)); got != test.want {
			t.Errorf("%.40q and %.40q: %v", test.text, test.inert, got)
		}
	}
}

// FuzzInert writes texts in all positions. A text without inert forms must mean the same as
// letters there.
func FuzzInert(f *testing.F) {
	for _, text := range []string{"", "./a", "a: b", "a #b", "*a", "'a'", `"a"`, "a, b", "{a}", "---", "? a", `a\"b`,
		"https://git.example/a?b=c&d", "<<", "=", "0x1", "%a", "a:b", ":a", "-a", "@a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		isOther := func(r rune) bool { return r < ' ' || r > '~' || r == '\'' || r == '\\' } // their written form has another length
		if output.Inert(text) != nil || strings.ContainsFunc(text, isOther) || strings.TrimSpace(text) != text {
			return
		}
		for _, place := range []string{"a: %s\nb: c\n", "a: './%s/'\nb: c\n", "{a: %s, b: [%s]}\n", "- %s\n- # %s\n- a\n",
			"a: |\n  %s\nb: >-\n  %s\n", "a: ./%s/b\n", "a: \"%s\"\n"} {
			written, letters := strings.ReplaceAll(place, "%s", text), strings.ReplaceAll(place, "%s", strings.Repeat("x", len(text)))
			if output.Compare([]byte(written), []byte(letters)) != output.Same {
				t.Errorf("%q says something else than %q", written, letters)
			}
		}
	})
}
