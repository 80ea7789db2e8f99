// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// memoryTree is a folder of files that all have the same content.
type memoryTree struct {
	paths []string
	text  string
}

func (m memoryTree) Find(string) (tree.Entry, bool, error) { return tree.Entry{}, false, nil }
func (m memoryTree) read(ctx context.Context, files []entry) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, f := range files {
		texts[f.path] = []byte(m.text)
	}
	return texts, ctx.Err()
}
func (m memoryTree) Walk(_ string, visit func(path string, e tree.Entry) error) error {
	for _, p := range m.paths {
		if err := visit(p, tree.Entry{Name: path.Base(p), Mode: tree.ModeFile}); err != nil {
			return err
		}
	}
	return nil
}

// manyFiles returns an ignore file and so many YAML files beside it.
func manyFiles(n int, ignore string) memoryTree {
	m := memoryTree{paths: []string{ignoreFile}, text: ignore}
	for i := range n {
		m.paths = append(m.paths, fmt.Sprintf("apps/team-%d/service/deployment.yaml", i))
	}
	return m
}

// A source has at most 20,000 files.
func TestListingIsBounded(t *testing.T) {
	t.Parallel()
	l, err := list(t.Context(), manyFiles(20_000, strings.Repeat("/docs/\n**/test/*.yaml\n", 25)), ".")
	if err != nil || len(l.wanted) != 20_000 {
		t.Errorf("what people write: %v", err)
	}
	if _, err := list(t.Context(), manyFiles(20_001, ""), "."); err == nil ||
		!strings.Contains(err.Error(), "20001 YAML files, and 20000 may be read") {
		t.Errorf("too many files: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := endsRun{manyFiles(20_000, strings.Repeat("*a*b\n", 100)), cancel}
	for range 2 { // as it is read, and before
		if _, err := list(ctx, m, "."); !errors.Is(err, context.Canceled) {
			t.Errorf("a run that is ended: %v", err)
		}
	}
}

// endsRun ends the run when ignore files are read, and so before anything is matched.
type endsRun struct {
	memoryTree
	end func()
}

func (e endsRun) read(ctx context.Context, files []entry) (map[string][]byte, error) {
	e.end()
	return e.memoryTree.read(context.WithoutCancel(ctx), files)
}

// Paths are judged without a panic, with any text as an ignore file. It changes nothing
// outside of its folder, and a comment changes nothing at all.
func FuzzIgnores(f *testing.F) {
	for _, text := range []string{"", "/", "!", "!/", "**", "a/**/b", "[", "\\ ", "#a", "*.yaml\n!a.yaml"} {
		f.Add(text, "a/b.yaml")
	}
	for _, line := range []string{"*a*b\n", "**/a/", "*/", "!**/*?*\n", "*[" + strings.Repeat("b", 7<<10) + "]x\n"} {
		f.Add(strings.Repeat(line, 8<<10/len(line)), strings.Repeat("a/", 500)+"b.yaml")
	}
	few := manyFiles(20, "")
	f.Fuzz(func(t *testing.T, text, path string) {
		_, _ = list(t.Context(), memoryTree{few.paths, text}, ".")
		i := newIgnores()
		before := i.match(path)
		i.add(nil, "# "+strings.ReplaceAll(path, "\n", " "))
		if i.match(path) != before {
			t.Errorf("a comment changes what becomes of %q", path)
		}
		i.add([]string{"a"}, text)
		if i.match(path) != before && !strings.HasPrefix(path, "a/") {
			t.Errorf("the ignore file of a/ changes the result for %q", path)
		}
	})
}
