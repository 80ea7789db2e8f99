// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "./functional-test": "./functional-test", "https://git.example/a/b&e=f": "https://git.example/a/b&e=f",
		"git@git.example:a/b.git": "git@git.example:a/b.git", "feature/a#1": "feature/a#1", "größe": "größe", "a - b": "a - b",
		"it's": "itxs", `a "b"`: "a xbx", "a, b": "ax b", "a: b": "ax b", "a:": "ax", "a #b": "a xb", "#a": "xa", "- a": "x a", "*a": "xa", "&a": "xa",
		"|": "x", "[a]": "xax", `a\`: "ax", "a\nb": "axb", "a\x07b": "axb",
	} {
		if got := output.Inert(text); got != want || output.Inert(got) != got {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Where a text is written decides whether it ends its scalar.
func TestSaysSame(t *testing.T) {
	t.Parallel()
	const plain, double, single, flow, comment, block = "a: %s\nb: c\n", "a: \"%s\"\nb: c\n", "a: '%s'\nb: c\n", "{a: %s, b: c}\n", "# %s\na: b\n", "a: |\n  line\n  %s\n  line\n"
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
		{"a\nb: admin", []string{plain, flow, comment, block}}, // quotes fold it into their scalar
	} {
		for _, place := range []string{plain, double, single, flow, comment, block} {
			ends := !output.SaysSame(fmt.Appendf(nil, place, test.text), fmt.Appendf(nil, place, output.Inert(test.text)))
			if want := strings.Contains(strings.Join(test.ends, "\x00"), place); ends != want {
				t.Errorf("%q in %q: %v, want %v", test.text, place, ends, want)
			}
		}
	}
	large := "[" + strings.Repeat("a,", 600_000) + "]"
	for _, test := range []struct {
		text, inert string
		want        bool
	}{
		{"a: b", "a: c", false},
		{"a: B,", "a: BX", true},
		{"a: b\n---\nc: d\n", "a: b\n", false},
		{"a: ]", "a: b: x", true},
		{"a: ]", "a: x", false},
		{large, large, false},
	} {
		if got := output.SaysSame([]byte(test.text), []byte(test.inert)); got != test.want {
			t.Errorf("%.40q and %.40q: %v", test.text, test.inert, got)
		}
	}
}
