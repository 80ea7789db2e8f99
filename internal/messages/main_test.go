// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// TestEverySummaryIsATopic compares the titles of problems in the code below
// internal/kalypso with the catalogue.
func TestEverySummaryIsATopic(t *testing.T) {
	t.Parallel()
	told := map[string]bool{}
	err := filepath.WalkDir("../kalypso", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err == nil {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, e := range summaries(n) {
					if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value)
						told[text] = true
					}
				}
				return true
			})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, topic := range problem.Topics {
		want = append(want, topic.Title)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(told))); diff != "" {
		t.Errorf("summaries (-in problem.Topics +in the code):\n%s\nAdd what is missing to problem.Topics, with cause and cure, or to the "+
			"topics of publish.", diff)
	}
}

// summaries returns the expressions in a node that name a problem: values of a field
// Summary, and arguments of AddErr, Problem and report.
func summaries(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Summary" {
			return []ast.Expr{n.Value}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "Summary" && len(n.Rhs) == len(n.Lhs) {
				return n.Rhs[i : i+1]
			}
		}
	case *ast.CallExpr:
		switch f, _ := n.Fun.(*ast.SelectorExpr); {
		case f == nil:
		case f.Sel.Name == "AddErr", f.Sel.Name == "Problem":
			return n.Args[:1]
		case f.Sel.Name == "report" && len(n.Args) > 2:
			return n.Args[1:2]
		}
	}
	return nil
}

func TestEverythingHasCauseAndCure(t *testing.T) {
	t.Parallel()
	for name, topics := range map[string][]problem.Topic{"publish": message.Topics, "problem": problem.Topics, "limits": limits.Topics,
		"placement": placement.StepCodes} {
		if len(topics) == 0 {
			t.Errorf("%s: no topics", name)
		}
		seen := map[string]bool{}
		for _, topic := range topics {
			if topic.Title == "" || !isProse(topic.Cause) || !isProse(topic.Cure) || seen[topic.Title] {
				t.Errorf("%s: twice, or without cause and cure in sentences: %+v", name, topic)
			}
			seen[topic.Title] = true
		}
	}
	for _, c := range findings.Codes {
		if !isProse(c.Cause) || !isProse(c.Cure) {
			t.Errorf("%s lacks a cause or a cure in sentences", c.Name)
		}
	}
	for kind := remote.KindServer; kind <= remote.KindHeadMoved; kind++ {
		f := remote.Families[kind]
		if f.Name == "" || !isProse(f.Cause) || !isProse(f.Cure) {
			t.Errorf("kind %d of remote: %+v", kind, f)
		}
	}
}

func isProse(text string) bool { return strings.HasSuffix(text, ".") }
