// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// fromFiles makes a directory of paths and contents.
func fromFiles(files map[string]string) *tree.Dir {
	changes := map[string]tree.Entry{}
	for path, content := range files {
		changes[path] = tree.File("", []byte(content))
	}
	return tree.FromEntries(nil).With(changes)
}

func TestWith(t *testing.T) {
	t.Parallel()
	file := func(content string) tree.Entry { return tree.File("", []byte(content)) }
	before := map[string]string{"a": "1", "b/c": "2", "b/d/e": "3", "f/g": "4"}
	for name, test := range map[string]struct {
		changes map[string]tree.Entry
		want    map[string]string
	}{
		"nothing":          {nil, before},
		"a file changed":   {map[string]tree.Entry{"b/c": file("x")}, map[string]string{"a": "1", "b/c": "x", "b/d/e": "3", "f/g": "4"}},
		"a folder emptied": {map[string]tree.Entry{"b/d/e": {}, "b/c": {}}, map[string]string{"a": "1", "f/g": "4"}},
		"a folder for a file": {map[string]tree.Entry{"a": {}, "a/b": file("x")},
			map[string]string{"a/b": "x", "b/c": "2", "b/d/e": "3", "f/g": "4"}},
		"a file for a folder": {map[string]tree.Entry{"f": file("x"), "f/g": {}},
			map[string]string{"a": "1", "b/c": "2", "b/d/e": "3", "f": "x"}},
		"what is not there":     {map[string]tree.Entry{"z": {}, "y/z": {}}, before},
		"everything taken away": {map[string]tree.Entry{"a": {}, "b/c": {}, "b/d/e": {}, "f/g": {}}, nil},
	} {
		if got, want := fromFiles(before).With(test.changes).ID, fromFiles(test.want).ID; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// With leads from any set of files to any other set.
func TestWithLeadsAnywhere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	files := func() map[string]string {
		all := map[string]string{}
		for range random.IntN(12) {
			path := fmt.Sprintf("%c", 'a'+random.IntN(3))
			for random.IntN(2) == 0 {
				path += fmt.Sprintf("/%c", 'a'+random.IntN(3))
			}
			clash := false
			for other := range all {
				clash = clash || strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/")
			}
			if !clash {
				all[path] = fmt.Sprint(random.IntN(3))
			}
		}
		return all
	}
	for range 2000 {
		before, after := files(), files()
		changes := map[string]tree.Entry{}
		for path := range before {
			changes[path] = tree.Entry{}
		}
		for path, content := range after {
			changes[path] = tree.File("", []byte(content))
		}
		maps.DeleteFunc(changes, func(path string, _ tree.Entry) bool {
			return before[path] == after[path] && before[path] != ""
		})
		if got, want := fromFiles(before).With(changes).ID, fromFiles(after).ID; got != want {
			t.Fatalf("from %v to %v: %s, want %s; changes %v", before, after, got, want, cmp.Diff(before, after))
		}
	}
}
