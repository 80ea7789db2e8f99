// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package conformance gives tests the fleets of testdata/conformance, and holds
// what comes out of them against what Kalypso's scheduler writes.
package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// Fleet is an environment, and what is right for it.
type Fleet struct {
	Name string
	// Dir is the folder of its manifests, In the files there.
	Dir string
	In  map[string]string

	Environment string
	// Assignments are keyed <cluster type>/<deployment target>.
	Assignments map[string]Assignment
	// Out are the files of the GitOps repository, by their paths.
	Out map[string]string
}

// Assignment is of a workload, by a policy.
type Assignment struct{ Workload, Policy string }

// Fleets returns those of testdata/conformance, and if a folder
// shared/conformance lies beside the project, those of it too.
func Fleets(t testing.TB) []Fleet {
	t.Helper()
	root := moduleRoot(t)
	fleets := fleetsIn(t, filepath.Join(root, "testdata", "conformance"), "")
	if len(fleets) == 0 {
		t.Fatal("testdata/conformance holds no fleets")
	}
	return append(fleets, fleetsIn(t, filepath.Join(root, "..", "shared", "conformance"), "shared/")...)
}

// moduleRoot is the folder of go.mod, at or above that of the package under test.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("no go.mod above %s: %v", dir, err)
	return ""
}

func fleetsIn(t testing.TB, folder, prefix string) (fleets []Fleet) {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join(folder, "*", "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		f := Fleet{Name: prefix + filepath.Base(dir), Dir: filepath.Join(dir, "in")}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		f.In, f.Out = readTree(t, f.Dir), readTree(t, filepath.Join(dir, "out"))
		fleets = append(fleets, f)
	}
	return fleets
}

// readTree returns the files below a folder by their slash-separated paths.
func readTree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Compare compares a tree with Kalypso's. Both have the same paths. YAML files parse to the
// same documents. Other files have the same text, except for white space at the end.
// README.md only has to exist. The promoted commit has the same bytes.
func Compare(want, got map[string]string) error {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		return fmt.Errorf("paths (-Kalypso +ours):\n%s", diff)
	}
	var differences []error
	for path, text := range want {
		diff := ""
		switch {
		case filepath.Base(path) == "README.md":
		case filepath.Base(path) == "Promoted_Commit_Id":
			diff = cmp.Diff(text, got[path])
		case filepath.Ext(path) == ".yaml":
			diff = cmp.Diff(documents(text), documents(got[path]))
		default:
			diff = cmp.Diff(strings.TrimSpace(text), strings.TrimSpace(got[path]))
		}
		if diff != "" {
			differences = append(differences, fmt.Errorf("%s (-Kalypso +ours):\n%s", path, diff))
		}
	}
	return errors.Join(differences...)
}

// documents parses a YAML stream, empty documents aside.
func documents(text string) (all []any) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return append(all, fmt.Sprintf("invalid YAML: %v", err))
		case document != nil:
			all = append(all, document)
		}
	}
}
