// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the modules' READMEs")

// TestModuleReadme compares the tables in the README of each module with its variables and
// outputs. With -update, it writes the tables.
func TestModuleReadme(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Glob("../../modules/*")
	if err != nil || len(modules) == 0 {
		t.Fatalf("the modules are %q: %v", modules, err)
	}
	tables := regexp.MustCompile(`(?s)(<!-- BEGIN_TF_DOCS -->\n).*(<!-- END_TF_DOCS -->)`)
	for _, module := range modules {
		text := func(file string) string {
			content, err := os.ReadFile(filepath.Join(module, file))
			if err != nil {
				t.Fatal(err)
			}
			return string(content)
		}
		readme := text("README.md")
		want := tables.ReplaceAllString(readme, "${1}"+strings.ReplaceAll(
			"## Inputs\n\n"+inputs(t, text("variables.tf"))+"\n## Outputs\n\n"+outputs(t, text("outputs.tf")), "$", "$$")+"${2}")
		if *update {
			if err := os.WriteFile(filepath.Join(module, "README.md"), []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if readme != want {
			t.Errorf("%s/README.md does not have the inputs and outputs of the module. "+
				"Run: go test ./internal/guide -run TestModuleReadme -update", module)
		}
	}
}

// inputs returns the table of the variables in a file.
func inputs(t *testing.T, file string) string {
	t.Helper()
	rows := [][]string{{"name", "description", "default"}}
	for _, b := range blocks(t, file, "variable") {
		standard := "required"
		if match := regexp.MustCompile(`(?m)^  default +?= (.*)$`).FindStringSubmatch(b.body); match != nil {
			standard = "`" + match[1] + "`"
		}
		rows = append(rows, []string{"`" + b.name + "`", strings.ReplaceAll(b.description, `\"`, `"`), standard})
	}
	return table(rows)
}

// outputs returns the table of the outputs in a file.
func outputs(t *testing.T, file string) string {
	t.Helper()
	rows := [][]string{{"name", "description"}}
	for _, b := range blocks(t, file, "output") {
		rows = append(rows, []string{"`" + b.name + "`", b.description})
	}
	return table(rows)
}

// table returns rows as a Markdown table. The first row is the head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

type block struct{ name, description, body string }

// blocks returns the blocks of a type in a formatted file of HCL. Each has to have a description.
func blocks(t *testing.T, file, kind string) []block {
	t.Helper()
	var all []block
	for _, match := range regexp.MustCompile(`(?ms)^`+kind+` "(\w+)" \{\n(.*?)^\}`).FindAllStringSubmatch(file, -1) {
		description := regexp.MustCompile(`(?m)^  description = "(.*)"$`).FindStringSubmatch(match[2])
		if description == nil {
			t.Errorf("%s %s has no description", kind, match[1])
			continue
		}
		all = append(all, block{match[1], description[1], match[2]})
	}
	return all
}
