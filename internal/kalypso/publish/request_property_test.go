// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// requests is a resource whose changes are proposed, and what happened to it, in words.
type requests struct {
	*testing.T
	*instance
	random *rand.Rand
	wants  string
	// foreign are branches of others, with their heads.
	foreign map[string]string
	story   []string
}

func (r *requests) tell(format string, args ...any) {
	r.story = append(r.story, fmt.Sprintf(format, args...))
}

// wrong ends the test with what led there.
func (r *requests) wrong(format string, args ...any) {
	r.Helper()
	r.Fatalf("%s, after:\n%s", fmt.Sprintf(format, args...), strings.Join(r.story, "\n"))
}

// anyOf returns one of some; false where there is none.
func anyOf[T any](random *rand.Rand, all []T) (one T, ok bool) {
	if len(all) == 0 {
		return one, false
	}
	return all[random.IntN(len(all))], true
}

// ours returns our own requests that are open, or closed without a merge.
func (r *requests) ours(open bool) []githubtest.Pull {
	return slices.DeleteFunc(r.github.Pulls(), func(p githubtest.Pull) bool {
		return p.Author != "kalypso" || p.Merged || (p.State == "open") != open
	})
}

// grown checks that the heads of our branches only grow, and that the base branch is
// where it was.
func (r *requests) grown(before map[string]string) {
	r.Helper()
	for branch, head := range r.repo.Branches(r.T) {
		was, known := before[branch]
		switch {
		case known && len(r.repo.Ahead(head, was)) > 0:
			r.wrong("%s was pushed to by force", branch)
		case branch == "prod" && head != was:
			r.wrong("the base branch was written to")
		}
	}
}

// run plans, and applies where apply is set; killed throws away what it has noted.
func (r *requests) run(apply, killed bool) {
	r.Helper()
	before, settings := r.repo.Branches(r.T), r.proposing(r.wants)
	plan, m := r.plan(r.T, settings)
	r.tell("  plan: changes %t, %s %v", plan != nil && plan.Differs, r.was.Status, m.Errors)
	if apply && !m.Failed() {
		i := r.instance
		if killed {
			copied := *i
			i = &copied
		}
		m = i.carryOut(r.T, settings, plan)
		r.tell("  apply: %v", m.Errors)
		if m.Failed() && !killed {
			r.wrong("what was planned was not applied: %v", m.Errors)
		}
	}
	r.grown(before)
}

// step does something at random.
func (r *requests) step() {
	method, _ := anyOf(r.random, []string{"merge", "squash"})
	file, _ := anyOf(r.random, []string{"docs/more.md", "small/web-live/reconciler.yaml", "large/more.yaml"})
	content := fmt.Sprint("kind: ", r.random.IntN(1000), "\n")
	switch r.random.IntN(12) {
	case 0, 1:
		r.wants, _ = anyOf(r.random, []string{"blue", "green", "red"})
		r.tell("%s is wanted", r.wants)
	case 2:
		r.tell("a plan")
		r.run(false, false)
	case 3, 4, 5:
		r.tell("an apply")
		r.run(true, false)
	case 6:
		unopened := r.random.IntN(2) == 0
		r.tell("an apply is killed, before the request is opened: %t", unopened)
		if unopened {
			r.github.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/pulls", Status: http.StatusBadRequest})
		}
		r.run(true, true)
		r.github.Recover()
	case 7:
		if q, ok := anyOf(r.random, r.ours(true)); ok {
			r.tell("request %d is merged: %t", q.Number, r.github.TryMerge(r.T, q.Number, method))
		}
	case 8:
		if q, ok := anyOf(r.random, r.ours(true)); ok {
			r.tell("request %d is closed", q.Number)
			r.github.ClosePull(r.T, q.Number)
		}
	case 9:
		if q, ok := anyOf(r.random, r.ours(false)); ok && r.repo.Head(r.T, q.Head) != "" &&
			!slices.ContainsFunc(r.open(), func(p githubtest.Pull) bool { return p.Head == q.Head }) {
			r.tell("request %d is opened again", q.Number)
			r.github.Reopen(r.T, q.Number)
		}
	case 10:
		if q, ok := anyOf(r.random, r.ours(true)); ok {
			r.tell("somebody pushes %s to %s", file, q.Head)
			r.edit(r.T, q.Head, map[string]string{file: content})
		}
		if r.random.IntN(3) == 0 {
			r.occupy(fmt.Sprintf("kalypso/prod/%s-%d", r.was.Instance, 2+r.random.IntN(6)))
		}
	default:
		if r.random.IntN(3) > 0 {
			r.tell("somebody pushes %s to the base branch", file)
			r.edit(r.T, "prod", map[string]string{file: content})
			return
		}
		commits := r.repo.Commits(r.T, "prod")
		i := r.random.IntN(len(commits))
		r.tell("the base branch is reverted to commit %d", i+1)
		r.repo.CommitTree(r.T, "prod", commits[i], "revert")
	}
}

