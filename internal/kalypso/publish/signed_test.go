// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// signing has the runs of a server sign their commits, and returns the key.
func (s *server) signing(t testing.TB) gittest.SigningKey {
	t.Helper()
	key := gittest.NewSSHSigningKey(t, "ed25519", "")
	var err error
	if s.key, err = git.NewSigningKey(key.Private, "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	s.Publisher = s.publisher(t)
	return key
}

// allSigned has git verify every commit of the provider, on whatever branch.
func (s server) allSigned(t testing.TB, key gittest.SigningKey, atLeast int) {
	t.Helper()
	if ours := s.repo.VerifyCommits(t, key, "terraform-provider-kalypso"); ours < atLeast {
		t.Errorf("there are %d commits of ours, not %d", ours, atLeast)
	}
}

// Every operation signs: the first commit of a repository, a change, a repair, a move with its
// second branch, a takeover from a record, a removal.
func TestSigned(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	key := s.signing(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	i.apply(t, s.settings(both("green")))
	s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited: true\n"})
	i.apply(t, s.settings(both("green")))
	moved := s.settings(both("green"))
	moved.Branch.Value = "next"
	i.apply(t, moved)
	heir := &instance{server: s}
	heir.apply(t, moved)
	succeeded(t, heir.destroy(t))
	s.allSigned(t, key, 7)
}

// The commits of requests are signed: those of a new branch, of a branch that grows, of one
// that merges the base branch, and of a removal.
func TestSignedRequests(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	key := s.signing(t)
	i := &instance{server: s}
	for _, settings := range []publish.Settings{s.proposing("blue"), s.proposing("green")} {
		i.apply(t, settings)
	}
	s.edit(t, "prod", map[string]string{"docs/more.md": "more\n"})
	i.apply(t, s.proposing("red"))
	s.merge(t, "merge")
	i.refresh(t)
	succeeded(t, i.destroy(t))
	s.allSigned(t, key, 4)
}

// The apply that changes a request without signatures replaces it, so that no commit without a
// signature is merged.
func TestSignedReplacesUnsignedRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	unsigned := s.only(t)
	key := i.signing(t)
	i.standsStill(t, s.proposing("blue"))
	i.apply(t, s.requesting(both("blue"), request.Settings{AutoMerge: "merge"}))
	pulls := s.github.Pulls()
	if len(pulls) != 2 || pulls[0].Merged || pulls[0].State != "closed" || !pulls[1].Merged {
		t.Errorf("the requests are %+v", pulls)
	}
	i.refreshed(t, ownership.InSync)
	s.repo.DeleteBranch(t, unsigned.Head)
	s.repo.Prune(t)
	s.allSigned(t, key, 1)
}
