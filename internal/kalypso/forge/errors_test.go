// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// failure is something that a forge refuses, and what is said about it.
type failure struct {
	github func(h *githubHost, config *forge.Config) // nil: not on GitHub
	gitea  func(t *testing.T, h *giteaHost, config *forge.Config)
	do     func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error
	kind   remote.ErrorKind
	says   []string
}

func proposing(change func(p *forge.NewRequest)) func(context.Context, *testing.T, host, *forge.Repository) error {
	return func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
		p := proposal(t, h, "kalypso/dev/1")
		change(&p)
		_, err := r.Propose(ctx, p)
		return err
	}
}

func merging(method forge.Method) func(context.Context, *testing.T, host, *forge.Repository) error {
	return func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		return r.AutoMerge(ctx, q.Number, method, q.HeadCommit, "")
	}
}

// forbidding has GitHub answer everything with 403 and these headers.
func forbidding(header map[string]string) func(*githubHost, *forge.Config) {
	return func(h *githubHost, _ *forge.Config) {
		h.server.Fail(githubtest.Fault{Status: http.StatusForbidden, Header: header})
	}
}

var failures = map[string]failure{
	"a wrong token": {
		github: func(_ *githubHost, c *forge.Config) { c.Token = "ghp_wrongwrongwrongwrong" },
		gitea:  func(_ *testing.T, _ *giteaHost, c *forge.Config) { c.Token = "ghp_wrongwrongwrongwrong" },
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindAuthentication, says: []string{"open a pull request", "refuses the token", "expired"},
	},
	"a token that may only read": {
		github: func(h *githubHost, c *forge.Config) { c.Token = h.server.AddToken("reader", false) },
		gitea:  func(t *testing.T, h *giteaHost, c *forge.Config) { c.Token = h.repo.ReadToken(t, giteatest.Writer) },
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindForbidden, says: []string{"token", "write"},
	},
	"a merge with a token that may only read": {
		github: func(h *githubHost, c *forge.Config) { c.Token = h.server.AddToken("reader", false) },
		do: func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
			q := propose(t, connect(t, h, nil), proposal(t, h, "kalypso/dev/1"))
			return r.AutoMerge(ctx, q.Number, forge.Squash, q.HeadCommit, "")
		},
		kind: remote.KindForbidden, says: []string{"token"},
	},
	"a right that GitHub names": {
		github: forbidding(map[string]string{"X-Accepted-Github-Permissions": "issues=write"}),
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindForbidden, says: []string{"lacks a permission: issues=write"},
	},
	"a scope that GitHub names": {
		github: forbidding(map[string]string{"X-Oauth-Scopes": "gist", "X-Accepted-Oauth-Scopes": "repo"}),
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindForbidden, says: []string{`has the scopes "gist"`, `"repo" is needed`},
	},
	"single sign-on": {
		github: forbidding(map[string]string{"X-Github-Sso": "required; url=https://github.com/orgs/octo/sso"}),
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindForbidden, says: []string{"requires single sign-on"},
	},
	"a right that nobody names": {
		github: forbidding(nil),
		do:     proposing(func(*forge.NewRequest) {}),
		kind:   remote.KindForbidden, says: []string{"the right to write contents"},
	},
	"a request that does not exist": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do: func(ctx context.Context, _ *testing.T, _ host, r *forge.Repository) error {
			_, err := r.Request(ctx, 4711)
			return err
		},
		kind: remote.KindNotFound, says: []string{"read pull request 4711", "hides it"},
	},
	"an unknown reviewer": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     proposing(func(p *forge.NewRequest) { p.Reviewers = []string{"nobody-knows"} }),
		kind:   remote.KindRefused, says: []string{"a reviewer is unknown", "Correct the reviewers"},
	},
	"an unknown team": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     proposing(func(p *forge.NewRequest) { p.TeamReviewers = []string{"nobody-knows"} }),
		kind:   remote.KindRefused, says: []string{"a reviewer is unknown", "a team by its"},
	},
	"the token's owner as reviewer": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     proposing(func(p *forge.NewRequest) { p.Reviewers = []string{"kalypso"} }),
		kind:   remote.KindRefused, says: []string{"opened the request", "reviewers"},
	},
	"a base branch that does not exist": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     proposing(func(p *forge.NewRequest) { p.Base = "missing" }),
		kind:   remote.KindBaseNotFound, says: []string{"the base branch does not exist"},
	},
	"nothing to propose": {
		github: func(*githubHost, *forge.Config) {},
		do: func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
			p := proposal(t, h, "kalypso/dev/1")
			h.merge(t, propose(t, r, p).Number, forge.Merge)
			_, err := r.Propose(ctx, p)
			return err
		},
		kind: remote.KindRefused, says: []string{"already has all commits"},
	},
	"automatic merging is turned off": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Configure(func(s *githubtest.Settings) { s.AllowAutoMerge = false })
		},
		do:   merging(forge.Squash),
		kind: remote.KindNoAutoMerge, says: []string{"Allow auto-merge"},
	},
	"a method that is turned off": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Configure(func(s *githubtest.Settings) { s.Forbidden = []string{"squash"} })
		},
		gitea: func(t *testing.T, h *giteaHost, _ *forge.Config) {
			h.repo.Configure(t, gitea.EditRepoOption{HasPullRequests: ptr(true), AllowSquash: ptr(false), AllowMerge: ptr(true)})
		},
		do:   merging(forge.Squash),
		kind: remote.KindNoMethod, says: []string{"does not allow this way of merging"},
	},
	"a closed request": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do: func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
			q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
			h.closeRequest(t, q.Number)
			return r.AutoMerge(ctx, q.Number, forge.Merge, q.HeadCommit, "")
		},
		kind: remote.KindRefused, says: []string{"closed without a merge"},
	},
	"no drafts": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Configure(func(s *githubtest.Settings) { s.NoDrafts = true })
		},
		do:   proposing(func(p *forge.NewRequest) { p.Draft = true }),
		kind: remote.KindNoDraft, says: []string{"draft"},
	},
	"an archived repository": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Configure(func(s *githubtest.Settings) { s.Archived = true })
		},
		gitea: func(t *testing.T, h *giteaHost, _ *forge.Config) {
			h.commit(t, "kalypso/dev/1", "proposed") // it accepts no commit later
			h.repo.Configure(t, gitea.EditRepoOption{Archived: ptr(true)})
		},
		do: func(ctx context.Context, _ *testing.T, _ host, r *forge.Repository) error {
			_, err := r.Propose(ctx, forge.NewRequest{Base: "main", Head: "kalypso/dev/1", Title: "dev"})
			return err
		},
		kind: remote.KindArchived, says: []string{"archived"},
	},
	"a web page that echoes the token": {
		github: func(h *githubHost, c *forge.Config) {
			h.server.Fail(githubtest.Fault{Status: http.StatusTeapot, Body: "go away, " + c.Token + "\x1b[31m"})
		},
		do:   proposing(func(*forge.NewRequest) {}),
		kind: remote.KindRefused, says: []string{"go away, ***"},
	},
	"something else than a forge": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Fail(githubtest.Fault{Status: http.StatusOK, Body: "<html>welcome</html>"})
		},
		do:   proposing(func(*forge.NewRequest) {}),
		kind: remote.KindServer, says: []string{"is not valid", "base_url"},
	},
	"a redirection to another host": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Fail(githubtest.Fault{Status: http.StatusFound, Header: map[string]string{"Location": "http://elsewhere.example/"}})
		},
		do:   proposing(func(*forge.NewRequest) {}),
		kind: remote.KindServer, says: []string{"redirects to http://elsewhere.example", "base_url"},
	},
}

