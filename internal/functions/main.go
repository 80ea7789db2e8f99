// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command functions fills in the tables of the guide "Template functions". The tables list
// an example of each function that templates can call, with its result, and the functions
// of Sprig that do not exist. The command copies standard input to standard output, and
// replaces each comment that names a table.
package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/guide"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

func main() {
	if err := guide.Fill(os.Stdin, os.Stdout, tables()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func tables() map[string]string {
	mustList := code(slices.Sorted(maps.Keys(mustNames()))...) + "\n"
	tables := map[string]string{"refused": refusedTable(), "aliases": aliasTable(), "must names": mustList}
	for name, group := range groups {
		tables[name] = exampleTable(group)
	}
	return tables
}

// exampleTable returns a table with a row for each function.
func exampleTable(group []example) string {
	rows := [][]string{{"Function", "Example", "Result"}}
	for _, e := range group {
		result := e.result
		if !strings.HasPrefix(result, fails) {
			result = code(visible(result))
		}
		rows = append(rows, []string{code(e.function), code(call(e.template)), result})
	}
	return guide.Table(rows)
}

func aliasTable() string {
	rows := [][]string{{"Function", "The same as"}}
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		rows = append(rows, []string{code(name), code(aliases[name])})
	}
	return guide.Table(rows)
}

// refusedTable returns a table of the functions that do not exist, with a row for each reason.
func refusedTable() string {
	refused := sandbox.Refused()
	byReason := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		byReason[refused[name]] = append(byReason[refused[name]], name)
	}
	rows := [][]string{{"Functions", "Each of these functions"}}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		rows = append(rows, []string{code(byReason[reason]...), reason})
	}
	return guide.Table(rows)
}

// call returns a template without its braces if the template is a single action. Otherwise it
// returns the template unchanged.
func call(template string) string {
	if inner, ok := strings.CutPrefix(template, "{{ "); ok && strings.Count(template, "{{") == 1 {
		return strings.TrimSuffix(inner, " }}")
	}
	return template
}

func code(texts ...string) string { return "`" + strings.Join(texts, "`, `") + "`" }

// unseen matches the spaces of a line that a page does not show.
var unseen = regexp.MustCompile(`(?m)^ +| +$| {2,}`)

// visible returns a result on one line, with signs for line breaks and for the spaces that a
// page does not show.
func visible(result string) string {
	result = unseen.ReplaceAllStringFunc(result, func(spaces string) string { return strings.Repeat("·", len(spaces)) })
	return strings.ReplaceAll(result, "\n", "↵")
}
