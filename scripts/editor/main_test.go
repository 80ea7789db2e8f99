// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// ofShape are the summaries of problems that a schema has to find.
var ofShape = []string{"Unknown kind", "Unknown apiVersion", "Unknown field", "Missing field", "Wrong type", "Unknown value",
	"Not supported", "Invalid name", "Invalid label"}

// judge compares the schemas with the reader.
type judge struct{ chooser *jsonschema.Schema }

func newJudge(t *testing.T) judge {
	t.Helper()
	folder := t.TempDir()
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, "kalypso.json"))
	if err != nil {
		t.Fatal(err)
	}
	return judge{s}
}

// check compares the verdicts about a document, and returns whether the reader accepts it.
func (j judge) check(t *testing.T, where string, document any) bool {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	refused, problems := j.chooser.Validate(value), read(document)
	isOfShape := slices.ContainsFunc(problems, func(p problem.Problem) bool { return slices.Contains(ofShape, p.Summary) })
	switch {
	case isOfShape && refused == nil:
		t.Errorf("%s: the schemas accept what the reader refuses: %v\n%s", where, problems, text)
	case len(problems) == 0 && refused != nil:
		t.Errorf("%s: the reader accepts what the schemas refuse: %v\n%s", where, refused, text)
	}
	return len(problems) == 0
}

// documents returns the documents of a YAML file that can be parsed.
func documents(text []byte) (all []any) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document any
		if err := decoder.Decode(&document); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			return all
		}
		if _, isMapping := document.(map[string]any); isMapping {
			all = append(all, document)
		}
	}
}

// read returns the problems that the reader reports about a document.
func read(document any) problem.List {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // documents have JSON's own types
	}
	_, err = manifest.Decode([]manifest.Text{{Name: "document", Text: string(text)}})
	var problems problem.List
	errors.As(err, &problems)
	return problems
}

// folders have the examples, the starter and the fleets of this repository.
var folders = []string{"../../examples", "../../starter", "../../testdata/conformance"}

// ourDocuments returns all documents of the examples and of the fleets, by file.
func ourDocuments(t *testing.T) map[string][]any {
	t.Helper()
	all := map[string][]any{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(path)
			all[path] = documents(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestExamplesAndFleets(t *testing.T) {
	t.Parallel()
	j, fine := newJudge(t), 0
	for path, documents := range ourDocuments(t) {
		for _, document := range documents {
			if j.check(t, path, document) {
				fine++
			}
		}
	}
	if fine < 200 {
		t.Errorf("the reader accepts only %d documents", fine)
	}
}

// seeds returns valid documents, at least one of each kind.
func seeds(t *testing.T) []any {
	t.Helper()
	text, err := os.ReadFile("testdata/every-kind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := documents(text)
	missing := manifest.AllKinds()
	for _, document := range all {
		object, _ := document.(map[string]any)
		missing = slices.DeleteFunc(missing, func(kind string) bool { return kind == object["kind"] })
	}
	if len(missing) > 0 {
		t.Errorf("testdata/every-kind.yaml has no %s", strings.Join(missing, ", "))
	}
	return all
}

func TestEveryKind(t *testing.T) {
	t.Parallel()
	j := newJudge(t)
	for _, document := range seeds(t) {
		if !j.check(t, "testdata", document) {
			t.Errorf("the reader refuses %v: %v", document, read(document))
		}
	}
}

// Spoilt documents rarely have these fields.
func TestRefusedFields(t *testing.T) {
	t.Parallel()
	j := newJudge(t)
	for _, spec := range []string{
		"{tolerations: [{key: a, tolerationSeconds: 3}]}",
		"{predicates: [{requiredClusterSelector: {celSelector: {celExpressions: ['true']}}}]}",
		"{spreadPolicy: {spreadConstraints: [{topologyKey: a, topologyKeyType: Label}]}}",
		"{spreadPolicy: []}",
	} {
		text := "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: x}\nspec: " + spec + "\n"
		for _, document := range documents([]byte(text)) {
			if j.check(t, "refused", document) {
				t.Errorf("the reader accepts %s", spec)
			}
		}
	}
}

// What the reader refuses for its shape, the schemas refuse. What the reader accepts, they accept.
func TestSpoiltDocuments(t *testing.T) {
	t.Parallel()
	j, refused := newJudge(t), 0
	s := spoiler{rand.New(rand.NewPCG(1, 2))}
	all := seeds(t)
	count := int(race.Seeds(2_000))
	for i := range count {
		document := s.spoil(all[i%len(all)])
		if mapping, _ := document.(map[string]any); isNested(mapping["kind"]) || isNested(mapping["apiVersion"]) {
			continue // the reader takes some of these documents for documents of others
		}
		if !j.check(t, "spoilt", document) {
			refused++
		}
	}
	if refused < count/3 || refused > count*9/10 {
		t.Errorf("the reader refuses %d of %d documents", refused, count)
	}
}

// isNested reports whether a value is a list or a mapping.
func isNested(value any) bool {
	_, isList := value.([]any)
	_, isMapping := value.(map[string]any)
	return isList || isMapping
}

// spoiler changes documents.
type spoiler struct{ *rand.Rand }

// spoil returns a copy of a value with a change somewhere.
func (s spoiler) spoil(value any) any {
	if s.IntN(6) == 0 {
		return s.replacement(value)
	}
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			return map[string]any{"zzzz": s.replacement(nil)}
		}
		changed := maps.Clone(value)
		names := slices.Sorted(maps.Keys(value))
		name := names[s.IntN(len(names))]
		switch s.IntN(8) {
		case 0:
			delete(changed, name)
		case 1:
			changed[name+"s"] = value[name]
		case 2: // the value of another field
			changed[name] = value[names[s.IntN(len(names))]]
		default:
			changed[name] = s.spoil(value[name])
		}
		return changed
	case []any:
		if len(value) == 0 {
			return []any{s.replacement(nil)}
		}
		changed := slices.Clone(value)
		i := s.IntN(len(value))
		changed[i] = s.spoil(value[i])
		return changed
	}
	return s.replacement(value)
}

// replacement returns another value for a value.
func (s spoiler) replacement(value any) any {
	others := []any{nil, "", "x", "Bad Name!", strings.Repeat("x", 300), true, 0, 1, -7, 1.5, 1 << 40, []any{}, []any{"x"},
		map[string]any{}, map[string]any{"x": "y"}, []any{value}, map[string]any{"name": value}, value}
	return others[s.IntN(len(others))]
}