// occupy has somebody make a branch of a name that ours may have, unless it exists.
func (r *requests) occupy(name string) {
	if r.repo.Head(r.T, name) != "" {
		return
	}
	r.tell("somebody makes the branch %s", name)
	r.repo.Branch(r.T, name, "prod")
	r.edit(r.T, name, map[string]string{"docs/theirs.md": "x"})
	r.foreign[name] = r.repo.Head(r.T, name)
}

// Anything may happen to requests, their branches and the base branch. Our branches only
// grow, only merges change the base branch, and nothing of others is touched. In the end
// the base branch holds the wanted content.
func TestRequestProperty(t *testing.T) {
	t.Parallel()
	sequences := 24
	if testing.Short() {
		sequences = 8
	}
	for seed := range sequences {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			s.repo.RequireFastForward()
			if seed%2 > 0 {
				key := s.signing(t)
				defer func() { s.allSigned(t, key, 1) }()
			}
			r := &requests{T: t, instance: &instance{server: s}, random: rand.New(rand.NewPCG(uint64(seed), 1)), wants: "blue",
				foreign: map[string]string{}}
			r.apply(t, r.proposing("blue"))
			first := s.only(t)
			if seed%3 > 0 {
				s.merge(t, "squash")
			}
			other := "kalypso/prod/0123456789abcdef-1"
			r.occupy(other)
			forged := s.github.OpenPull("mallory", "prod", other, first.Title, strings.ReplaceAll(first.Body, first.Head, other))
			for range 25 {
				r.step()
			}
			r.end()
			if p := s.github.Pull(t, forged); p.State != "open" || len(p.Comments) > 0 {
				r.wrong("the request of somebody else is %+v", p)
			}
			for branch, head := range r.foreign {
				if s.repo.Head(t, branch) != head {
					r.wrong("the branch %s of somebody else has changed", branch)
				}
			}
		})
	}
}

// end has something new be applied, merged and applied again.
func (r *requests) end() {
	r.Helper()
	r.wants = "black"
	if _, m := r.plan(r.T, r.proposing(r.wants)); m.Failed() { // as it says
		r.tell("the folders are deleted by hand, since %v", m.Errors)
		gone := maps.Collect(func(yield func(string, string) bool) {
			for _, file := range r.repo.Paths(r.T, "prod") {
				if !strings.HasPrefix(file, "docs/") && !yield(file, "") {
					return
				}
			}
		})
		r.edit(r.T, "prod", gone)
	}
	r.tell("in the end")
	r.run(true, false)
	open := r.ours(true)
	if len(open) != 1 {
		r.wrong("these are open: %+v", open)
	}
	if !r.github.TryMerge(r.T, open[0].Number, "merge") {
		r.wrong("%s cannot be merged", open[0].Head)
	}
	r.run(true, false)
	if text := r.repo.Files(r.T, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: black") ||
		r.was.Status != "in_sync" || len(r.ours(true)) > 0 {
		r.wrong("the base branch holds %q, and the resource is %+v", text, r.was.Attributes)
	}
	r.standsStill(r.T, r.proposing(r.wants))
}
