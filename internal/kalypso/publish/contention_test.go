// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
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
