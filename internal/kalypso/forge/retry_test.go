// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// repository is the path of the repository's REST interface.
const repository = "/repos/" + githubtest.Owner + "/" + githubtest.Name

// An answer that gets lost after the request was carried out makes nothing twice.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"POST " + repository + "/pulls", "PATCH ", "GET ",
		"POST /api/graphql", "POST " + repository + "/issues/1/labels", "POST " + repository + "/pulls/1/requested_reviewers",
		"POST " + repository + "/issues/1/comments",
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			h.protect(t)
			r := connect(t, h, &naps{})
			old := proposal(t, h, "kalypso/dev/old")
			old.Labels, old.Reviewers = []string{"kalypso"}, []string{reviewer}
			newer := proposal(t, h, "kalypso/dev/new")
			h.server.Fail(githubtest.Fault{Request: request, Times: 1, Lost: true})

			first := propose(t, r, old)
			second := propose(t, r, newer)
			if err := r.Comment(t.Context(), first.Number, "Overtaken."); err != nil {
				t.Error(err)
			}
			if err := r.Close(t.Context(), first.Number); err != nil {
				t.Error(err)
			}
			if err := r.AutoMerge(t.Context(), second.Number, forge.Squash, second.HeadCommit, ""); err != nil {
				t.Error(err)
			}

			if n := len(h.requests(t)); n != 2 {
				t.Errorf("there are %d requests", n)
			}
			if got := h.server.Pull(t, first.Number); got.State != "closed" || len(got.Comments) != 1 || !slices.Equal(got.Labels, old.Labels) ||
				!slices.Equal(got.Users, old.Reviewers) {
				t.Errorf("the old request is %+v", got)
			}
			if got := h.server.Pull(t, second.Number); got.State != "open" || got.AutoMerge != "squash" {
				t.Errorf("the new request is %+v", got)
			}
		})
	}
}

// Errors of the server's own pass, or are reported after some attempts.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	for times, works := range map[int]bool{3: true, 0: false} {
		h := newGitHubHost(t)
		n := &naps{}
		p := proposal(t, h, "kalypso/dev/1")
		h.server.Fail(githubtest.Fault{Request: "POST " + repository + "/pulls", Times: times, Status: http.StatusBadGateway,
			Body: "<html>unicorn</html>"})
		q, err := connect(t, h, n).Propose(t.Context(), p)
		if works {
			if err != nil || q.Number != 1 || len(n.times) != 3 {
				t.Errorf("%+v after %v, error %v", q, n.times, err)
			}
			continue
		}
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.KindServer || len(n.times) != 4 || !strings.Contains(err.Error(), "502") ||
			strings.Contains(err.Error(), "unicorn") {
			t.Errorf("after %v: %v", n.times, err)
		}
		if !slices.IsSorted(n.times) {
			t.Errorf("the waits do not grow: %v", n.times)
		}
	}
}

// Rate limits say when to come back.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit func(s *githubtest.Server)
		want  func(waits []time.Duration) bool
	}{
		"primary": {
			func(s *githubtest.Server) { s.LimitPrimary(time.Now().Add(20 * time.Minute)) },
			func(waits []time.Duration) bool {
				return len(waits) == 1 && waits[0] > 19*time.Minute && waits[0] < 21*time.Minute
			},
		},
		"secondary": {
			func(s *githubtest.Server) { s.LimitSecondary(8, 42) }, // more than faults are met
			func(waits []time.Duration) bool {
				return len(waits) == 8 && !slices.ContainsFunc(waits, func(d time.Duration) bool { return d != 42*time.Second })
			},
		},
		"secondary that does not say when": {
			func(s *githubtest.Server) { s.LimitSecondary(1, -1) },
			func(waits []time.Duration) bool { return slices.Equal(waits, []time.Duration{time.Minute}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			n := &naps{}
			p := proposal(t, h, "kalypso/dev/1")
			test.limit(h.server)
			q, err := connect(t, h, n).Propose(t.Context(), p)
			if err != nil || q.Number != 1 || !test.want(n.times) {
				t.Errorf("%+v after %v, error %v", q, n.times, err)
			}
		})
	}
}

// An error that lasts longer than the operation's time is reported immediately.
func TestRateLimitBeyondDeadline(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	n := &naps{}
	p := proposal(t, h, "kalypso/dev/1")
	h.server.LimitPrimary(time.Now().Add(time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := connect(t, h, n).Propose(ctx, p)
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != remote.KindRateLimit || len(n.times) != 0 || !strings.Contains(err.Error(), "with this token until") {
		t.Errorf("after %v: %v", n.times, err)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := connect(t, h, &naps{during: cancel})
	h.server.Fail(githubtest.Fault{Status: http.StatusServiceUnavailable})
	_, err := r.Request(ctx, 1)
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != remote.KindTimeout {
		t.Errorf("the error is %v", err)
	}
}
