// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func draft(t testing.TB, content string) git.Draft {
	t.Helper()
	return git.Draft{
		Job:  job("propose "+content, edits{"fleet/drone": folder(drone(t, content))}),
		Name: func(root tree.ID) string { return "kalypso/dev/" + root.String()[:12] },
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
	eachTransport(t, func(t *testing.T, r origin) {
		base := r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
		first := propose(t, r, draft(t, "one"))
		again := propose(t, r, draft(t, "one"))
		if first.Branch != again.Branch || first.Commit != again.Commit || first.Branch != "kalypso/dev/"+r.repo.Tree(t, first.Branch, "")[:12] {
			t.Errorf("first %+v, again %+v", first, again)
		}
		if first.Base.String() != base || r.repo.Head(t, "dev") != base {
			t.Errorf("the base is %s, expected %s", first.Base, base)
		}
		if log := r.repo.Log(t, first.Branch); len(log) != 2 || log[0] != "propose one" {
			t.Errorf("log %v", log)
		}
		r.repo.Fsck(t)

		r.repo.Git(t, "branch", "-f", "dev", first.Branch)
		if merged := propose(t, r, draft(t, "one")); merged.Branch != "" || merged.Found["fleet/drone"] == nil {
			t.Errorf("there was nothing to propose, but %+v", merged)
		}
	})
}

// A branch of ours that was merged before is made anew on the present base.
func TestProposeAfterRevert(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	before := r.repo.Head(t, "dev")
	r.repo.Git(t, "branch", "-f", "dev", first.Branch)
	reverted := r.repo.Git(t, "commit-tree", "-p", first.Commit.String(), "-m", "revert", before+"^{tree}")
	r.repo.Git(t, "branch", "-f", "dev", reverted[:40])
	again := propose(t, r, draft(t, "one"))
	if again.Branch != first.Branch || again.Commit == first.Commit {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if parent := r.repo.Git(t, "rev-parse", again.Branch+"^"); parent[:40] != reverted[:40] {
		t.Errorf("the new commit stands on %s, not on the base %s", parent, reverted)
	}
}

// What somebody has pushed to the branch stays in its history, and the branch
// holds again what is proposed.
func TestProposeOnEditedBranch(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	r.repo.CommitFiles(t, first.Branch, map[string][]byte{"fleet/drone/hello/reconciler.yaml": []byte("edited")}, "reviewer")
	again := propose(t, r, draft(t, "one"))
	if log := r.repo.Log(t, again.Branch); again.Branch != first.Branch || len(log) != 4 || log[1] != "reviewer" {
		t.Errorf("first %+v, again %+v, log %v", first, again, log)
	}
	if text := r.repo.Files(t, again.Branch)["fleet/drone/hello/reconciler.yaml"]; text != "one" {
		t.Errorf("the branch holds %q", text)
	}
}

// A standing proposal is kept when the base moves elsewhere.
func TestProposeStanding(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, draft(t, "one"))
	r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
	d := draft(t, "one")
	d.Standing = first
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
	r := transports["http"](t)
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
