// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"math/rand/v2"
	"strings"
)

// generator writes YAML with what it offers, also what hardly a template writes.
type generator struct{ *rand.Rand }

// In what is generated, K stands for a key that is in no other entry, N for any name,
// and W for what a value may be.
var (
	metadata = []string{
		"metadata: {name: W}\n", "metadata:\n  name: W\n  namespace: 'N'\n", "metadata:\n  name: |\n    W\n  namespace: >-\n    N\n", "metadata: {name: \"\\04\"}\n",
		"metadata: {name: *a}\n", "metadata:\n  <<: *m\n  N: W\n", "metadata: {<<: {name: W}, N: W}\n", "metadata: &m {name: W}\n", "metadata:\n  ? |-\n    name\n  : W\n",
	}
	entries = []string{
		"K: W\n", "K: W\n", "K: W\n", "K: \"W\"\n", "K: 'W' # W\n", "K: W\t# W\n", "K: {N: W}\t\n", "\"K\": W\n", "K: W\n  W\n", "K: 'W\n  W'\n", "K: \"W\n  W\"\n", "K: 'W\n% W'\n",
		"K: |\n  W\n  # W\n", "K: >-\n    W\n\n     W\n", "K: |2\n    W\n  W\n", "K: >-1\n   \n \n W\n", "K: |+\n\n  W\n\n", "K: |\n", "K:\n",
		"K: {N: W}\n", "K: {\"N\":W, foo: [W,W]}\n", "K: [W, 'W', {N: W},\n  W]\n", "K: [N: W]\n", "K:\n- W\n- N: W\n", "K:\n  N: W\n  # W\n", "K:\n\n    N: |\n     W\n",
		"K: &a W\n", "K: &m {N: W}\n", "K: *a\n", "K: *m\n", "*a : W\n", "&a K: W\n", "<<: *m\n", "<<: {N: W}\n", "foo: W\n<<: {foo: {a: 1, a: 2}}\n", "foo: W\n<<: {foo: !!int x}\n", "K: &x\n  foo: W\n  <<: {foo: *x}\n",
		"? K\n: W\n", "? |-\n  K\n: W\n", "? |-\n  K\n: {N: W}\n", "!!binary c29wcw==: W\n", "!!str K: W\n", "K: !!int 12\n", "K: !!str W\n", "K: [!!int 12, W]\n",
		"# W\n", "\n", "   \n", "K: \"\\u00e9W\\n\"\n", "K: \"\\08\"\n", "items: [{kind: A, metadata: {name: W}}]\n", "data: {N: W}\n", "stringData:\n  N: W\n",
	}
	separators = []string{"---\n", "---\n", "--- # W\n", "...\n", "...\n---\n", "---\n---\n", "...\n%YAML 1.1\n---\n"}

	names = []string{"foo", "bar", "app-12", "sops", "data", "name"}
	words = []string{"x", "foo", "bar", "app-12", "a b", "Secret", "12", "1_000", "null", "2001-12-14", "日本", "a#b", "http://x:80/y", "longer-than-it-was"}
	// odd is what is written in place of either, where lines end, and anywhere.
	odd = []string{"---", "...", "", "%x", "-", "#x", " # c", ":x", ": x", "!!int x", "*a", "<<", `\08`, "''", "\r", "\n---\n", "\n  x"}
)

func (g generator) of(choices []string) string { return choices[g.IntN(len(choices))] }

// fill writes names and words for the letters that stand for them.
func (g generator) fill(text string) string {
	var filled strings.Builder
	keys := g.Perm(len(names))
	for _, c := range text {
		switch {
		case c == 'K' && len(keys) > 0:
			filled.WriteString(names[keys[0]])
			keys = keys[1:]
		case c == 'N', c == 'K':
			filled.WriteString(g.of(names))
		case c == 'W':
			filled.WriteString(g.of(words))
		default:
			filled.WriteRune(c)
		}
	}
	return filled.String()
}

// stream returns some documents.
func (g generator) stream() string {
	text := g.document()
	for g.IntN(4) == 0 {
		text += g.of(separators) + g.document()
	}
	switch g.IntN(8) {
	case 0, 1:
		return strings.ReplaceAll(text, "\n", "\r\n")
	case 2:
		return g.of(separators) + text
	case 3:
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

func (g generator) document() string {
	text := ""
	for range 1 + g.IntN(3) {
		text += g.of(entries)
	}
	switch g.IntN(8) {
	case 0:
		return g.fill(text)
	case 1, 2:
		text = "apiVersion: v1\nkind: Secret\n" + g.of(metadata) + text
	default:
		text = "kind: A\n" + g.of(metadata) + text
	}
	if strings.Contains(text, "*") {
		text = "base: {m: &m {name: W}, a: &a foo}\n" + text
	}
	return g.fill(text)
}

// edit writes another word into a text, mostly.
func (g generator) edit(text string) string {
	from := g.IntN(len(text) + 1)
	switch g.IntN(8) {
	case 0:
		return mutate(g.Rand, text)
	case 1, 2, 3: // where a line ends
		if length := strings.IndexByte(text[from:], '\n'); length >= 0 {
			from += length
		}
		return text[:from] + g.of(odd) + text[from:]
	}
	to := from
	for from > 0 && isWordByte(text[from-1]) {
		from--
	}
	for to < len(text) && isWordByte(text[to]) {
		to++
	}
	return text[:from] + g.of([][]string{names, words, words, odd}[g.IntN(4)]) + text[to:]
}
