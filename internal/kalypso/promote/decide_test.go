// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promote_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/cputime"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// story is a repository in which things happen, a minute after each other.
type story struct {
	*gitmem.Repo
	t      testing.TB
	minute int
}

// writes makes a commit of an instance: its environment has the name of the branch, unless the text is "environment@branch".
func (s *story) writes(where, instance, release string, types ...string) string {
	environment, branch, isNamed := strings.Cut(where, "@")
	if !isNamed {
		branch = environment
	}
	s.minute++
	r := record.Record{Environment: environment, Branch: branch, Path: ".", Provider: "1", IsPart: len(types) > 0,
		Release: record.Release{Commit: release}, Folders: recordtest.Owning(append(types, "a")[:max(1, len(types))]...)}
	return s.Commit(s.t, gittest.Revision{Branch: branch, Files: map[string][]byte{recordtest.At(recordtest.Instance(instance)): r.Content()},
		Time: recordtest.Start.Add(time.Duration(s.minute) * time.Minute)})
}

// place is an environment, written like the argument of writes, and perhaps one of its cluster types.
func (s *story) place(where string, types ...string) record.Place {
	environment, branch, isNamed := strings.Cut(where, "@")
	if !isNamed {
		branch = environment
	}
	return record.Place{Branch: git.Branch{Repo: s.URL(), Name: branch}, Environment: environment, ClusterTypes: types}
}

// decides returns the decision for an environment after another one without checks, or the problems.
func (s *story) decides(own, before record.Place, change ...func(*promote.Settings)) string {
	s.t.Helper()
	settings := promote.Settings{Target: own, Before: []record.Place{before}}
	settings.After = make([]decision.After, 1)
	for _, change := range change {
		change(&settings)
	}
	r, problems := reader(s.t).Decide(s.t.Context(), settings)
	if len(problems) > 0 {
		return fmt.Sprintf("%s: %s", problems[0].Block, problems[0].Err)
	}
	return fmt.Sprintf("%s %s: %s", r.Decision, r.Release.Commit, strings.ReplaceAll(r.Reason, s.URL(), "REPO"))
}

