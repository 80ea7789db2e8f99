// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// mostWords is how many words somebody has to learn to read these packages.
const mostWords = 45

// The table of words in ARCHITECTURE.md has the exported types of these packages, and what a
// decision says of folders: all of them, and nothing else.
func TestWords(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Words\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var told []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, word := range regexp.MustCompile("`([A-Z]\\w+)`").FindAllStringSubmatch(cells[1]+cells[2], -1) {
			told = append(told, word[1])
		}
	}
	words := decidedAboutFolders()
	for _, dir := range []string{".", "ownership", "message", "request"} {
		words = append(words, exportedTypes(t, dir)...)
	}
	slices.Sort(words)
	slices.Sort(told)
	if diff := cmp.Diff(slices.Compact(words), slices.Compact(told)); diff != "" {
		t.Errorf("the table of words in ARCHITECTURE.md (-code +table):\n%s", diff)
	}
	if len(told) > mostWords {
		t.Errorf("there are %d words, and at most %d are to be learned", len(told), mostWords)
	}
}

// decidedAboutFolders names what a decision says of folders: its lists of paths and claims.
func decidedAboutFolders() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ownership.Decision]()) {
		if field.Type.Kind() == reflect.Slice {
			names = append(names, field.Name)
		}
	}
	return names
}

// exportedTypes returns those of the package in a folder.
func exportedTypes(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				names = append(names, spec.Name.Name)
			}
			return true
		})
	}
	return names
}
