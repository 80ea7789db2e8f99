// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 packages", 1: "1 package", 2: "2 packages"} {
		if got := wording.Count(n, "package"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestForeignTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ visible, line, words string }{
		"":                        {"", "", ""},
		"\tprod\n":                {"\tprod\n", "prod", "prod"},
		"a\n\n\tb\x1b[2J":         {"a\n\n\tb\\x1b[2J", `a⏎⏎ b\x1b[2J`, "a\nb\\x1b[2J"},
		"a\r\nb\rc":               {"a\\x0d\nb\\x0dc", `a⏎b\x0dc`, "a\nb\\x0dc"},
		"over\u202ewritten\u200b": {`over\u202ewritten\u200b`, `over\u202ewritten\u200b`, `over\u202ewritten\u200b`},
		"caf\xe9":                 {"caf\uFFFD", "caf\uFFFD", "caf\uFFFD"},
		"<HTML>x":                 {"<HTML>x", "<HTML>x", "(a web page)"},
	} {
		if got := wording.Visible(text); got != want.visible || wording.Visible(got) != got {
			t.Errorf("%q: visible is %q", text, got)
		}
		if got := wording.Line(text); got != want.line {
			t.Errorf("%q: the line is %q", text, got)
		}
		if got := wording.Words(text); got != want.words {
			t.Errorf("%q: the words are %q", text, got)
		}
	}
	if got := wording.Quoted(strings.Repeat("ä", 100)); got != `"`+strings.Repeat("ä", 60)+`"` {
		t.Errorf("got %s", got)
	}
	if got := wording.Words(strings.Repeat("ä", 1000)); len(got) > wording.MaxWords+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := wording.First(names, most); got != want {
			t.Errorf("%d: got %q, want %q", most, got, want)
		}
	}
}
