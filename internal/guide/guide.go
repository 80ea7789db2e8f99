// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package guide puts tables that are made from the code into the pages of guides, for
// make generate.
package guide

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Fill copies a page, with a table in the place of each line <!-- table: NAME -->. A
// table without a line, and a line without a table, are errors.
func Fill(from io.Reader, to io.Writer, tables map[string]string) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	page := string(text)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		line := "<!-- table: " + name + " -->\n"
		if strings.Count(page, line) != 1 {
			return fmt.Errorf("want one line <!-- table: %s -->", name)
		}
		page = strings.Replace(page, line, tables[name], 1)
	}
	if strings.Contains(page, "<!-- table:") {
		return fmt.Errorf("there is a line for a table that does not exist")
	}
	_, err = io.WriteString(to, page)
	return err
}

// Table returns rows as a Markdown table, the first of which is its head.
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
