// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// open returns the requests that are open.
func (s *server) open() []githubtest.Pull {
	return slices.DeleteFunc(s.github.Pulls(), func(p githubtest.Pull) bool { return p.State != "open" })
}

// only returns the one request that is open.
func (s *server) only(t testing.TB) githubtest.Pull {
	t.Helper()
	open := s.open()
	if len(open) != 1 {
		t.Fatalf("there are %d open requests: %+v", len(open), open)
	}
	return open[0]
}

func (r *resource) status(t testing.TB, want publish.Status) {
	t.Helper()
	succeeded(t, r.refresh(t))
	if r.was.Status != want {
		t.Errorf("the status is %q, want %q: %+v", r.was.Status, want, r.was.Attributes)
	}
}

// A request is opened, merged in any way, and followed.
func TestRequest(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash", "rebase"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			r := s.resource()
			plan, _ := r.apply(t, s.proposing("blue"))
			if !plan.RequestUnknown || r.was.Status != publish.Proposed || r.was.RequestURL == "" {
				t.Errorf("the plan is %+v, the state %+v", plan, r.was.Attributes)
			}
			pull := s.only(t)
			if pull.Title != "prod: +2 ~0 -0 packages in 2 cluster types" || !strings.Contains(pull.Body, "web-live") ||
				!strings.HasPrefix(pull.Head, "kalypso/prod/") {
				t.Errorf("the request is %+v", pull)
			}
			s.holds(t, "prod", "docs/index.md")
			r.isQuiet(t, s.proposing("blue"))
			s.github.Merge(t, pull.Number, method)
			r.status(t, publish.InSync)
			if r.was.MergedCommit == "" {
				t.Errorf("the state is %+v", r.was.Attributes)
			}
			s.holds(t, "prod", append(slices.Clone(fleetFiles), "docs/index.md")...)
			r.isQuiet(t, s.proposing("blue"))
			r.apply(t, s.proposing("green")) // deletes the branch of the merged request
			ours := slices.DeleteFunc(slices.Collect(maps.Keys(s.repo.Branches(t))),
				func(name string) bool { return !strings.HasPrefix(name, "kalypso/") })
			if !slices.Equal(ours, []string{s.only(t).Head}) {
				t.Errorf("the branches are %q", ours)
			}
		})
	}
}

// Applies with changing content leave one open request. None of them updates a branch.
func TestOneRequestForOneContent(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	for i := range 20 {
		r.apply(t, s.proposing(fmt.Sprint("f", i%7)))
		pull := s.only(t)
		if got := r.was.LastRequest; got.Number != pull.Number || got.Branch != pull.Head || got.Commit != pull.HeadCommit {
			t.Fatalf("the state has %+v, the request is %+v", got, pull)
		}
		if commits := s.repo.Ahead("prod", pull.Head); len(commits) != 1 {
			t.Errorf("the branch has %d commits", len(commits))
		}
	}
	for _, pull := range s.github.Pulls() {
		if pull.State == "closed" && (len(pull.Comments) != 1 || !strings.Contains(pull.Comments[0], "Replaced by http")) {
			t.Errorf("the closed request is %+v", pull)
		}
	}
}

// A closed request is not proposed again until the content or the branch changes.
func TestClosedRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	r.apply(t, s.proposing("blue"))
	first := s.only(t)
	s.github.ClosePull(t, first.Number)
	plan, m := r.plan(t, s.proposing("blue"))
	succeeded(t, m)
	if says(t, m.Warnings, "was closed without a"); plan.Status != publish.Closed || plan.RequestUnknown {
		t.Errorf("the plan is %+v", plan)
	}
	if succeeded(t, r.carryOut(t, s.proposing("blue"), plan)); len(s.open()) > 0 {
		t.Error("the closed request was proposed again")
	}
	s.edit(t, map[string]string{"large/hand.yaml": "x"})
	succeeded(t, r.imports(t, s.proposing("blue"), "prod")) // the folder is not ours
	r.apply(t, s.proposing("blue"))
	if pull := s.only(t); pull.Number == first.Number {
		t.Errorf("the request is %+v", pull)
	}
}

