// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// The bounds of lists: people read this much of a file or a summary, and the page has the
// rest.
const (
	// All pairs of environments share maxDifferences. Each has at least minDifferences.
	maxDifferences = 100
	minDifferences = 10
	// maxMatrix is the largest number of packages for which an environment gets a table.
	maxMatrix     = 200
	maxChanges    = 20
	maxUnreadable = 50
	maxCommits    = 5
	// maxClusterTypes bounds the cluster types of one difference.
	maxClusterTypes = 5
)

// Markdown returns a fleet as Markdown for GitHub, Gitea and GitLab: the environments, the
// differences between them, and for each environment what runs where and its last changes.
// No text of the fleet becomes structure, a link or a mention. Cost: linear in the fleet.
func Markdown(f deployments.Fleet) string {
	asOf := ""
	if !f.Time.IsZero() {
		asOf = "As of " + minute(f.Time) + ".\n"
	}
	parts := []string{"# What runs where\n", asOf, glance(f.Environments), comparison(f, differences(f))}
	for _, e := range f.Environments {
		parts = append(parts, environment(e))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
}

func glance(environments []deployments.Environment) string {
	if len(environments) == 0 {
		return "There is no environment.\n"
	}
	var rows [][]string
	for _, e := range environments {
		workloads, clusterTypes := map[string]bool{}, map[string]bool{}
		for _, p := range e.Packages {
			workloads[p.Name()], clusterTypes[p.ClusterType] = true, true
		}
		counts := []string{"–", "–", "–"}
		if e.Missing() == "" {
			counts = []string{fmt.Sprint(len(e.Packages)), fmt.Sprint(len(workloads)), fmt.Sprint(len(clusterTypes))}
		}
		rows = append(rows, []string{
			markdown.Code(e.Name), health(e.Health), counts[0], counts[1], counts[2],
			markdown.Codes(abbreviated(e.PromotedCommits...), maxCommits), head(e),
		})
	}
	return markdown.Table([]string{"Environment", "Health", "Packages", "Workloads", "Cluster types", "Promoted commit", "Head"}, rows,
		len(rows))
}

func head(e deployments.Environment) string {
	if e.Head == "" {
		return "the branch does not exist"
	}
	at := strings.TrimSpace(markdown.Code(abbreviate(e.Head)) + " " + minute(e.Time))
	if e.NoFolder {
		at += ", the folder does not exist"
	}
	return at
}

// signs are the states of health in the form that people see.
var signs = map[deployments.HealthState]struct{ sign, word string }{
	deployments.Healthy: {"✔", "healthy"}, deployments.Unhealthy: {"✖", "unhealthy"}, deployments.Progressing: {"◔", "in progress"},
}

func health(h deployments.Health) string {
	state, reported := signs[h.State]
	switch {
	case !reported:
		return "not reported"
	case h.Reason == "":
		return state.sign + " " + state.word
	}
	return state.sign + " " + state.word + ": " + markdown.Code(h.Reason)
}

// comparison lists differences by pairs of environments, after the environments that are not
// compared and the numbers of differences.
func comparison(f deployments.Fleet, all []difference) string {
	environments := f.Environments
	if len(all) == 0 && len(environments) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Differences\n")
	for _, e := range environments {
		if missing := e.Missing(); missing != "" {
			fmt.Fprintf(&b, "\n%s has no %s: it is not compared.\n", markdown.Code(e.Name), missing)
		}
	}
	pairs := compared(f)
	if len(all) == 0 && len(pairs) > 0 {
		b.WriteString("\nNo differences between the environments are known.\n")
	}
	most := max(minDifferences, maxDifferences/max(1, len(pairs)))
	if len(all) > 0 {
		b.WriteString("\n" + counts(pairs, all))
	}
	for len(all) > 0 {
		left, right := all[0].Left, all[0].Right
		end := slices.IndexFunc(all, func(d difference) bool { return d.Left != left || d.Right != right })
		if end < 0 {
			end = len(all)
		}
		var rows [][]string
		for _, d := range all[:end] {
			what, where := markdown.Text(d.Kind.Name()), ""
			if d.Kind == deployments.OtherValue {
				what, where = what+" "+markdown.Code(d.Key), markdown.Codes(d.clusterTypes, maxClusterTypes)
			}
			rows = append(rows, []string{markdown.Code(d.Workload), what, where, markdown.Code(d.LeftValue), markdown.Code(d.RightValue)})
		}
		heads := []string{"Workload", "What differs", "Cluster types", markdown.Code(left), markdown.Code(right)}
		fmt.Fprintf(&b, "\n### %s and %s\n\n%s", markdown.Code(left), markdown.Code(right), markdown.Table(heads, rows, most))
		all = all[end:]
	}
	return b.String()
}

// counts is a table of how many differences of each kind there are.
func counts(pairs [][2]string, all []difference) string {
	heads := []string{"Compared"}
	for _, kind := range deployments.DiscrepancyKinds() {
		heads = append(heads, kind.Name())
	}
	number := map[[2]string]map[deployments.DiscrepancyKind]int{}
	for _, d := range all {
		pair := [2]string{d.Left, d.Right}
		if number[pair] == nil {
			number[pair] = map[deployments.DiscrepancyKind]int{}
		}
		number[pair][d.Kind]++
	}
	var rows [][]string
	for _, pair := range pairs {
		cells := []string{markdown.Code(pair[0]) + " and " + markdown.Code(pair[1])}
		for _, kind := range deployments.DiscrepancyKinds() {
			cells = append(cells, fmt.Sprint(number[pair][kind]))
		}
		rows = append(rows, cells)
	}
	return markdown.Table(heads, rows, maxDifferences)
}

func environment(e deployments.Environment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", markdown.Code(e.Name))
	if len(e.Packages) == 0 {
		fmt.Fprintf(&b, "There is no %s.\n", cmp.Or(e.Missing(), "package"))
	}
	var matrix markdown.Matrix
	var drawing markdown.Flowchart
	unreadable := slices.Clone(e.Unreadable)
	for _, p := range e.Packages {
		matrix.Set(p.DeploymentTarget, p.ClusterType, cell(p))
		drawing.Edge(p.DeploymentTarget, p.ClusterType, "", p.Health.State == deployments.Unhealthy)
		for _, line := range p.Unreadable {
			unreadable = append(unreadable, p.Key()+": "+line)
		}
	}
	switch {
	case len(e.Packages) > maxMatrix:
		fmt.Fprintf(&b, "Its %d packages are too many for a table here. The page that fleet_page makes shows them.\n", len(e.Packages))
	case len(e.Packages) > 0:
		b.WriteString(matrix.Markdown(nil))
	}
	if !drawing.Empty() {
		b.WriteString("\n" + strings.Join(drawing.Lines(), "\n") + "\n")
	}
	if len(unreadable) > 0 {
		fmt.Fprintf(&b, "\n### Not readable in %s\n\n%s", markdown.Code(e.Name), markdown.List(unreadable, maxUnreadable))
	}
	b.WriteString(changes(e))
	return b.String()
}

// cell shows a package in the matrix: its health, and its version or the commit of its
// source.
func cell(p deployments.Package) string {
	sign := "·"
	if state, reported := signs[p.Health.State]; reported {
		sign = state.sign
	}
	at := p.Version
	for _, s := range p.Sources {
		at = cmp.Or(at, s.Ref, abbreviate(s.Commit))
	}
	if at == "" {
		return sign
	}
	return sign + " " + markdown.Code(at)
}

// changes lists the last changes of an environment.
func changes(e deployments.Environment) string {
	var rows [][]string
	for _, c := range e.History {
		commit := markdown.Code(abbreviate(c.Commit))
		if c.Run != "" {
			commit += " by " + run(c.Run)
		}
		rows = append(rows, []string{
			minute(c.Time), commit, markdown.Code(c.Author), markdown.Code(c.Subject),
			fmt.Sprintf("+%d ~%d -%d", len(c.Added), len(c.Changed), len(c.Removed)), markdown.Codes(abbreviated(c.PromotedCommits...), maxCommits),
		})
	}
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf("\n### Last changes of %s\n\n%s", markdown.Code(e.Name),
		markdown.Table([]string{"Time", "Commit", "Author", "Subject", "Packages", "Promoted commit"}, rows, maxChanges))
}

// run shows the address of a run as a link, if the address is that of a page.
func run(address string) string {
	if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		return markdown.Link("run", address)
	}
	return markdown.Code(address)
}

// abbreviate returns the first digits of a commit's id, and any other id unchanged.
func abbreviate(commit string) string {
	const digits = 10
	if len(commit) < 40 || strings.Trim(commit, "0123456789abcdefABCDEF") != "" {
		return commit
	}
	return commit[:digits]
}

func abbreviated(commits ...string) []string {
	all := make([]string, len(commits))
	for i, commit := range commits {
		all[i] = abbreviate(commit)
	}
	return all
}

// minute writes a time to the minute; "" for an unknown time.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}
