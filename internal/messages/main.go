// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command messages fills in the tables of the guide "Messages" from the code: it copies
// its input, with a table in the place of each line for one.
package main

import (
	"fmt"
	"os"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/guide"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func main() {
	if err := guide.Fill(os.Stdin, os.Stdout, tables()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tables returns all tables by name.
func tables() map[string]string {
	return map[string]string{
		"topics":   topicTable("Message", "%s", message.Topics),
		"problems": topicTable("Message", "%s", problem.Topics),
		"limits":   topicTable("Limit", "`%s`", limits.Topics),
		"steps":    topicTable("Code", "`%s`", placement.StepCodes),
		"findings": findingTable(),
		"families": familyTable(),
	}
}

// topicTable returns a row for each topic; format is for its title.
func topicTable(title, format string, topics []problem.Topic) string {
	rows := [][]string{{title, "What happened", "What to do"}}
	for _, t := range topics {
		rows = append(rows, []string{fmt.Sprintf(format, t.Title), t.Cause, t.Cure})
	}
	return guide.Table(rows)
}

func findingTable() string {
	rows := [][]string{{"Code", "Severity", "What happened", "What to do"}}
	for _, c := range findings.Codes {
		rows = append(rows, []string{"`" + c.Name + "`", c.Severity, c.Cause, c.Cure})
	}
	return guide.Table(rows)
}

// familyTable has a row for each kind of errors of servers.
func familyTable() string {
	rows := [][]string{{"Error", "What happened", "What to do"}}
	for _, f := range remote.Families {
		if f.Name != "" {
			rows = append(rows, []string{f.Name, f.Cause, f.Cure})
		}
	}
	return guide.Table(rows)
}
