// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package guide writes tables into the pages of guides, for make generate. The code
// computes the tables.
package guide

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Fill copies a page, and replaces each line <!-- table: NAME --> with a table. Errors: a
// table without a line, and a line without a table.
func Fill(from io.Reader, to io.Writer, tables map[string]string) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	page := string(text)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		line := "<!-- table: " + name + " -->\n"
		if strings.Count(page, line) != 1 {
			return fmt.Errorf("the page does not have exactly one line <!-- table: %s -->", name)
		}
		page = strings.Replace(page, line, tables[name], 1)
	}
	if strings.Contains(page, "<!-- table:") {
		return fmt.Errorf("the page has a line <!-- table: … --> for a table that does not exist")
	}
	_, err = io.WriteString(to, page)
	return err
}

// Table returns rows as a Markdown table. The first row is the head.
func Table(rows [][]string) string {
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