func ptr[T any](value T) *T { return &value }

// Errors are sentences: where it failed, what to do, and no secrets.
func TestFailures(t *testing.T) {
	t.Parallel()
	all := maps.Clone(failures)
	maps.Copy(all, statusFailures)
	for name, f := range all {
		if f.github != nil {
			t.Run("GitHub/"+name, func(t *testing.T) {
				t.Parallel()
				h := newGitHubHost(t)
				config := h.config()
				f.github(h, &config)
				f.check(t, h, config)
			})
		}
		if f.gitea != nil {
			t.Run("Gitea/"+name, func(t *testing.T) {
				t.Parallel()
				h := newGiteaHost(t)
				config := h.config()
				f.gitea(t, h, &config)
				f.check(t, h, config)
			})
		}
	}
}

func (f failure) check(t *testing.T, h host, config forge.Config) {
	t.Helper()
	err := f.do(t.Context(), t, h, connectAs(t, h, config, &naps{}))
	var e *remote.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v", err)
	}
	if e.Kind != f.kind {
		t.Errorf("the error is of kind %d, not %d: %v", e.Kind, f.kind, err)
	}
	for _, want := range append(f.says, h.url()) {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for _, setting := range []string{"auto_merge", "team_reviewers", "draft ="} {
		if strings.Contains(err.Error(), setting) {
			t.Errorf("the error is about a setting of those who call: %v", err)
		}
	}
	if strings.Contains(err.Error(), config.Token) || strings.ContainsAny(err.Error(), "\x1b") {
		t.Errorf("the error gives away too much: %v", err)
	}
}

// A request that was opened is given, also if its labels or reviewers fail.
func TestProposeHalfDone(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		p := proposal(t, h, "kalypso/dev/1")
		p.Reviewers = []string{"nobody-knows"}
		q, err := connect(t, h, &naps{}).Propose(t.Context(), p)
		if err == nil || q.Number != h.requests(t)[0].number || q.HeadCommit != h.head(t, p.Head) {
			t.Errorf("%+v, error %v", q, err)
		}
	})
}
