// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command messages fills in the tables of the guide "Messages" from the code. It copies
// standard input to standard output, and replaces each comment that names a table.
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

func tables() map[string]string {
	return map[string]string{
		"topics":   topicTable("Message", "%s", message.Topics),
		"problems": topicTable("Message", "%s", problem.Topics),
		"limits":   topicTable("Limit", "`%s`", limits.Topics),
		"steps":    topicTable("Code", "`%s`", placement.StepCodes),
		"findings": findingTable(),
		"families": topicTable("Error", "%s", families()),
	}
}

// topicTable returns a table. Topics with the same cause and cure share a row. format is
// the format of their titles.
func topicTable(title, format string, topics []problem.Topic) string {
	rows := [][]string{{title, "What happened", "What to do"}}
	at := map[problem.Topic]int{} // the rows by cause and cure
	for _, t := range topics {
		name, advice := fmt.Sprintf(format, t.Title), problem.Topic{Cause: t.Cause, Cure: t.Cure}
		if row, ok := at[advice]; ok {
			rows[row][0] += ", " + name
			continue
		}
		at[advice] = len(rows)
		rows = append(rows, []string{name, t.Cause, t.Cure})
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

// families returns a topic for each kind of server error.
func families() (topics []problem.Topic) {
	for _, f := range remote.Families {
		if f.Name != "" {
			topics = append(topics, problem.Topic{Title: f.Name, Cause: f.Cause, Cure: f.Cure})
		}
	}
	return topics
}