// What an environment had does not change when somebody pulls before a push, renames its branch, or makes a branch from another one.
func TestDecideAfterOrdinaryDays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		happens func(s *story) (own, before record.Place)
		want    string
	}{
		"somebody pulls before a push to dev": {func(s *story) (own, before record.Place) {
			first := s.writes("dev", "1", "v1")
			s.writes("dev", "1", "v2")
			third := s.writes("dev", "1", "v3")
			s.writes("stage", "2", "v2")
			s.Branch(s.t, "people", first)
			s.CommitFiles(s.t, "people", map[string][]byte{"note.md": []byte("note")}, "a note")
			s.Branch(s.t, "dev", s.Commit(s.t, gittest.Revision{Branch: "people", Merged: []string{third}, Files: s.files("dev")}))
			return s.place("stage"), s.place("dev")
		}, "promote v3: stage gets v3, which came to dev."},
		"somebody pulls after a revert of stage": {func(s *story) (own, before record.Place) {
			s.writes("dev", "1", "v1")
			s.writes("dev", "1", "v2")
			first := s.writes("stage", "2", "v1")
			s.writes("stage", "2", "v2")
			reverted := s.writes("stage", "2", "v1")
			s.Branch(s.t, "people", first)
			s.CommitFiles(s.t, "people", map[string][]byte{"note.md": []byte("note")}, "a note")
			s.Branch(s.t, "stage", s.Commit(s.t, gittest.Revision{Branch: "people", Merged: []string{reverted}}))
			return s.place("stage"), s.place("dev")
		}, `held v1: stage went back from v2 to v1`},
		"the branch of stage is renamed after a revert": {func(s *story) (own, before record.Place) {
			s.writes("dev", "1", "v1")
			s.writes("dev", "1", "v2")
			s.writes("stage@old", "2", "v1")
			s.writes("stage@old", "2", "v2")
			s.writes("stage@old", "2", "v1")
			s.Branch(s.t, "stage", "old")
			s.writes("stage", "3", "v1")
			return s.place("stage"), s.place("dev")
		}, `held v1: stage went back from v2 to v1`},
		"the branch of stage is made from that of dev": {func(s *story) (own, before record.Place) {
			s.writes("dev", "1", "v1")
			s.writes("dev", "1", "v2")
			s.Branch(s.t, "stage", "dev")
			return s.place("stage"), s.place("dev")
		}, "promote v2: stage gets v2, which came to dev. No record on REPO#stage names one release of stage, as before " +
			"its first apply. If it was applied, correct environment, branch, path or cluster_types, or set release in its kalypso_gitops_commit. " +
			"The records are of: environment \"dev\" (.kalypso/1111111111111111), a copy from branch \"dev\"."},
		"a wave whose cluster types are not named": {func(s *story) (own, before record.Place) {
			s.writes("dev", "1", "v1")
			s.writes("stage", "2", "v2", "a")
			s.writes("stage", "3", "v1", "b")
			return s.place("stage"), s.place("dev")
		}, "target: the records of stage on REPO#stage have several releases: environment \"stage\" (.kalypso/2222222222222222) is at v2, " +
			"environment \"stage\" (.kalypso/3333333333333333) is at v1. If they are waves, name the cluster types of one wave in target"},
		"a wave whose cluster types are named": {func(s *story) (own, before record.Place) {
			s.writes("stage", "2", "v1", "a")
			s.writes("stage", "3", "v1", "b")
			s.writes("stage", "2", "v2", "a")
			return s.place("stage", "b"), s.place("stage", "a")
		}, "promote v2: stage (b) gets v2, which came to stage (a)."},
		"two rings with one name": {func(s *story) (own, before record.Place) {
			s.writes("dev@ring-1", "1", "v1")
			s.writes("dev@ring-2", "2", "v1")
			return s.place("dev@ring-2"), s.place("dev@ring-1")
		}, "up_to_date v1: dev (branch ring-2) is at v1, and dev (branch ring-1) has nothing newer."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &story{t: t, Repo: gitmem.New(t)}
			own, before := test.happens(s)
			if got := strings.ReplaceAll(s.decides(own, before), s.URL(), "REPO"); !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// files are those of a branch.
func (s *story) files(branch string) map[string][]byte {
	all := map[string][]byte{}
	for path, text := range s.Files(s.t, branch) {
		all[path] = []byte(text)
	}
	return all
}

// Places with one name have names that differ, as short as possible.
func TestDecideNames(t *testing.T) {
	t.Parallel()
	s := &story{t: t, Repo: gitmem.New(t)}
	eu := "eu"
	place := func(s *story, where string, path *string) record.Place {
		p := s.place(where)
		p.Path = path
		return p
	}
	for want, test := range map[string][2]record.Place{
		"stage is without a release, and so is dev.":                             {s.place("stage"), s.place("dev")},
		"stage is without a release, and so is dev (eu).":                        {s.place("stage"), place(s, "dev", &eu)},
		"dev (branch a) is without a release, and so is dev (branch b).":         {s.place("dev@a"), s.place("dev@b")},
		"dev (branch a, eu) is without a release, and so is dev (branch b, eu).": {place(s, "dev@a", &eu), place(s, "dev@b", &eu)},
		"dev is without a release, and so is dev (eu).":                          {s.place("dev@a"), place(s, "dev@a", &eu)},
	} {
		if got := s.decides(test[0], test[1]); !strings.HasPrefix(got, "nothing : "+want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Three rings are branches of one environment with 9,000 equal stores. A release goes on when 95 % of the stores of the ring before
// are green: not one store, and no store that opens meanwhile, stops it.
func TestDecideRings(t *testing.T) {
	t.Parallel()
	s := &story{Repo: gitmem.New(t), t: t}
	s.writes("prod@prod-5", "1", "v1")
	s.writes("prod@prod-25", "2", "v1")
	s.writes("prod@prod-100", "3", "v1")
	given := map[string][]decision.Report{}
	says := func(commit string, green, red int) {
		given[commit] = nil
		for i := range green + red {
			state := decision.Success
			if i >= green {
				state = decision.Failure
			}
			given[commit] = append(given[commit], decision.Report{Context: fmt.Sprint("kalypso/prod/store/store-", i), State: state,
				Time: recordtest.Start.Add(time.Hour)})
		}
	}
	ring := func(own, before string, atLeast int, want string) {
		t.Helper()
		got := s.decides(s.place("prod@"+own), s.place("prod@"+before), func(settings *promote.Settings) {
			settings.Given = given
			settings.After[0].Checks = []decision.Check{{Context: "kalypso/prod/store/*", AtLeast: atLeast, MinGreen: &decision.Share{Percent: 95}}}
		})
		if got != want {
			t.Errorf("%s: %s, want %s", own, got, want)
		}
	}
	first := s.writes("prod@prod-5", "1", "v2")
	says(first, 200, 0)
	ring("prod-25", "prod-5", 400, `up_to_date v1: prod (branch prod-25) waits for prod (branch prod-5): v2 has 200 of the 380 green `+
		`contexts of "kalypso/prod/store/*" that min_green needs in prod (branch prod-5).`)
	says(first, 449, 1)
	ring("prod-25", "prod-5", 400, "promote v2: prod (branch prod-25) gets v2, which is verified in prod (branch prod-5), not green, as "+
		"min_green allows: kalypso/prod/store/store-449.")
	ring("prod-100", "prod-25", 1600, "up_to_date v1: prod (branch prod-100) is at v1, and prod (branch prod-25) has nothing newer.")
	second := s.writes("prod@prod-25", "2", "v2")
	says(second, 1709, 91)
	ring("prod-100", "prod-25", 1600, "up_to_date v1: prod (branch prod-100) waits for prod (branch prod-25): v2 failed in prod (branch "+
		"prod-25): kalypso/prod/store/store-1709, kalypso/prod/store/store-1710, kalypso/prod/store/store-1711 and 88 more red since "+
		"2026-03-02 09:00 UTC.")
	says(second, 1710, 90)
	ring("prod-100", "prod-25", 1600, "promote v2: prod (branch prod-100) gets v2, which is verified in prod (branch prod-25), not green, as "+
		"min_green allows: kalypso/prod/store/store-1710, kalypso/prod/store/store-1711, kalypso/prod/store/store-1712 and 87 more.")
	says(s.writes("prod@prod-100", "3", "v2"), 6750, 0)
	ring("prod-100", "prod-25", 1600, "up_to_date v2: prod (branch prod-100) is at v2, and prod (branch prod-25) has nothing newer.")
}

// BenchmarkDecideRings decides for the two later rings of 9,000 stores. Each reads the reports of all stores from one text.
func BenchmarkDecideRings(b *testing.B) {
	s := &story{Repo: gitmem.New(b), t: b}
	var text strings.Builder
	for i, ring := range []struct {
		branch string
		stores int
	}{{"prod-5", 450}, {"prod-25", 1800}, {"prod-100", 6750}} {
		var commit string
		for release := range 3 - i { // each ring is one release behind the one before
			commit = s.writes("prod@"+ring.branch, fmt.Sprint(i), fmt.Sprint("v", release+1))
		}
		for store := range ring.stores {
			fmt.Fprintf(&text, `,{"commit":%q,"context":"kalypso/prod/store/store-%d","state":"success","time":"2026-03-02T09:00:00Z"}`,
				commit, store)
		}
	}
	start := cputime.Used()
	for b.Loop() {
		for own, before := range map[string]string{"prod-25": "prod-5", "prod-100": "prod-25"} {
			got := s.decides(s.place("prod@"+own), s.place("prod@"+before), func(settings *promote.Settings) {
				given, err := decision.ParseReports("["+text.String()[1:]+"]", time.Now())
				if err != nil {
					b.Fatal(err)
				}
				settings.Given = given
				settings.After[0].Checks = []decision.Check{{Context: "kalypso/prod/store/*", AtLeast: 400, MinGreen: &decision.Share{Percent: 95}}}
			})
			if !strings.HasPrefix(got, "promote ") {
				b.Fatal(got)
			}
		}
	}
	b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-sec/op")
}
