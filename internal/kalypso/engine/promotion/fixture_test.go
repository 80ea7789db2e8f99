// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// start is a Monday, and when everything begins. Times of a scenario are durations since.
var start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func since(text string) time.Time {
	if text == "" {
		return start
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return start.Add(d)
}

// scenario is a promotion to prod with the state of the environments and the reports.
type scenario struct {
	// source are the commits of the source's branch, oldest first: "c1 c2 c3". c3<x has
	// merged the head x, and c3= changes nothing.
	source string
	// checks are reports on commits of the source.
	checks map[string][]said
	// dev and qa are environments before prod, where they are there; each oldest first.
	dev, qa, prod []stage
	rules         promotion.Rules
	now           string
}

// stage is a GitOps commit: its time, its content, and the reports on it. It carries "c1",
// "c1:a1,b2" with the sources a and b at a1 and b2, or "x=c1 y=c2" for several instances.
type stage struct {
	at, carries string
	reports     []said
}

// nothing is the content of an environment that was destroyed. An empty text is unknown
// content.
const nothing = "-"

// at is the commits that an environment began to carry at a time.
func at(when, carries string, reports ...said) stage { return stage{when, carries, reports} }

// said is a report, so long after the commit.
type said struct {
	context     string
	outcome     promotion.Conclusion
	after       time.Duration
	description string
	creator     string
	suite       string
}

// Reports five minutes after the commit.
var (
	green   = says("flux", promotion.Success)
	red     = says("flux", promotion.Failure).because("health check failed")
	pending = says("flux", promotion.Pending)
)

func says(context string, outcome promotion.Conclusion) said {
	return said{context: context, outcome: outcome, after: 5 * time.Minute, creator: "bot"}
}

func (s said) because(description string) said { s.description = description; return s }
func (s said) checks(suite string) said        { s.suite = suite; return s }
func (s said) by(creator string) said          { s.creator = creator; return s }
func (s said) later(d time.Duration) said      { s.after += d; return s }

// reports returns the reports on a commit.
func reports(of time.Time, all []said) []promotion.Report {
	var made []promotion.Report
	for _, s := range all {
		made = append(made, promotion.Report{Context: s.context, Suite: s.suite, Outcome: s.outcome, Description: s.description,
			Creator: s.creator, Time: of.Add(s.after)})
	}
	return made
}

// commits reads a source, oldest first, into its history.
func commits(source string) []promotion.SourceCommit {
	var all []promotion.SourceCommit
	for i, word := range strings.Fields(source) {
		id, heads, _ := strings.Cut(word, "<")
		id, same := strings.CutSuffix(id, "=")
		c := promotion.SourceCommit{ID: id, Same: same, Subject: "Change " + id, Author: "ann",
			Time: start.Add(time.Duration(i-100) * time.Minute)}
		if i > 0 {
			c.Parents = []string{all[0].ID}
		}
		if heads != "" {
			c.Parents = append(c.Parents, strings.Split(heads, ",")...)
		}
		all = slices.Insert(all, 0, c)
	}
	return all
}

// world records the questions of Decide.
type world struct {
	rules promotion.Rules
	facts promotion.Facts
	now   time.Time
	// read is how many commits were read of the source and of each environment; asked are the commits
	// whose reports were, in order.
	read  map[string]int
	asked []string
}

// oneGreen is the one check of environments that have no other.
var oneGreen = []promotion.Check{{Context: "flux"}}

// world makes rules and facts of a scenario.
func (s scenario) world() *world {
	w := &world{rules: s.rules, now: since(s.now), read: map[string]int{}}
	w.rules.Environment = "prod"
	w.rules.After = maps.Clone(s.rules.After)
	if w.rules.After == nil {
		w.rules.After = map[string]promotion.Gate{}
	}
	w.facts = promotion.Facts{Source: w.source(commits(s.source)), After: map[string]promotion.Branch{}}
	w.facts.Target = w.branch("prod", s.prod)
	for name, stages := range map[string][]stage{"dev": s.dev, "qa": s.qa} {
		if stages == nil {
			continue
		}
		gate := w.rules.After[name]
		if gate.Checks == nil {
			gate.Checks = oneGreen
		}
		w.rules.After[name] = gate
		w.facts.After[name] = w.branch(name, stages)
	}
	w.facts.SourceReports = func(commit string) ([]promotion.Report, error) {
		w.asked = append(w.asked, commit)
		return reports(start, s.checks[commit]), nil
	}
	return w
}

// source makes the history of the source.
func (w *world) source(all []promotion.SourceCommit) promotion.SourceCommits {
	return func(i int) (promotion.SourceCommit, bool, error) {
		if i != w.read["source"] {
			panic("not asked for one after the other")
		}
		if i == len(all) {
			return promotion.SourceCommit{}, false, nil
		}
		w.read["source"]++
		return all[i], true, nil
	}
}

// branch makes the branch of an environment. Its GitOps commits are called dev/c2, or
// dev/c2' where it carries c2 again.
func (w *world) branch(name string, stages []stage) promotion.Branch {
	var all []promotion.GitOpsCommit
	said := map[string][]promotion.Report{}
	for _, s := range stages {
		g := promotion.GitOpsCommit{ID: name + "/" + strings.ReplaceAll(s.carries, " ", "+"), Time: since(s.at),
			Carried: map[string]promotion.Release{}}
		for slices.ContainsFunc(all, func(other promotion.GitOpsCommit) bool { return other.ID == g.ID }) {
			g.ID += "'"
		}
		for _, word := range strings.Fields(s.carries) {
			instance, id, several := strings.Cut(word, "=")
			if !several {
				instance, id = "", word
			}
			g.Carried[instance] = released(id)
		}
		switch s.carries {
		case "":
			g.Carried = nil
		case nothing:
			g.Carried = map[string]promotion.Release{}
		}
		said[g.ID] = reports(g.Time, s.reports)
		all = slices.Insert(all, 0, g)
	}
	return promotion.Branch{
		History: func(i int) (promotion.GitOpsCommit, bool, error) {
			if i != w.read[name] {
				panic("not asked for one after the other")
			}
			if i == len(all) {
				return promotion.GitOpsCommit{}, false, nil
			}
			w.read[name]++
			return all[i], true, nil
		},
		Reports: func(commit string) ([]promotion.Report, error) {
			w.asked = append(w.asked, commit)
			return said[commit], nil
		},
	}
}

// released reads "c1:a1,b2"; "A1" is a1 by another name of the source.
func released(text string) promotion.Release {
	r := promotion.Release{}
	var sources string
	r.Commit, sources, _ = strings.Cut(text, ":")
	for _, source := range strings.FieldsFunc(sources, func(r rune) bool { return r == ',' }) {
		if r.Sources == nil {
			r.Sources = promotion.Sources{}
		}
		r.Sources[source[:1]] = strings.ToLower(source)
	}
	return r
}

// releaseOf writes "c1:a1,b2".
func releaseOf(commit string, sources promotion.Sources) string {
	if commit == "" || len(sources) == 0 {
		return orNone(commit)
	}
	return commit + ":" + strings.Join(slices.Sorted(maps.Values(sources)), ",")
}

// decide decides, and fails the test if that is not possible.
func (w *world) decide(t *testing.T) promotion.Result {
	t.Helper()
	r, err := promotion.Decide(t.Context(), w.rules, w.facts, w.now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told is a result in short: "promote c3 from c1; c4 soaking 2h5m; c3 verified".
func told(r promotion.Result) string {
	parts := []string{fmt.Sprintf("%s %s", r.Decision, releaseOf(r.Commit, r.Sources))}
	if r.Commit != r.Current {
		parts[0] += " from " + orNone(r.Current)
	}
	for _, c := range r.Candidates {
		part := fmt.Sprintf("%s %s", releaseOf(c.Commit, c.Sources), c.State)
		if !c.Until.IsZero() {
			part += " " + strings.TrimSuffix(c.Until.Sub(start).String(), "0s")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func orNone(id string) string {
	if id == "" {
		return "-"
	}
	return id
}
