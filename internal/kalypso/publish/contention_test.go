// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Eight states make five commits each on one branch at once, while somebody else pushes after each of
// their commits. Each commit and each foreign file is in the branch in the end.
func TestManyStatesOnOneBranch(t *testing.T) {
	t.Parallel()
	const states, commits = 5, 3
	s := newServer(t)
	s.edit(t, map[string]string{"docs/0.md": "x"})
	resources := make([]*resource, states)
	var working sync.WaitGroup
	for i := range resources {
		resources[i] = s.resource()
		working.Go(func() {
			settings := s.settings(both("f0"))
			settings.Path = given(fmt.Sprintf("p%d", i))
			for n := range commits {
				settings.Fleet = both(fmt.Sprint("f", n))
				resources[i].apply(t, settings)
			}
		})
	}
	done, foreign := make(chan struct{}), 0
	go func() {
		working.Wait()
		close(done)
	}()
	for last, isDone := "", false; !isDone; {
		select {
		case <-done:
			isDone = true
		case <-time.After(time.Millisecond):
			if s.repo.Head(t, "prod") != last { // after a commit of a state, so that each of them ends
				foreign++
				last = s.repo.CommitFiles(t, "prod", map[string][]byte{fmt.Sprintf("docs/%d.md", foreign): []byte("x")}, "foreign")
			}
		}
	}
	files := s.repo.Files(t, "prod")
	for n := range foreign + 1 {
		if files[fmt.Sprintf("docs/%d.md", n)] != "x" {
			t.Errorf("the foreign file %d is lost", n)
		}
	}
	if got := len(s.repo.Commits(t, "prod")); got != 1+states*commits+foreign {
		t.Errorf("the branch has %d commits", got)
	}
	for i, r := range resources {
		settings := s.settings(both(fmt.Sprint("f", commits-1)))
		settings.Path = given(fmt.Sprintf("p%d", i))
		r.isQuiet(t, settings)
		if !strings.Contains(files[fmt.Sprintf("p%d/small/web-live/reconciler.yaml", i)], fmt.Sprint("family: f", commits-1)) {
			t.Errorf("state %d has lost its last commit", i)
		}
	}
}

// ticketHook refuses a push with a commit whose message names no ticket.
const ticketHook = `#!/bin/sh
while read -r old new ref; do
  for commit in $(git rev-list "$new" --not --all); do
    git log -1 --format=%B "$commit" | grep -q 'OPS-[0-9]' || { echo 'a message needs a ticket'; exit 1; }
  done
done
`

// commit_message satisfies a hook that wants a ticket in each message, also in that of a destroy.
func TestHookThatWantsTickets(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	hook := filepath.Join(repo.Path(), "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte(ticketHook), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &server{url: gittest.ServeHTTP(t, repo).URL()}
	r := s.resource()
	settings := s.settings(both("blue"))
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	says(t, r.carryOut(t, settings, plan).Errors, "a message needs a ticket")
	settings.CommitMessage = "OPS-7 {environment}: {summary}"
	r.apply(t, settings)
	settings.Fleet = both("green")
	r.apply(t, settings)
	succeeded(t, r.destroy(t))
	if log := repo.Log(t, "prod"); len(log) != 3 {
		t.Errorf("the branch has the commits %q", log)
	}
}

// A branch that is checked out in a repository of this machine cannot be written.
func TestCheckedOutBranch(t *testing.T) {
	t.Parallel()
	origin := gittest.NewBare(t)
	origin.CommitFiles(t, "prod", map[string][]byte{"README.md": []byte("x")}, "first")
	s := &server{url: "file://" + origin.Clone(t, "prod")}
	r := s.resource()
	settings := s.settings(both("blue"))
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	says(t, r.carryOut(t, settings, plan).Errors, "checked out")
	settings.Branch = given("next")
	r.apply(t, settings)
}
