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

func draft(t testing.TB, content string) git.Draft {
	t.Helper()
	return git.Draft{
		Job: job("propose "+content, edits{"fleet/drone": folder(drone(t, content))}),
		Name: func(root, base tree.ID, taken int) string {
			return fmt.Sprintf("kalypso/dev/%s-%s-%d", root.Short(), base.Short(), taken)
		},
	}
}

func propose(t testing.TB, r origin, d git.Draft) git.Proposed {
	t.Helper()
	p, err := r.client(t).Propose(t.Context(), r.branch("dev"), d)
	if err != nil {
		t.Fatalf("Propose: %v", err)
	}
	return p
}

// The same files on the same base make one branch with one commit, however often
// they are proposed; the base branch is left alone.
func TestPropose(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	base := r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	again := propose(t, r, draft(t, "one"))
	if first.Branch != again.Branch || first.Commit != again.Commit || first.Branch != fmt.Sprintf("kalypso/dev/%s-%s-0", r.repo.Tree(t, first.Branch, "")[:12], base[:12]) {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if first.Base.String() != base || r.repo.Head(t, "dev") != base {
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

// What was merged and reverted is proposed on a branch of another name: nothing is
// pushed by force.
func TestProposeAfterRevert(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	before := r.repo.Head(t, "dev")
	r.repo.Branch(t, "dev", first.Branch)
	reverted := r.repo.CommitTree(t, "dev", before, "revert")
	again := propose(t, r, draft(t, "one"))
	if again.Branch == first.Branch || r.repo.Head(t, first.Branch) != first.Commit.String() {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if commits := r.repo.Commits(t, again.Branch); commits[len(commits)-2] != reverted {
		t.Errorf("the new commit stands on %s, not on the base %s", commits[len(commits)-2], reverted)
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

// A commit is the same that another run has made, where its message is but for what does
// not last.
func TestProposeInAnotherRun(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	in := func(message string) git.Proposed {
		d := draft(t, "one")
		d.Job = job(message, edits{"fleet/drone": folder(drone(t, "one"))})
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

// known is the draft as a plan made it that saw our open request's branch there.
func known(t *testing.T, p git.Proposed, wanted string) git.Draft {
	t.Helper()
	d := draft(t, wanted)
	d.Known = p
	return d
}

// What somebody has pushed to the branch of our open request before the plan stays there,
// and what is proposed gets a branch of its own. What was pushed after the plan, in
// whatever folder, stops the change.
func TestProposeOnEditedBranch(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	seen := first
	for _, file := range []string{"elsewhere", reconciler} {
		edited := r.repo.CommitFiles(t, first.Branch, map[string][]byte{file: []byte("edited")}, "reviewer")
		for _, wanted := range []string{"one", "two"} {
			d := known(t, seen, wanted)
			d.Stands = wanted == "one"
			if _, err := r.client(t).Propose(t.Context(), r.branch("dev"), d); !remote.Is(err, remote.KindHeadMoved) || !strings.Contains(err.Error(), first.Branch) {
				t.Errorf("%s was pushed after the plan: %v", file, err)
			}
		}
		seen.Commit = parsed(t, edited)
	}
	edited := r.repo.Head(t, first.Branch)
	again := propose(t, r, known(t, seen, "one"))
	if log := r.repo.Log(t, again.Branch); again.Branch == first.Branch || r.repo.Head(t, first.Branch) != edited || !slices.Equal(log, []string{"propose one", "foreign"}) {
		t.Errorf("first %+v, again %+v, log %v", first, again, log)
	}
	if text := r.repo.Files(t, again.Branch)[reconciler]; text != "one" {
		t.Errorf("the branch holds %q", text)
	}
}

// A branch that somebody else has made under the name that ours would have is never
// built on, whatever it holds.
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
		if got.Branch == first.Branch || r.repo.Head(t, first.Branch) != forged || r.repo.Files(t, got.Branch)[".github/workflows/evil.yml"] != "" {
			t.Errorf("%s: proposed %+v", name, got)
		}
		if log := r.repo.Log(t, got.Branch); !slices.Equal(log, []string{"propose one", "foreign"}) {
			t.Errorf("%s: log %v", name, log)
		}
		r.repo.DeleteBranch(t, got.Branch)
		r.repo.Branch(t, first.Branch, first.Commit.String())
	}
}

// A standing proposal is kept when the base moves elsewhere.
func TestProposeStanding(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
	d := known(t, first, "one")
	d.Stands = true
	if again := propose(t, r, d); again.Branch != first.Branch || again.Commit != first.Commit {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if moved := propose(t, r, draft(t, "one")); moved.Branch == first.Branch {
		t.Errorf("the tree is another one, but the branch is the same: %+v", moved)
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
