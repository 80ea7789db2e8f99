// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// The promoted commit's file comes, changes, is put right, goes, and is left to others.
func TestPromotedCommit(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	other := strings.Repeat("ab", 20)
	fleet := with(both("blue"), baseRepo(promoted))
	byHand := promoting(fleet, other)
	for _, step := range []struct {
		name    string
		edited  string // by hand, before
		fleet   engine.Input
		summary string // empty where nothing changes
		want    string
		commits int
	}{
		{"the BaseRepo's", "", fleet, "+2 ~0 -0 packages in 2 cluster types", promoted, 1},
		{"set by hand, it replaces the BaseRepo's", "", byHand, "no package changes; +0 ~1 -0 other files", other, 2},
		{"an edit is drift", "edited", byHand, "no package changes; +0 ~1 -0 other files", other, 4},
		{"where none is known any more, the file goes", "", both("blue"), "no package changes; +0 ~0 -1 other files", "", 5},
		{"it comes again", "", fleet, "no package changes; +1 ~0 -0 other files", promoted, 6},
		{"left to others, it stays as it is, and leaves the record", "", promoting(fleet, ""), "+0 ~0 -0 packages in 0 cluster types", promoted,
			7},
		{"and is nothing to look at", "theirs", promoting(fleet, ""), "", "theirs", 8},
	} {
		if step.edited != "" {
			s.edit(t, "prod", map[string]string{engine.PromotedCommitFile: step.edited})
		}
		plan := i.apply(t, s.settings(step.fleet))
		if step.summary != "" {
			changes(t, plan, step.summary)
		} else if plan.Differs || plan.CommitOpen {
			t.Errorf("%s: something is to do: %+v", step.name, plan)
		}
		s.contains(t, engine.PromotedCommitFile, step.want)
		s.commits(t, "prod", step.commits)
		if i.standsStill(t, s.settings(step.fleet)); t.Failed() {
			t.Fatal(step.name)
		}
	}
	// A file that others have written since is neither taken back nor removed.
	i.fails(t, s.settings(fleet), "already has the file .github/tracking/Promoted_Commit_Id", `set promoted_commit = "" here`)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", engine.PromotedCommitFile)
	s.contains(t, engine.PromotedCommitFile, "theirs")
}

// Of several on one branch, one writes the promoted commit's file, and all say in their
// records which commit they are at: also where nothing else changes with it.
func TestPromotedCommitOfSeveral(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	at := func(commit string) engine.Input { return with(both("blue"), baseRepo(commit)) }
	leaving := func(commit string) publish.Settings { return inFolder(s.settings(promoting(at(commit), "")), "two") }
	next := strings.Repeat("ab", 20)
	records := func(wantOne, wantTwo string) {
		t.Helper()
		for i, want := range map[*instance]string{one: wantOne, two: wantTwo} {
			text := i.repo.Files(t, "prod")[record(i)]
			if !strings.Contains(text, "promoted_commit: "+want+"\n") && !strings.Contains(text, "source_commit: "+want+"\n") {
				t.Errorf("the record is not at %q:\n%s", want, text)
			}
		}
	}
	one.apply(t, inFolder(s.settings(at(promoted)), "one"))
	two.apply(t, leaving(promoted))
	two.standsStill(t, leaving(promoted))
	records(promoted, promoted)
	plan := two.apply(t, leaving(next))
	changes(t, plan, "+0 ~0 -0 packages in 0 cluster types")
	two.standsStill(t, leaving(next))
	one.standsStill(t, inFolder(s.settings(at(promoted)), "one"))
	records(promoted, next)
	s.contains(t, engine.PromotedCommitFile, promoted)
	one.apply(t, inFolder(s.settings(at(next)), "one"))
	records(next, next)
	s.contains(t, engine.PromotedCommitFile, next)
	s.commits(t, "prod", 4)
	succeeded(t, two.destroy(t))
	s.contains(t, engine.PromotedCommitFile, next)
}

// The promoted commit's file is guarded between plan and apply as folders are.
func TestPromotedCommitConflict(t *testing.T) {
	t.Parallel()
	for name, fleet := range map[string]engine.Input{
		"another commit": with(both("blue"), baseRepo(strings.Repeat("cd", 20))),
		"a setting":      with(both("blue"), baseRepo(promoted)),
		"no commit":      both("blue"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(with(both("blue"), baseRepo(promoted))))
			next := s.settings(fleet)
			if name == "a setting" {
				next.Removal = ownership.Retain
			}
			plan, m := i.plan(t, next)
			succeeded(t, m)
			s.edit(t, "prod", map[string]string{engine.PromotedCommitFile: "in between"})
			m = i.carryOut(t, next, plan)
			says(t, m.Errors, "Somebody else changed the file .github/tracking/Promoted_Commit_Id", "Plan again")
			s.contains(t, engine.PromotedCommitFile, "in between")
			s.commits(t, "prod", 2)
			i.apply(t, next)
			s.commits(t, "prod", 3)
			i.standsStill(t, next)
			if there := i.repo.Files(t, "prod")[engine.PromotedCommitFile]; there == "in between" || (there == "") != (name == "no commit") {
				t.Errorf("the file holds %q", there)
			}
		})
	}
}

// A file that is left to others at a move within the branch is let go with a word.
func TestPromotedCommitStaysAtAMove(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(promoting(both("blue"), promoted)))
	moved := inFolder(s.settings(promoting(both("blue"), "")), "fleet")
	_, m := i.plan(t, moved)
	succeeded(t, m)
	says(t, m.Warnings, "The packages move", "No longer watched", engine.PromotedCommitFile)
	i.apply(t, moved)
	s.holds(t, "prod", and(below("fleet", fleetFiles...), engine.PromotedCommitFile)...)
}

// The path can lie around the promoted commit's file. The file's key stays the same, its
// folder does not count as a foreign folder, and no cluster type's folder may hold it.
func TestPromotedCommitBelowThePath(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := inFolder(s.settings(with(both("blue"), baseRepo(promoted))), ".github")
	i.apply(t, settings)
	s.edit(t, "prod", map[string]string{engine.PromotedCommitFile: "edited"})
	plan := i.apply(t, settings)
	changes(t, plan, "no package changes; +0 ~1 -0 other files")
	packages(t, plan.Packages, engine.PromotedCommitFile, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	settings.Fleet = with(fleet("blue", "large", "tracking"), baseRepo(promoted))
	i.fails(t, settings, "A folder would contain the promoted commit's file")
}

// A manifest can name anything as its commit. A name that is not a valid commit is in no
// record, and the record stays valid.
func TestPromotedCommitThatIsNone(t *testing.T) {
	t.Parallel()
	for _, commit := range []string{strings.Repeat("a", 300), "two words", `\u202eabc`} {
		for name, leave := range map[string]bool{"left": true, "written": false} {
			t.Run(fmt.Sprintf("%.9s %s", commit, name), func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				one := &instance{server: s}
				in := with(both("blue"), baseRepo(commit))
				if leave {
					in = promoting(in, "")
				}
				one.apply(t, s.settings(in))
				one.standsStill(t, s.settings(in))
				folder := git.Found{Entries: []tree.Entry{{Name: one.was.Instance, Mode: tree.ModeFile,
					Content: []byte(one.repo.Files(t, "prod")[record(one)])}}}
				records, err := ownership.ReadRecords(&folder, "prod")
				if r := records[one.was.Instance]; err != nil || r.Commit() != "" || len(r.ClusterTypes) != 2 {
					t.Errorf("the record is %+v, error %v", r, err)
				}
			})
		}
	}
}
