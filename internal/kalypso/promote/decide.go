// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promote

import (
	"context"
	"fmt"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Settings are the settings of a promotion.
type Settings struct {
	// Input are those of the rule. Decide fills in what is read: the tracks, reports and commits, the names of environments, and the time.
	decision.Input
	// Target is the place of the environment, and Before has the places of Input.After.
	Target record.Place
	Before []record.Place
	// From is the source of a first environment; nil for a later one.
	From *Source
	// Given are reports by commit, beside those of forges; nil for none.
	Given map[string][]decision.Report
}

// Problem says why a promotion cannot be decided.
type Problem struct {
	// Block is the block of the settings that it is about: target, after or source. Index is the position of an after.
	Block string
	Index int
	Err   error
}

// maxSource is how many commits of a source are read if one of them is searched.
const maxSource = 50

// Decide reads the tracks, the source and the reports on candidates, and applies the rule. If there are problems, it returns all of them,
// and a result that has only the release that the environment is at.
func (r Reader) Decide(ctx context.Context, s Settings) (result decision.Result, problems []Problem) {
	ctx = remote.Trusting(ctx, s.repositories()...)
	in, failed := &s.Input, Problem{}
	fail := func(block string, index int, err error) {
		if err != nil {
			problems = append(problems, Problem{block, index, err})
		}
	}
	reports := func(block string, index int, repo string, checks []decision.Check) decision.Reports {
		if len(checks) == 0 {
			return nil
		}
		read, err := r.Reports(ctx, repo, s.Given)
		if err != nil {
			fail(block, index, fmt.Errorf("%w%s", err, noReports))
		}
		return func(commit string) ([]decision.Report, error) {
			found, err := read(commit)
			if err != nil {
				failed = Problem{block, index, err}
			}
			return found, err
		}
	}
	environment := func(block string, index int, p record.Place, e *decision.Environment) {
		var err error
		e.Track, err = r.Track(ctx, p)
		fail(block, index, err)
		e.Reports = reports(block, index, p.Branch.Repo, e.Checks)
	}
	s.name()
	environment("target", 0, s.Target, &in.Own)
	if differ := in.Own.Track.Differ; differ != "" && len(s.Target.ClusterTypes) == 0 {
		fail("target", 0, fmt.Errorf("the records of %s on %s have several releases: %s. If they are waves, name the cluster types of one wave "+
			"in target (cluster_types). If they are folders, name the folder (path)", in.Own.Name, s.Target.Branch, differ))
	}
	for i, p := range s.Before {
		environment("after", i, p, &in.After[i].Environment)
	}
	if s.From != nil {
		most := 1
		if in.Pin != "" || len(in.Source.Checks) > 0 {
			most = maxSource
		}
		var err error
		in.Source.Commits, err = r.Source(ctx, *s.From, most)
		fail("source", 0, err)
		in.Source.Reports = reports("source", 0, s.From.Branch.Repo, in.Source.Checks)
	}
	if in.Now = time.Now(); len(problems) == 0 {
		var err error
		if result, err = decision.Decide(*in); err == nil {
			return result, nil
		}
		fail(failed.Block, failed.Index, err)
	}
	result = decision.Result{}
	if steps := in.Own.Track.Steps; len(steps) > 0 {
		result.Release = steps[len(steps)-1].Release
	}
	return result, problems
}

// noReports says what to do without a forge.
const noReports = ". Checks need reports: commit statuses of GitHub, Gitea, GitLab or Azure Repos, or the attribute reports. Without " +
	"either, write checks_required = false in after: a release then only has to be in the environment and to have soaked there"

// repositories returns the repositories in the settings. Their hosts get the credentials from environment variables.
func (s *Settings) repositories() []string {
	urls := []string{s.Target.Branch.Repo}
	if s.From != nil {
		urls = append(urls, s.From.Branch.Repo)
	}
	for _, p := range s.Before {
		urls = append(urls, p.Branch.Repo)
	}
	return urls
}

// name gives the environments names for texts. Those with the same name get their branches.
func (s *Settings) name() {
	places, count := append([]record.Place{s.Target}, s.Before...), map[string]int{}
	for _, p := range places {
		count[p.Name()]++
	}
	for i, p := range places {
		name := p.Name()
		if count[name] > 1 {
			name = p.Name("branch " + p.Branch.Name)
		}
		if i == 0 {
			s.Own.Name = name
		} else {
			s.After[i-1].Name = name
		}
	}
}