// The plan names a push of somebody else to the request's branch. Nothing is force-pushed.
func TestPushToRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	r.apply(t, s.proposing("blue"))
	pull := s.only(t)
	theirs := s.repo.CommitFiles(t, pull.Head, map[string][]byte{"large/more.yaml": []byte("x")}, "more")
	_, m := r.plan(t, s.proposing("blue"))
	says(t, m.Warnings, "Somebody pushed to the", theirs)
	r.apply(t, s.proposing("green"))
	if s.repo.Head(t, pull.Head) != theirs {
		t.Error("the branch that somebody pushed to was changed")
	}
	if s.only(t).Number == pull.Number {
		t.Error("the new content has no request of its own")
	}
}

// A change whose request was merged and then reverted is proposed by another request, even if the
// plan saw the first one open.
func TestRevertedRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	r.apply(t, s.proposing("blue"))
	first := s.only(t)
	plan, m := r.plan(t, s.proposing("blue"))
	succeeded(t, m)
	before := s.repo.Head(t, "prod")
	s.github.Merge(t, first.Number, "squash")
	s.repo.CommitTree(t, "prod", before, "revert")
	succeeded(t, r.carryOut(t, s.proposing("blue"), plan))
	if pull := s.only(t); pull.Number == first.Number || r.was.LastRequest.Number != pull.Number || r.was.Status != publish.Proposed {
		t.Errorf("the request is %+v, the state %+v", pull, r.was.Attributes)
	}
}

// A killed apply leaves a branch or a request, and the next apply finds both.
func TestKilledProposal(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	r.apply(t, s.proposing("blue"))
	before, memory := *r.was, r.memory
	r.apply(t, s.proposing("green"))
	killed := s.only(t)
	r.was, r.memory = &before, memory // the state was not saved
	replaced := before.LastRequest
	s.repo.Branch(t, replaced.Branch, replaced.Commit) // the kill came before the branch was deleted
	r.apply(t, s.proposing("green"))
	if pull := s.only(t); pull.Number != killed.Number || r.was.LastRequest.Number != killed.Number {
		t.Errorf("the request is %+v, the state %+v", pull, r.was.LastRequest)
	}
	if s.repo.Head(t, replaced.Branch) != "" {
		t.Error("the branch of the replaced request is still there")
	}
}

// A request whose content arrived otherwise is closed.
func TestContentArrivedOtherwise(t *testing.T) {
	t.Parallel()
	for _, isClosed := range []bool{false, true} {
		s := newGitHub(t)
		r := s.resource()
		r.apply(t, s.proposing("blue"))
		pull := s.only(t)
		if isClosed {
			s.github.ClosePull(t, pull.Number)
		}
		s.repo.CommitTree(t, "prod", pull.Head, "by hand")
		r.apply(t, s.proposing("blue"))
		if len(s.open()) > 0 || r.was.Status != publish.InSync || r.was.LastRequest.IsOpen() {
			t.Errorf("open: %+v, the state is %+v", s.open(), r.was.Attributes)
		}
		r.isQuiet(t, s.proposing("blue"))
	}
}

// Without pull_request, the next apply writes to the branch and closes the request.
func TestNoRequestAnyMore(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	r.apply(t, s.proposing("blue"))
	r.apply(t, s.settings(both("blue")))
	if len(s.open()) > 0 || r.was.Status != publish.InSync || r.was.LastRequest.IsOpen() {
		t.Errorf("open: %+v, the state is %+v", s.open(), r.was.Attributes)
	}
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "docs/index.md")...)
	r.isQuiet(t, s.settings(both("blue")))
}

// A destroy proposes the removal, and closes the open request.
func TestDestroyByRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	settings := s.proposing("blue")
	settings.OnDestroy = ownership.Delete
	r.apply(t, settings)
	s.github.Merge(t, s.only(t).Number, "merge")
	settings.Fleet = both("green")
	r.apply(t, settings)
	m := r.destroy(t)
	succeeded(t, m)
	says(t, m.Warnings, "The destroy waits for")
	s.github.Merge(t, s.only(t).Number, "merge")
	s.holds(t, "prod", "docs/index.md")
}

