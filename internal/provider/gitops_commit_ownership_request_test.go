// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// merge merges all requests that are open, the oldest first.
func (h github) merge(t testing.TB) {
	t.Helper()
	for _, open := range h.open() {
		h.server.Merge(t, open.Number, "merge")
	}
}

// A takeover is proposed by a request that changes the record alone. It is settled before
// and after the merge.
func TestAccPullRequest_takeover(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		h := newGitHub(t)
		config := h.proposing("blue", "")
		w := newWorkspace(t, "", nil)
		w.applies(t, config, parallelism)
		h.merge(t)
		former, content := w.instance(t, "prod"), h.repo.TreeWithout(t, "prod", ".kalypso")
		w.forget(t, theCommit)
		said := w.applies(t, config, parallelism)
		expectSaid(t, said, "warning", "Folders are taken over", ".kalypso/"+former)
		w.settled(t)
		p := h.only(t)
		if p.Title != "prod: take over packages as they are" || h.repo.TreeWithout(t, p.Head, ".kalypso") != content {
			t.Errorf("the request is %+v", p)
		}
		expectOwner(t, h.repo, "prod", former, ".", "large", "small")
		h.merge(t)
		w.applies(t, config)
		expectOwned(t, w, h.gitServer, "prod", "blue")
	})
}

// Two requests that claim folders in each other are both open, since neither is in the
// branch. The one that is merged later wins, and the other resource says so.
func TestAccPullRequest_twoClaims(t *testing.T) {
	t.Parallel()
	for name, outerFirst := range map[string]bool{"the outer one first": true, "the inner one first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGitHub(t)
			outer, inner := newWorkspace(t, "", nil), newWorkspace(t, "", nil)
			config := func(path, family string) string {
				return fleetHCL(h.gitServer, fleetOptions{family: family, commit: "pull_request {}\n  path = \"" + path + "\""})
			}
			outer.applies(t, config(".", "blue"))
			inner.applies(t, config("large/x", "blue"))
			winner, loser, path, other := inner, outer, "large/x", "."
			requests := h.open()
			if !outerFirst {
				winner, loser, path, other = outer, inner, other, path
				requests[0], requests[1] = requests[1], requests[0]
			}
			for _, p := range requests {
				h.server.Merge(t, p.Number, "merge")
			}
			loser.write(t, "main.tf", config(other, "green"))
			loser.isRefused(t, h.repo, "apply -auto-approve", "Folders have another owner now", ".kalypso/"+winner.instance(t, "prod"))
			winner.applies(t, config(path, "green"))
			h.merge(t)
			winner.applies(t, config(path, "green"))
			winner.settled(t)
			prefix := strings.TrimPrefix(path+"/", "./")
			if text := h.repo.Files(t, "prod")[prefix+"large/web-live/reconciler.yaml"]; !strings.Contains(text, "family: green") {
				t.Errorf("the later one does not own what it claims:\n%s", text)
			}
		})
	}
}

// Two states that propose the same for one place have a request each: the one that is
// merged later owns the folders, and the other one says so.
func TestAccPullRequest_requestsOfTwoStates(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", "")
	former, later := newWorkspace(t, "", nil), newWorkspace(t, "", nil)
	former.applies(t, config)
	first := h.only(t)
	later.applies(t, config)
	h.server.Merge(t, first.Number, "squash")
	h.merge(t)
	later.applies(t, config)
	expectSaid(t, former.applies(t, config), "warning", "Folders have another owner now", ".kalypso/"+later.instance(t, "prod"))
	former.write(t, "main.tf", h.proposing("green", ""))
	former.isRefused(t, h.repo, "apply -auto-approve", "Folders have another owner now", ".kalypso/"+later.instance(t, "prod"))
}

// A resource whose request was merged since it was applied can leave the configuration.
func TestAccPullRequest_leavesTheConfiguration(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	w := newWorkspace(t, "", nil)
	w.applies(t, h.proposing("blue", ""))
	h.merge(t)
	expectSaid(t, w.applies(t, h.provider), "warning", "Proposes to remove 3 packages in 2 cluster types: prod in ")
	h.merge(t)
	expectFiles(t, h.gitServer, "prod", "docs/index.md")
}
