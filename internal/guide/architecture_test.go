// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// step is a function in a walk of ARCHITECTURE.md: `package.Function` or `package.Type.Method`.
var step = regexp.MustCompile("`([a-z]+\\.[A-Za-z.]+)`")

// The functions of the walks exist.
func TestArchitectureWalks(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walks, found := strings.Cut(string(text), "\n## Five walks\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no section \"Five walks\"")
	}
	walks, _, _ = strings.Cut(walks, "\n## ")
	functions := functionsBelow(t, filepath.Join(root, "internal"))
	for _, walk := range strings.Split(walks, "\n### ")[1:] {
		title, steps, _ := strings.Cut(walk, "\n")
		names := step.FindAllStringSubmatch(steps, -1)
		if len(names) < 5 {
			t.Errorf("the walk %q has only %d functions", title, len(names))
		}
		for _, name := range names {
			if !functions[name[1]] {
				t.Errorf("the walk %q names %s, which does not exist", title, name[1])
			}
		}
	}
}

// functionsBelow returns the names of all functions and methods in a folder, with their packages.
func functionsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	functions := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok {
				functions[file.Name.Name+"."+receiver(f)+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return functions
}

// receiver returns the type of a method and a dot; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
