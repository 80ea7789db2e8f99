// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// proposal has a content of the folder fleet/drone. The name of its branch has the wanted content
// and what the base has.
func proposal(t testing.TB, content string) git.Proposal {
	t.Helper()
	return git.Proposal{
		Work: job("propose "+content, edits{"fleet/drone": folder(drone(t, content))}),
		Name: func(change git.Change, base map[string]tree.ID) string {
			return fmt.Sprintf("kalypso/dev/%s-%s", change.Edits["fleet/drone"].ID.Short(), base["fleet/drone"].Short())
		},
		IsKnown: func(string) (bool, error) { return false, nil },
	}
}

func propose(t testing.TB, r origin, d git.Proposal) git.Proposed {
	t.Helper()
	p, err := r.client(t).Propose(t.Context(), r.branch("dev"), d)
	if err != nil {
		t.Fatalf("Propose: %v", err)
	}
	return p
}

const reconciler = "fleet/drone/hello/reconciler.yaml"

// A new branch has one commit on the head of the base branch, which stays as it is. An apply that
// was killed after its push finds the branch and pushes nothing.
func TestPropose(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	base := r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, proposal(t, "one"))
	if again := propose(t, r, proposal(t, "one")); first.Branch != again.Branch || first.Commit != again.Commit {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if r.repo.Head(t, "dev") != base {
		t.Errorf("the base is %s, expected %s", r.repo.Head(t, "dev"), base)
	}
	if log := r.repo.Log(t, first.Branch); !slices.Equal(log, []string{"propose one", "foreign"}) {
		t.Errorf("log %v", log)
	}
	if text := r.repo.Files(t, first.Branch)[reconciler]; text != "one" {
		t.Errorf("the branch has %q", text)
	}
	r.repo.Fsck(t)

	r.repo.Branch(t, "dev", first.Branch)
	if merged := propose(t, r, proposal(t, "one")); merged.Branch != "" {
		t.Errorf("there was nothing to propose, but %+v", merged)
	}
}

// Each content has a branch of its own, from the present head of the base branch. No branch is
// pushed twice.
func TestProposeOtherContent(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, proposal(t, "one"))
	r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
	second := propose(t, r, proposal(t, "two"))
	if first.Branch == second.Branch || r.repo.Head(t, first.Branch) != first.Commit.String() {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if log := r.repo.Log(t, second.Branch); !slices.Equal(log, []string{"propose two", "elsewhere", "foreign"}) {
		t.Errorf("log %v", log)
	}
	// The base moved after the push of the first branch. Nothing shows any more that the branch has
	// our change alone.
	_, err := r.client(t).Propose(t.Context(), r.branch("dev"), proposal(t, "one"))
	if !remote.Is(err, remote.KindRefused) || !strings.Contains(err.Error(), "Delete the branch") {
		t.Errorf("the error is %v", err)
	}
	r.repo.Fsck(t)
}

// A known branch needs no push, whatever it has, and even if it is gone.
func TestProposeKnown(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	first := propose(t, r, proposal(t, "one"))
	known := proposal(t, "one")
	known.IsKnown = func(branch string) (bool, error) { return branch == first.Branch, nil }
	edited := r.repo.CommitFiles(t, first.Branch, map[string][]byte{reconciler: []byte("edited")}, "reviewer")
	if got := propose(t, r, known); got.Branch != first.Branch || got.Commit.String() != edited || r.repo.Head(t, first.Branch) != edited {
		t.Errorf("proposed %+v", got)
	}
	r.repo.DeleteBranch(t, first.Branch)
	if got := propose(t, r, known); got.Branch != first.Branch || !got.Commit.IsZero() || r.repo.Head(t, first.Branch) != "" {
		t.Errorf("proposed %+v", got)
	}
	known.IsKnown = func(string) (bool, error) { return false, fmt.Errorf("the forge is down") }
	if _, err := r.client(t).Propose(t.Context(), r.branch("dev"), known); err == nil || !strings.Contains(err.Error(), "the forge is down") {
		t.Errorf("error %v", err)
	}
}

// A branch of somebody else with the name of ours is never overwritten.
func TestProposeOnForeignBranch(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string][]byte{
		"other content":   {reconciler: []byte("edited")},
		"without ours":    {reconciler: nil},
		"one file beside": {"fleet/drone/hello/more.yaml": []byte("x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
			first := propose(t, r, proposal(t, "one"))
			theirs := r.repo.CommitFiles(t, first.Branch, files, "theirs")
			_, err := r.client(t).Propose(t.Context(), r.branch("dev"), proposal(t, "one"))
			if !remote.Is(err, remote.KindRefused) || !strings.Contains(err.Error(), first.Branch) || r.repo.Head(t, first.Branch) != theirs {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The base branch has to exist, or is made from the branch that is named.
func TestProposeWithoutBase(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "main", bytesOf(foreign), "foreign")
	d := proposal(t, "one")
	if _, err := r.client(t).Propose(t.Context(), r.branch("dev"), d); !remote.Is(err, remote.KindBaseNotFound) {
		t.Errorf("error %v", err)
	}
	d.StartFrom = "absent"
	if _, err := r.client(t).Propose(t.Context(), r.branch("dev"), d); !remote.Is(err, remote.KindStartNotFound) {
		t.Errorf("error %v", err)
	}
	d.StartFrom = "main"
	p := propose(t, r, d)
	if r.repo.Head(t, "dev") != r.repo.Head(t, "main") || p.Branch == "" {
		t.Errorf("dev is %s, main %s, proposed %+v", r.repo.Head(t, "dev"), r.repo.Head(t, "main"), p)
	}
}
