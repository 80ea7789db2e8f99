// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the database of Go, wherever the tests run

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// begin is hour 0 of all tests: a Monday.
var begin = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func hour(n int) time.Time { return begin.Add(time.Duration(n) * time.Hour) }

// track reads the steps of an environment: "A B/1 - B/1+1". B/1 is commit B with a source at 1, - is
// the end of the environment, and +1 adds another GitOps commit to the step. The GitOps commits of dev
// are dev1, dev2 and so on, an hour apart.
func track(environment, text string) record.Track {
	t := record.Track{}
	count := 0
	for _, word := range strings.Fields(text) {
		word, more, _ := strings.Cut(word, "+")
		extra, _ := strconv.Atoi(more)
		s := record.Step{Release: release(word)}
		for range extra + 1 {
			count++
			s.Commits = append(s.Commits, record.Commit{
				ID: fmt.Sprint(environment, count), Author: "Ann", Subject: word + " to " + environment, Time: hour(count)})
		}
		s.By = s.Commits[0]
		t.Steps = append(t.Steps, s)
	}
	return t
}

func release(word string) record.Release {
	commit, source, hasSource := strings.Cut(strings.Trim(word, "-"), "/")
	r := record.Release{Commit: commit}
	if hasSource {
		r.Sources = map[string]string{"apps#main": source}
	}
	return r
}

// text writes a release as track reads it.
func text(r record.Release) string {
	if source, has := r.Sources["apps#main"]; has {
		return r.Commit + "/" + source
	}
	return r.Commit + strings.Repeat("-", 1-min(1, len(r.Commit)))
}

// reports reads lines such as "dev2 ci success 5": the commit (with *), the context, the state and the
// hour. Without an hour it is that of the commit. A fifth word is the creator.
func reports(t *testing.T, lines ...string) decision.Reports {
	return func(commit string) (found []decision.Report, err error) {
		for _, line := range lines {
			words := append(strings.Fields(line), "", "")
			if matched, err := path.Match(words[0], commit); err != nil || !matched {
				continue
			}
			n, err := strconv.Atoi(words[3])
			if words[3] == "" {
				n, err = strconv.Atoi(strings.TrimLeft(commit, "abcdefghijklmnopqrstuvwxyz"))
			}
			if err != nil {
				t.Errorf("%q for %s: %v", line, commit, err)
			}
			found = append(found, decision.Report{Context: words[1], State: decision.State(words[2]), Time: hour(n), Creator: words[4]})
		}
		return found, nil
	}
}

// stage is an environment after dev, which requires the check ci, at hour 100.
func stage(t *testing.T, own, dev string, lines ...string) decision.Input {
	return decision.Input{
		Own: decision.Environment{Name: "stage", Track: track("stage", own), Reports: reports(t, lines...)},
		After: []decision.After{{Environment: decision.Environment{Name: "dev", Track: track("dev", dev), Reports: reports(t, lines...),
			Checks: []decision.Check{{Context: "ci"}}}}},
		Now: hour(100),
	}
}

// first is an environment without environments before it. The newest commit of the source is the
// first one.
func first(t *testing.T, own, source string, lines ...string) decision.Input {
	in := decision.Input{
		Own:    decision.Environment{Name: "dev", Track: track("dev", own), Reports: reports(t, lines...)},
		Source: &decision.Source{Reports: reports(t, lines...)},
		Now:    hour(100),
	}
	for _, id := range strings.Fields(source) {
		in.Source.Commits = append(in.Source.Commits, record.Commit{ID: id, Subject: "Change " + id})
	}
	return in
}

// scenario is an input with the decision and release, such as "promote B/1", and the reason. The reason
// may be empty where other scenarios have one of its sort.
type scenario struct {
	name         string
	in           decision.Input
	want, reason string
}

func check(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r, err := decision.Decide(s.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s %s", r.Decision, text(r.Release)); got != s.want || s.reason != "" && r.Reason != s.reason {
				t.Errorf("got  %s: %s\nwant %s: %s", got, r.Reason, s.want, s.reason)
			}
		})
	}
}

// stages returns the candidates as "C waiting, B verified".
func stages(r decision.Result) string {
	var all []string
	for _, c := range r.Candidates {
		all = append(all, text(c.Release)+" "+string(c.Stage))
	}
	return strings.Join(all, ", ")
}
