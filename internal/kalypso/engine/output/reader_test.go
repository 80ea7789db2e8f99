// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

func TestObjects(t *testing.T) {
	t.Parallel()
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for name, test := range map[string]struct {
		text string
		want []output.Identity
		err  string
	}{
		"nothing":          {"# nothing\n---\n", nil, ""},
		"no mapping":       {"- a\n", []output.Identity{{}}, ""},
		"a number":         {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n", []output.Identity{{APIVersion: "v1", Kind: "ConfigMap", Resource: "ConfigMap"}}, ""},
		"a truth":          {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: true\n", []output.Identity{{APIVersion: "v1", Kind: "ConfigMap", Resource: "ConfigMap"}}, ""},
		"list":             {"{apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}", []output.Identity{{Kind: "A", Resource: "A"}, {Kind: "B", Resource: "B"}}, ""},
		"secret":           {secret + "data: {a: b}\n", []output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s", PlainSecret: true}}, ""},
		"empty secret":     {secret + "data: {}\n", []output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s"}}, ""},
		"encrypted secret": {secret + "stringData: {a: b}\nsops: {version: 3}\n", []output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s"}}, ""},
		"duplicate key":    {"kind: A\nkind: B\n", nil, "already defined"},
		"no YAML":          {"kind: A\n  name: B\n", nil, "mapping values are not allowed"},
		"tab":              {"kind:\n\tname: B\n", nil, "cannot start any token"},
		"the line":         {"kind: A\n---\nkind: B\n---\nkind: C\n  name: D\n", nil, "line 6"},
		"UTF-16":           {"\xfe\xff\xa8\n---\nkind: A", nil, "UTF-16"},
		"many values":      {"[" + strings.Repeat("a,", 600_000) + "]", nil, "more than 500000 values"},
		"a mark between":   {"kind: A\n---\n\ufeffkind: B\n", []output.Identity{{Kind: "A", Resource: "A"}, {}}, ""},
		"an anchor before": {"kind: &a A\n---\nkind: *a\n", []output.Identity{{Kind: "A", Resource: "A"}, {Kind: "A", Resource: "A"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := new(output.Reader).Objects([]byte(test.text))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error is %v, want %q", err, test.err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// readsAsLibrary checks that a reader, whatever it has read before, says of a text what
// the library says, and reports whether that is valid.
func readsAsLibrary(t *testing.T, r *output.Reader, text string) (isValid bool) {
	t.Helper()
	want, wantErr := output.Parse(text, schemas())
	got, err := r.Objects([]byte(text))
	if fmt.Sprint(wantErr) != fmt.Sprint(err) {
		t.Fatalf("error is %v, want %v:\n%q", err, wantErr, text)
	}
	if err == nil && !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
		t.Fatalf("objects (-library +reader):\n%s\n%q", cmp.Diff(want, got), text)
	}
	return err == nil
}

// TestReaderAgreesWithLibrary reads what templates render, some of it spoilt, in the
// order in which it comes and in any other.
func TestReaderAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	for _, template := range fleets() {
		t.Run(template.name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, 11))
			r := output.Reader{Schemas: schemas()}
			for i, file := range template.files {
				if i%5 != 0 {
					continue
				}
				readsAsLibrary(t, &r, file)
				readsAsLibrary(t, &r, mutate(rnd, template.files[rnd.IntN(len(template.files))]))
			}
		})
	}
}

// TestReaderSparesTheLibrary holds what makes findings cheap: of the files of a
// template, whatever its style, the library reads few.
func TestReaderSparesTheLibrary(t *testing.T) { //nolint:paralleltest // it counts what the whole process allocates
	for _, template := range fleets() {
		r := output.Reader{Schemas: schemas()}
		read := func() {
			for _, file := range template.files {
				if _, err := r.Objects([]byte(file)); err != nil {
					t.Fatal(err)
				}
			}
		}
		read()
		const tolerated = 40 // the library makes hundreds for the smallest file
		if perFile := testing.AllocsPerRun(3, read) / float64(len(template.files)); perFile > tolerated {
			t.Errorf("%s: %.0f allocations for each file, want at most %d", template.name, perFile, tolerated)
		}
	}
}

// TestMatchSubtle has texts that look as if they matched.
func TestMatchSubtle(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reference, text string }{
		"less indented than it looks":  {"a:\n    b: |2\n          \n        c\n      # d\n", "a:\n    b: |2\n          \n        c\n      x: d\n"},
		"a first line more indented":   {"a: |\n  b\n  c\n", "a: |\n    b\n  c\n"},
		"a first line that is gone":    {"a: |\n  b\n   c\n", "a: |\n  \n   c\n"},
		"a duplicate":                  {"a: {b: 1, c: 2}\n", "a: {c: 1, c: 2}\n"},
		"two that become the same":     {"a: {b: 1, c: 2}\n", "a: {d: 1, d: 2}\n"},
		"a mark of a document":         {"a: 'b\n  c'\n", "a: 'b\n---\n c'\n"},
		"an escape that is none":       {`a: "\u00e9"`, `a: "\u00eg"`},
		"half of a surrogate pair":     {`a: "\u00e9"`, `a: "\ud800"`},
		"a byte of an escape":          {`a: "\x41b"`, `a: "\x4zb"`},
		"a key in place of a value":    {"a: b\n", "a: b: c\n"},
		"a comment in place of a word": {"kind: A\nmetadata: {name: b }\n", "kind: A\nmetadata: {name: b #}\n"},
		"a name that is a number":      {"kind: A\nmetadata:\n  name: b\n", "kind: A\nmetadata:\n  name: 1_000\n"},
		"a name by an alias":           {"x: &n b\nkind: A\nmetadata: {name: *n}\n", "x: &n 12\nkind: A\nmetadata: {name: *n}\n"},
		"a kind by an alias":           {"x: &k A\nkind: *k\nmetadata: {name: b}\n", "x: &k List\nkind: *k\nmetadata: {name: b}\n"},
		"a key by an alias":            {"x: &k a\n? *k\n: 1\nb: 2\n", "x: &k name\n? *k\n: 1\nb: 2\n"},
		"a key that tells":             {"apiVersion: v1\nkind: Secret\ndata: {a: b}\nx: y\n", "apiVersion: v1\nkind: Secret\ndata: {a: b}\nsops: y\n"},
		"a document that is null":      {"a\n", "null\n"},
		"a tag":                        {"a: !!int 1\n", "a: !!int b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agree(t, test.reference, test.reference)
			agree(t, test.reference, test.text)
		})
	}
}

// TestReaderManyShapes has more sorts of documents than a reader keeps.
func TestReaderManyShapes(t *testing.T) {
	t.Parallel()
	r := output.Reader{Schemas: schemas()}
	for range 2 {
		for i := range 300 {
			readsAsLibrary(t, &r, fmt.Sprintf("kind: A\nmetadata: {name: n%d}\nspec: [%s]\n", i, strings.Repeat("a, ", i)))
		}
	}
}

// agree checks that a text that matches a reference is what the library reads, with
// schemas and without.
func agree(t *testing.T, reference, text string) (matches bool) {
	t.Helper()
	checked := agreeBy(t, schemas(), reference, text)
	return agreeBy(t, nil, reference, text) || checked
}

func agreeBy(t *testing.T, schemas *apischema.Schemas, reference, text string) (matches bool) {
	t.Helper()
	matched, ok := output.Match(reference, text, schemas)
	if !ok {
		return false
	}
	parsed, err := output.Parse(text, schemas)
	if err != nil {
		t.Fatalf("a text matches that is not valid: %v\n%q\nthe reference:\n%q", err, text, reference)
	}
	if diff := cmp.Diff(parsed, matched, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("objects (-parsed +matched):\n%s\n%q\nthe reference:\n%q", diff, text, reference)
	}
	return true
}

// TestMatchAgreesWithLibrary writes at random into what templates render.
func TestMatchAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	const rounds = 200
	for _, template := range fleets() {
		t.Run(template.name, func(t *testing.T) {
			t.Parallel()
			matches := 0
			for seed := range uint64(rounds) {
				r := rand.New(rand.NewPCG(seed, 7))
				reference := template.files[r.IntN(len(template.files))]
				switch r.IntN(6) {
				case 0, 1:
					reference = mutate(r, reference)
				case 2:
					reference = strings.ReplaceAll(reference, "\n", "\r\n")
				}
				if agree(t, reference, mutate(r, reference)) {
					matches++
				}
			}
			if matches < rounds/40 {
				t.Errorf("only %d of %d texts match, so the test proves little", matches, rounds)
			}
		})
	}
}

// FuzzMatch writes into a text in two places.
func FuzzMatch(f *testing.F) {
	for _, template := range fleets() {
		f.Add(template.files[0], uint16(30), uint16(5), "other", uint16(200), uint16(1), "'x'")
	}
	f.Fuzz(func(t *testing.T, text string, at1, length1 uint16, new1 string, at2, length2 uint16, new2 string) {
		agree(t, text, write(write(text, at1, length1, new1), at2, length2, new2))
	})
}

func write(text string, at, length uint16, replacement string) string {
	from := int(at) % (len(text) + 1)
	to := min(len(text), from+int(length))
	return text[:from] + replacement + text[to:]
}

// FuzzReader reads two texts, and each once more.
func FuzzReader(f *testing.F) {
	for _, template := range fleets() {
		f.Add(template.files[0], template.files[len(template.files)-1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		r := output.Reader{Schemas: schemas()}
		for _, text := range []string{a, b, a + "\n---\n" + b, b, a} {
			readsAsLibrary(t, &r, text)
		}
	})
}