// The apply of a destroy is killed after it has opened the request, and somebody closes the request. The
// next destroy fails: the packages would stay in the branch without a resource.
func TestDestroyByClosedRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	settings := s.proposing("blue")
	settings.OnDestroy = ownership.Delete
	r.apply(t, settings)
	s.github.Merge(t, s.only(t).Number, "merge")
	succeeded(t, r.refresh(t))
	killed := *r
	succeeded(t, killed.destroy(t))
	s.github.ClosePull(t, s.only(t).Number)
	says(t, r.destroy(t).Errors, "Somebody closed the pull")
}

// Settings of the request reach the forge.
func TestRequestSettings(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	settings := s.proposing("blue")
	settings.Request = &request.Settings{Title: "Please merge", Labels: []string{"fleet"}, Draft: true, BranchPrefix: "other-"}
	s.resource().apply(t, settings)
	pull := s.only(t)
	if pull.Title != "Please merge" || !slices.Equal(pull.Labels, []string{"fleet"}) || !pull.Draft ||
		!strings.HasPrefix(pull.Head, "other-prod/") {
		t.Errorf("the request is %+v", pull)
	}
}

// auto_merge merges our commit, and wait_for_merge waits for it.
func TestAutoMerge(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	settings := s.proposing("blue")
	settings.Request = &request.Settings{AutoMerge: forge.Squash, Wait: true}
	r.apply(t, settings)
	if r.was.Status != publish.InSync || r.was.MergedCommit == "" || len(s.open()) > 0 {
		t.Errorf("the state is %+v", r.was.Attributes)
	}
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "docs/index.md")...)
	r.isQuiet(t, settings)
}

// auto_merge does not merge what somebody else has pushed, and one warning says so.
func TestAutoMergeAfterPush(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	settings := s.proposing("blue")
	r.apply(t, settings)
	s.repo.CommitFiles(t, s.only(t).Head, map[string][]byte{"large/more.yaml": []byte("x")}, "more")
	settings.Request = &request.Settings{AutoMerge: forge.Squash, Wait: true}
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	m = r.carryOut(t, settings, plan)
	succeeded(t, m)
	if says(t, m.Warnings, "would include commits that"); len(m.Warnings) != 1 {
		t.Errorf("the warnings are %+v", m.Warnings)
	}
	s.only(t)
	s.holds(t, "prod", "docs/index.md")
}

// A hold that ends proposes to take back what somebody changed on hold, and the plan does not know the request.
func TestRequestAfterHold(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r, settings := s.resource(), s.proposing("blue")
	r.apply(t, settings)
	s.github.Merge(t, s.only(t).Number, "merge")
	r.apply(t, settings)
	held := settings
	held.Hold = true
	r.apply(t, held)
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n"})
	r.apply(t, settings)
	if s.only(t).Number != r.was.LastRequest.Number || r.was.Status != publish.Proposed {
		t.Errorf("the state has %+v", r.was.Attributes)
	}
}

// If a plan without a refresh does not know of drift, Terraform drops the request of its apply. The next refresh looks at the branch, and
// the next plan finds the request.
func TestRequestWithoutRefresh(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r, settings := s.resource(), s.proposing("blue")
	r.apply(t, settings)
	s.github.Merge(t, s.only(t).Number, "merge")
	r.apply(t, settings)
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n"})
	settings.CommitMessage = "other"
	plan, m := r.publisher(t).Plan(t.Context(), r.job(settings))
	succeeded(t, m)
	job := r.job(settings)
	job.Memory = plan.Memory
	out, m := r.publisher(t).Apply(t.Context(), job, publish.Planned{Location: plan.Location, Packages: plan.Packages})
	succeeded(t, m)
	r.was.CommitMessage, r.memory = settings.CommitMessage, out.Memory // the planned attributes stay
	if r.apply(t, settings); s.only(t).Number != r.was.LastRequest.Number || r.was.Status != publish.Proposed {
		t.Errorf("the state has %+v", r.was.Attributes)
	}
}
