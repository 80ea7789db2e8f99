// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// inlineCode is code in a line of Markdown, and the target of a link.
var inlineCode = regexp.MustCompile("`[^`\n]*`|\\]\\([^)\n]*\\)")

// CheckMarkdown checks the prose of a Markdown file or of a template of one. Code is not
// prose.
func CheckMarkdown(file, text string) (problems []string) {
	var prose strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced {
			line = "\n"
		}
		prose.WriteString(inlineCode.ReplaceAllStringFunc(line, func(code string) string {
			return strings.Repeat("`", len(code))
		}))
	}
	return Check(file, 1, prose.String())
}

// CheckGo checks the comments and string literals of a Go file. Errors: the errors of Go's
// parser.
func CheckGo(file, source string) (problems []string, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	line := func(at token.Pos) int { return files.Position(at).Line }
	for _, group := range parsed.Comments {
		problems = append(problems, Check(file, line(group.Pos()), joined(group))...)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil // A struct tag is not prose. Inspect would visit it after the field.
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				problems = append(problems, Check(file, line(n.Pos()), text)...)
			}
		}
		return true
	})
	return problems, nil
}

// joined returns the text of a group of comments unchanged, line by line.
func joined(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, c := range group.List {
		text.WriteString(strings.TrimPrefix(c.Text, "//") + "\n")
	}
	return text.String()
}

// CheckScript checks the comments of a shell script, a makefile, HCL or YAML.
func CheckScript(file, text string) (problems []string) {
	var prose strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "#") {
			prose.WriteString(strings.TrimLeft(trimmed, "# "))
		}
		prose.WriteString("\n")
	}
	return Check(file, 1, prose.String())
}
