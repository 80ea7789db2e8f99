// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// TestReaderExotic reads YAML that hardly a template writes, and where a text means
// something else than the one before by what looks like a name or a value.
func TestReaderExotic(t *testing.T) {
	t.Parallel()
	const (
		percent = "kind: A\ndata: {note: 'at most 50\n% of it'}\n"
		secret  = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	)
	for name, texts := range map[string][]string{
		"a separator behind what looks like a directive": {percent, "[a]\n", "{a: b}\n", "[a]\n", percent + "---\n" + secret + "stringData: {a: b}\n"},
		"an error behind what looks like a directive":    {percent, "[a]\n", "{a: b}\n", "[a]\n", percent + "---\na: b: c\n"},
		"a directive behind a document":                  {"kind: A\n---\n%YAML 1.1\n---\nkind: B\n", "kind: B\n---\n%YAML 1.1\n---\nkind: C\n"},
		"a prefix of tags":                               {"%TAG !e! #foo\n---\nkind: A\n", "%TAG !e! #{}\n---\nkind: A\n"},
		"a carriage return in a line":                    {"kind: A\nb: \"a\r\n  b\"\n", "kind: A\nb: \"a\r--- \n  b\"\n"},
		"a carriage return that ends a document":         {"kind: A\r\nb: 'a\r\n  b'\r\n", "kind: A\r\nb: 'a\r... \n  b'\r\n"},
		"a carriage return in a comment":                 {"# a\nkind: A\n", "# a\rkind: B\nkind: A\n"},
		"a key that is merged no more":                   {"kind: A\nfoo: 1\n<<: {foo: {a: 1, a: 2}}\n", "kind: A\nfob: 1\n<<: {foo: {a: 1, a: 2}}\n"},
		"a tag that is merged":                           {"kind: A\nfoo: 1\n<<: {foo: !!int x}\n", "kind: A\nfob: 1\n<<: {foo: !!int x}\n"},
		"a mapping merged into itself":                   {"kind: A\na: &x\n  foo: 1\n  <<: {foo: *x}\n", "kind: A\na: &x\n  fob: 1\n  <<: {foo: *x}\n"},
		"a merge inside of a merge":                      {"kind: A\nfoo: 1\n<<: {foo: {a: 1, a: 2}}\n", "kind: A\nfoo: 1\n<<: {fob: {a: 1, a: 2}}\n"},
		"a name that is merged":                          {"base: &b {name: x}\nkind: A\nmetadata: {<<: *b}\n", "base: &b {name: 12}\nkind: A\nmetadata: {<<: *b}\n", "base: &b {name: foo}\nkind: A\nmetadata: {<<: *b}\n"},
		"a key by an alias":                              {secret + "x: &k sops\nstringData: {a: b}\n*k : enc\n", secret + "x: &k sops\nstringData: {a: b}\n*k : null\n"},
		"a key with a tag":                               {secret + "stringData: {a: b}\n!!binary c29wcw==: enc\n", secret + "stringData: {a: b}\n!!binary c29wcw==: null\n"},
		"a key that is a mapping":                        {"{? {a: b} : c, kind: A}", "{? {a: x} : c, kind: A}"},
		"a key that is a block":                          {secret + "? |-\n  foo\n: {a: b}\n", secret + "? |-\n  data\n: {a: b}\n"},
		"two keys that are blocks":                       {"? |-\n  foo\n: 1\n? |-\n  bar\n: 2\n", "? |-\n  foo\n: 1\n? |-\n  foo\n: 2\n"},
		"a name that is a folded key":                    {"kind: A\nmetadata:\n  ? >-\n    foo\n  : x\n", "kind: A\nmetadata:\n  ? >-\n    name\n  : x\n"},
		"a name that begins with NUL":                    {"{kind: A, a: 1, b: 2, metadata: {name: \"\\08\"}}", "{kind: A, a: 1, b: 2, metadata: {name: \"foo\"}}"},
		"a namespace that begins with NUL":               {"{kind: A, a: 1, b: 2, metadata: {namespace: \"\\u00008\"}}", "{kind: A, a: 1, b: 2, metadata: {namespace: \"foo\"}}"},
		"a block that ends before its comment":           {"kind: A\nspec:\n  -\n    x: >-1\n       \n    \n   #List\n", "kind: A\nspec:\n  -\n    x: >-1\n       \n    \n   :x\n"},
		"a block less indented than its number says":     {"kind: A\na: |3\n    \n   x\n   y\n", "kind: A\na: |3\n    \n   x\n  y: z\n"},
		"an element with a tag":                          {"{kind: A, a: [!!int 12,!!int 5]}", "{kind: A, a: [!!int 12,!!int x]}"},
		"a tag with a comment":                           {"kind: A\na: !!int # c\n  12\n", "kind: A\na: !!int # d\n  12\n", "kind: A\na: !!int # c\n  xx\n"},
		"a mark in UTF-16 behind a document":             {"kind: A\n", "kind: A\n---\n\xfe\xff\x00k\x00:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := output.Reader{Schemas: schemas()}
			for _, text := range texts {
				readsAsLibrary(t, &r, text)
			}
		})
	}
}

// TestReaderGenerated reads generated YAML, each text with others that are like it.
func TestReaderGenerated(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(1_000) {
		readGenerated(t, seed)
	}
}

func FuzzReaderGenerated(f *testing.F) {
	f.Add(uint64(1 << 32))
	f.Fuzz(readGenerated)
}

func readGenerated(t *testing.T, seed uint64) {
	g := generator{rand.New(rand.NewPCG(seed, 5))}
	r := output.Reader{Schemas: schemas()}
	text := g.stream()
	for isValid, edits := readsAsLibrary(t, &r, text), 0; isValid && edits < 24; edits++ {
		next := g.edit(text)
		switch g.IntN(8) {
		case 0:
			readsAsLibrary(t, &r, text+"---\n"+next)
		case 1:
			if readsAsLibrary(t, &r, next) {
				text = next
			}
		default:
			readsAsLibrary(t, &r, next)
		}
	}
}
