// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command messages fills in the tables of the guide "Messages" from the code: it copies
// its input, with a table in the place of each line <!-- table: NAME -->.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(from io.Reader, to io.Writer) error {
	page, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	filled, err := fill(string(page), tables())
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, filled)
	return err
}

// fill puts each table in the place of its line. A table without a line, and a line
// without a table, are errors.
func fill(page string, tables map[string]string) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		line := "<!-- table: " + name + " -->\n"
		if strings.Count(page, line) != 1 {
			return "", fmt.Errorf("want one line <!-- table: %s -->", name)
		}
		page = strings.Replace(page, line, tables[name], 1)
	}
	if strings.Contains(page, "<!-- table:") {
		return "", fmt.Errorf("there is a line for a table that does not exist")
	}
	return page, nil
}

// tables returns all tables by name.
func tables() map[string]string {
	return map[string]string{
		"topics":   topicTable("Message", "%s", publish.Topics),
		"problems": topicTable("Message", "%s", problem.Topics),
		"limits":   topicTable("Limit", "`%s`", limits.Topics),
		"steps":    topicTable("Code", "`%s`", placement.StepCodes),
		"findings": findingTable(),
		"families": familyTable(),
	}
}

// topicTable returns a row for each topic; format is for its title.
func topicTable(title, format string, topics []problem.Topic) string {
	rows := [][]string{{title, "Why", "What to do"}}
	for _, t := range topics {
		rows = append(rows, []string{fmt.Sprintf(format, t.Title), t.Cause, t.Cure})
	}
	return table(rows)
}

func findingTable() string {
	rows := [][]string{{"Code", "Severity", "Why", "What to do"}}
	for _, c := range findings.Codes {
		rows = append(rows, []string{"`" + c.Name + "`", c.Severity, strings.ToUpper(c.Meaning[:1]) + c.Meaning[1:] + ".", c.Cure})
	}
	return table(rows)
}

// familyTable has a row for each kind of errors of servers, with the setting that helps.
func familyTable() string {
	rows := [][]string{{"Error", "Why", "What to do"}}
	for kind, f := range remote.Families {
		if f.Name != "" {
			rows = append(rows, []string{f.Name, f.Cause, strings.TrimSpace(f.Cure + " " + publish.SettingsFor[remote.Kind(kind)])})
		}
	}
	return table(rows)
}

// table returns rows as a Markdown table, the first of which is its head.
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
