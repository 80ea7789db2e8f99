// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// draft is a change to a new branch, the first one that there is.
func draft(t testing.TB, content string) git.Draft {
	t.Helper()
	return git.Draft{
		Work: job("propose "+content, edits{"fleet/drone": folder(drone(t, content))}),
		Name: func(number int) string { return fmt.Sprintf("kalypso/dev/1234-%d", number) },
		Next: 1,
	}
}

// onto has a draft go on with a branch that was proposed.
func onto(d git.Draft, open git.Proposed) git.Draft {
	d.Open, d.Seen = open, open.Commit
	d.Holds = func(git.Change) bool { return false }
	return d
}

func propose(t testing.TB, r origin, d git.Draft) git.Proposed {
	t.Helper()
	p, err := r.client(t).Propose(t.Context(), r.branch("dev"), d)
	if err != nil {
		t.Fatalf("Propose: %v", err)
	}
	return p
}

// A new branch has one commit on the base branch, which is left alone. An apply that is
// repeated adopts what it finds.
func TestPropose(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	base := r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	again := propose(t, r, draft(t, "one"))
	if first.Branch != again.Branch || first.Commit != again.Commit || first.Branch != "kalypso/dev/1234-1" || first.Number != 1 {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if first.Base.String() != base || first.On != first.Base || r.repo.Head(t, "dev") != base {
		t.Errorf("the base is %s, expected %s", first.Base, base)
	}
	if log := r.repo.Log(t, first.Branch); len(log) != 2 || log[0] != "propose one" {
		t.Errorf("log %v", log)
	}
	r.repo.Fsck(t)

	r.repo.Branch(t, "dev", first.Branch)
	if merged := propose(t, r, draft(t, "one")); merged.Branch != "" || merged.Found["fleet/drone"] == nil {
		t.Errorf("there was nothing to propose, but %+v", merged)
	}
}

// What is proposed is one more commit on the open branch, which merges the base branch in
// if that has moved. An apply that was killed after its push is completed.
func TestProposeMore(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	last := propose(t, r, draft(t, "one"))
	for i, step := range []struct {
		content string
		moved   bool
	}{{"two", false}, {"three", true}, {"three", true}, {"four", false}} {
		if step.moved {
			r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": {byte(i)}}, "elsewhere")
		}
		d := onto(draft(t, step.content), last)
		now, again := propose(t, r, d), propose(t, r, d)
		if now.Branch != last.Branch || now.Commit == last.Commit || again.Commit != now.Commit || now.On.String() != r.repo.Head(t, "dev") {
			t.Errorf("%d: last %+v, now %+v, again %+v", i, last, now, again)
		}
		log, commits := r.repo.Log(t, now.Branch), r.repo.Commits(t, now.Branch)
		merged := 0
		for _, subject := range log {
			if subject == "elsewhere" {
				merged++
			}
		}
		if log[0] != "propose "+step.content || commits[len(commits)-2] != last.Commit.String() || merged != len(r.repo.Log(t, "dev"))-1 {
			t.Errorf("%d: the branch has got %v", i, log)
		}
		files := r.repo.Files(t, now.Branch)
		if files[reconciler] != step.content || files["elsewhere"] != r.repo.Files(t, "dev")["elsewhere"] {
			t.Errorf("%d: the branch holds %v", i, files)
		}
		last = now
	}
	r.repo.Fsck(t)
}

// What the open branch holds already is not pushed again, and if the base branch is
// elsewhere, that is still noted as it was.
func TestProposeStanding(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
	d := onto(draft(t, "one"), first)
	d.Holds = func(git.Change) bool { return true }
	if again := propose(t, r, d); again.Branch != first.Branch || again.Commit != first.Commit || again.On != first.On ||
		again.Base == first.Base {
		t.Errorf("first %+v, again %+v", first, again)
	}
}

// After a merge, the next request has a branch of the next number, which starts from the
// base branch. So it is where the open branch is gone.
func TestProposeAfterRevert(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	before := r.repo.Head(t, "dev")
	r.repo.Branch(t, "dev", first.Branch)
	reverted := r.repo.CommitTree(t, "dev", before, "revert")
	d := draft(t, "one")
	d.Next = 2
	again := propose(t, r, d)
	if again.Number != 2 || r.repo.Head(t, first.Branch) != first.Commit.String() {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if commits := r.repo.Commits(t, again.Branch); commits[len(commits)-2] != reverted {
		t.Errorf("the new commit is on %s, not on the base %s", commits[len(commits)-2], reverted)
	}
	r.repo.DeleteBranch(t, again.Branch)
	d.Next = 3
	if third := propose(t, r, onto(d, again)); third.Number != 3 {
		t.Errorf("again %+v, then %+v", again, third)
	}
}

func parsed(t *testing.T, text string) tree.ID {
	t.Helper()
	id, err := tree.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const reconciler = "fleet/drone/hello/reconciler.yaml"

// A commit is the same as the commit of another run if their messages differ only in lines
// that change with each run.
func TestProposeInAnotherRun(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	in := func(message string) git.Proposed {
		d := draft(t, "one")
		d.Work = job(message, edits{"fleet/drone": folder(drone(t, "one"))})
		d.Lasting = func(message string) string { return strings.TrimRight(message, "0123456789\n") }
		return propose(t, r, d)
	}
	first := in("run 1")
	if again := in("run 22"); again.Branch != first.Branch || again.Commit != first.Commit {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if other := in("fun 22"); other.Branch == first.Branch {
		t.Errorf("first %+v, other %+v", first, other)
	}
}

// What somebody has pushed to the open branch before the plan stays there, and what is
// proposed gets a branch of its own. What was pushed after the plan, in whatever folder,
// stops the change.
func TestProposeOnEditedBranch(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	next := func(content string) git.Draft {
		d := onto(draft(t, content), first)
		d.Next = 2
		return d
	}
	seen := first.Commit
	for _, file := range []string{"elsewhere", reconciler} {
		edited := r.repo.CommitFiles(t, first.Branch, map[string][]byte{file: []byte("edited")}, "reviewer")
		for _, content := range []string{"one", "two"} {
			d := next(content)
			d.Seen = seen
			if _, err := r.client(t).Propose(t.Context(), r.branch("dev"), d); !remote.Is(err, remote.KindHeadMoved) ||
				!strings.Contains(err.Error(), first.Branch) {
				t.Errorf("%s was pushed after the plan: %v", file, err)
			}
		}
		seen = parsed(t, edited)
	}
	edited := r.repo.Head(t, first.Branch)
	d := next("one")
	d.Seen = seen
	again := propose(t, r, d)
	if log := r.repo.Log(t, again.Branch); again.Number != 2 || r.repo.Head(t, first.Branch) != edited ||
		!slices.Equal(log, []string{"propose one", "foreign"}) {
		t.Errorf("first %+v, again %+v, log %v", first, again, log)
	}
	if text := r.repo.Files(t, again.Branch)[reconciler]; text != "one" {
		t.Errorf("the branch holds %q", text)
	}
}

// We never build on a branch of somebody else that has the name of ours, with any content.
func TestProposeOnForeignBranch(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	for name, forge := range map[string]func() string{
		"another file beside ours": func() string {
			return r.repo.CommitFiles(t, first.Branch, map[string][]byte{".github/workflows/evil.yml": []byte("x")}, "propose one")
		},
		"our files by another author": func() string {
			r.repo.Branch(t, "forged", "dev")
			return r.repo.CommitTree(t, "forged", first.Branch, "propose one")
		},
		"our files on another base": func() string {
			return r.repo.CommitTree(t, "orphan", first.Branch, "propose one")
		},
	} {
		forged := forge()
		r.repo.Branch(t, first.Branch, forged)
		got := propose(t, r, draft(t, "one"))
		if got.Branch == first.Branch || r.repo.Head(t, first.Branch) != forged ||
			r.repo.Files(t, got.Branch)[".github/workflows/evil.yml"] != "" {
			t.Errorf("%s: proposed %+v", name, got)
		}
		if log := r.repo.Log(t, got.Branch); !slices.Equal(log, []string{"propose one", "foreign"}) {
			t.Errorf("%s: log %v", name, log)
		}
		r.repo.DeleteBranch(t, got.Branch)
		r.repo.Branch(t, first.Branch, first.Commit.String())
	}
}

// The base branch has to exist, or it is made from the branch that is named.
func TestProposeWithoutBase(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "main", bytesOf(foreign), "foreign")
	_, err := r.client(t).Propose(t.Context(), r.branch("dev"), draft(t, "one"))
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != remote.KindBaseNotFound {
		t.Errorf("error %v", err)
	}
	d := draft(t, "one")
	d.StartFrom = "main"
	p := propose(t, r, d)
	if r.repo.Head(t, "dev") != r.repo.Head(t, "main") || p.Branch == "" {
		t.Errorf("dev is %s, main %s, proposed %+v", r.repo.Head(t, "dev"), r.repo.Head(t, "main"), p)
	}
}
