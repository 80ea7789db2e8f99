// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mitchellh/hashstructure"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		want any
	}{
		"plain text":                       {"hello", "hello"},
		"empty":                            {"", ""},
		"a number stays text":              {"42", "42"},
		"so does one with an exponent":     {"1e3", "1e3"},
		"a boolean stays text":             {"true", "true"},
		"null stays text":                  {"null", "null"},
		"raw text is not trimmed":          {"  x\n", "  x\n"},
		"double quotes stay":               {`"x"`, `"x"`},
		"single quotes go":                 {"'x'", "x"},
		"all of them":                      {"''x''", "x"},
		"white space around them too":      {" 'x y' \n", "x y"},
		"quoted structure is text":         {"'[1, 2]'", "[1, 2]"},
		"one quote alone":                  {"'", ""},
		"a quote on one side only":         {"'x", "'x"},
		"two quoted words":                 {"'x' or 'y'", "x' or 'y"},
		"a list":                           {"[1, x]", []any{1, "x"}},
		"a map":                            {"a: 1\nb: {c: 2}", map[string]any{"a": 1, "b": map[string]any{"c": 2}}},
		"YAML 1.1 booleans in a structure": {"[yes, off, y]", []any{true, false, true}},
		"YAML 1.1 octal numbers":           {"[010]", []any{8}},
		"timestamps stay text":             {"[2020-01-02]", []any{"2020-01-02"}},
		"null in a structure":              {"a:", map[string]any{"a": nil}},
		"the last of equal keys":           {"a: 1\na: 2", map[string]any{"a": 2}},
		"keys that are not strings":        {"1: one\ntrue: t", map[any]any{1: "one", true: "t"}},
		"keys of both sorts":               {"a: {b: 1}\n2: two", map[any]any{"a": map[string]any{"b": 1}, 2: "two"}},
		"aliases":                          {"a: &x [1]\nb: *x", map[string]any{"a": []any{1}, "b": []any{1}}},
		"two documents":                    {"a: 1\n---\nb: 2", "a: 1\n---\nb: 2"},
		"an INI file":                      {"[server]\nport = 80\n", "[server]\nport = 80\n"},
		"Markdown with front matter":       {"---\ntitle: x\n---\n# Text\n", "---\ntitle: x\n---\n# Text\n"},
		"one document with its mark":       {"---\na: 1\n", map[string]any{"a": 1}},
		"one document with its end":        {"a: 1\n...\n", map[string]any{"a": 1}},
		"broken YAML is text":              {"a: [", "a: ["},
		"a tab is text":                    {"a:\n\t- b", "a:\n\t- b"},
		"a key that equals nothing":        {".nan: 1", ".nan: 1"},
		"a URL":                            {"mysql://west:8806/mysql2", "mysql://west:8806/mysql2"},
		"an empty list":                    {"[]", []any{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, decode(c.text), c.want)
		})
	}
}

func TestRewritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.10":                          false,
		"[1.5, '1.10', -1]":             false,
		"{a: 1, b: {<<: {c: 3}, c: 2}}": false,
		"{b: [~, 'x', True], a: &a {c: 1}, <<: *a, d: *a}\n# comment": false,
		"tag: 1.10":                 true,
		"tag: 1.0":                  true,
		"on: 1":                     true,
		"mode: 0644":                true,
		"id: 123456789012345678901": true,
		"a: {b: 1, b: 2}":           true,
	} {
		object := manifest.ConfigMap{Meta: manifest.Meta{Name: "azure-app-config"}, Data: map[string]string{"region.eu.key": text}}
		got := (&Composer{layers: newLayers([]*manifest.ConfigMap{&object})}).Rewritten()
		if slices.Equal(got, []Value{{"azure-app-config", "region.eu.key"}}) != want || len(got) > 1 {
			t.Errorf("%q: %v, want %t", text, got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ old, new, want string }{
		"list and list append":    {"[1, 2]", "[2, 3]", "[1, 2, 2, 3]"},
		"map and map, key by key": {"{a: 1, b: 2}", "{b: 3, c: 4}", "{a: 1, b: 3, c: 4}"},
		"to the depth":            {"{a: {b: {c: 1}}}", "{a: {b: {d: 2}}}", "{a: {b: {c: 1, d: 2}}}"},
		"lists in maps":           {"{a: [1]}", "{a: [2]}", "{a: [1, 2]}"},
		"list over map":           {"{a: 1}", "[1]", "[1]"},
		"map over list":           {"[1]", "{a: 1}", "{a: 1}"},
		"null over something":     {"{a: {b: 1}}", "{a: null}", "{a: null}"},
		"equal names merge":       {"[{name: one, v: 1}]", "[{name: one, w: 2}]", "[{name: one, v: 1, w: 2}]"},
		"in every element of the name": {"[{name: one}, {name: one, v: 1}]", "[{name: one, w: 2}]", "[{name: one, w: 2}, {name: one, v: " +
			"1, w: 2}]"},
		"other names append":                 {"[{name: one}]", "[{name: two}]", "[{name: one}, {name: two}]"},
		"no names append":                    {"[{v: 1}]", "[{v: 1}]", "[{v: 1}, {v: 1}]"},
		"null is not a name":                 {"[{name: null}]", "[{name: null, v: 1}]", "[{name: null}, {name: null, v: 1}]"},
		"a list is not a name":               {"[{name: [1]}]", "[{name: [1], v: 1}]", "[{name: [1]}, {name: [1], v: 1}]"},
		"a map is not a name":                {"[{name: {a: 1}}]", "[{name: {a: 1}}]", "[{name: {a: 1}}, {name: {a: 1}}]"},
		"names of other types differ":        {"[{name: 1}]", "[{name: '1'}]", "[{name: 1}, {name: '1'}]"},
		"numbers can be names":               {"[{name: 1}]", "[{name: 1, v: 2}]", "[{name: 1, v: 2}]"},
		"the new list's own names count":     {"[]", "[{name: one, v: 1}, {name: one, v: 2}]", "[{name: one, v: 2}]"},
		"equal names with keys of all sorts": {"[{name: one, 1: a}]", "[{name: one, b: c}]", "[{name: one, 1: a, b: c}]"},
		"maps with keys of all sorts":        {"{1: a}", "{b: {2: c}}", "{1: a, b: {2: c}}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, new := decode(c.old), decode(c.new)
			expect(t, merge(old, new, nil, ""), decode(c.want))
			expect(t, old, decode(c.old))
			expect(t, new, decode(c.new))
		})
	}
}

func TestTextAndStructureReplaceEachOther(t *testing.T) {
	t.Parallel()
	expect(t, merge("text", []any{1}, nil, ""), []any{1})
	expect(t, merge([]any{1}, "text", nil, ""), "text")
}

// TestHashesAsKalypso keeps the types of decoded values, so that a migrated fleet shows no
// diff.
func TestHashesAsKalypso(t *testing.T) {
	t.Parallel()
	data := map[string]string{
		"REDIS": "azure-vote-back", "TITLE": "Voting Application from the Cloud", "VOTE1VALUE": "Picard", "VOTE2VALUE": "Kirk",
	}
	check := func(want uint64) {
		t.Helper()
		got, err := hashstructure.Hash(composeOnly(t, platform("a", nil, data)).Values, nil)
		if err != nil || got != want {
			t.Errorf("hash = %d, %v; want %d", got, err, want)
		}
	}
	check(3170723027559689098)
	data["tags"] = "['tag1', 'tag2'] \n"
	check(12338385584552323132)
}

// FuzzConfigValue decodes and merges any texts. It expects no panic, unchanged inputs, and
// provenance for the whole result.
func FuzzConfigValue(f *testing.F) {
	for _, text := range []string{"", "'", "'x'", "x", "[1, {name: a}]", "[{name: a, v: 1}, {name: [1]}, {name: .nan}]", "a: 1\n2: b",
		"{a: {b: [c]}}", ".nan: 1", "a: &x [*x]", "{[1]: 2}", "? {a: b}\n: c", "<<: {a: 1}", "!!binary x", "\x00", "[[[["} {
		f.Add(text, "[{name: a}]")
		f.Add("{a: [1]}", text)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		old, new := decode(first), decode(second)
		at := &provenance{setBy: "a"}
		merged := merge(old, new, at, "b")
		for _, side := range []struct {
			text  string
			value any
		}{{first, old}, {second, new}} {
			if !cmp.Equal(side.value, decode(side.text), cmpopts.EquateNaNs()) {
				t.Errorf("merging changed its input %q", side.text)
			}
		}
		if len(appendLeaves(nil, "x", merged, at)) == 0 {
			t.Error("no leaves")
		}
		newInstance(map[string]any{"x": merged})
	})
}
