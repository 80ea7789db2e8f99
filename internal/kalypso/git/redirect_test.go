// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// redirecting is a repository whose server sends everybody to another address.
func redirecting(t testing.TB, to func(request *http.Request) string, options ...gittest.HTTPOption) origin {
	t.Helper()
	return httpRemote(t, func(w http.ResponseWriter, r *http.Request, _ gittest.Repository) bool {
		address := to(r)
		if address != "" {
			http.Redirect(w, r, address, http.StatusFound)
		}
		return address != ""
	}, options...)
}

// A server cannot send us to another server: the other one gets no request. The error does
// not show the server's words if they repeat what we sent.
func TestRedirectElsewhere(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][2][]gittest.HTTPOption{
		"another port":  {nil, nil},
		"https to http": {{gittest.WithTLS()}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elsewhere := gittest.ServeHTTP(t, gitmem.New(t), options[1]...)
			r := redirecting(t, func(r *http.Request) string {
				return elsewhere.URL() + "/" + password + strings.TrimPrefix(r.URL.String(), "/repo.git")
			}, options[0]...)
			for _, err := range both(t, r.client(t), r.branch("dev")) {
				wantKind(t, err, remote.KindRefused, "redirects to "+elsewhere.URL()+"/***", "write its new URL")
			}
			if elsewhere.Requests() != 0 {
				t.Error("the other server was asked")
			}
		})
	}
}

// A redirect after the first request of a session ends the operation at once.
func TestRedirectOfPost(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	r := redirecting(t, func(r *http.Request) string {
		if r.Method != http.MethodPost {
			return ""
		}
		posts.Add(1)
		return "/other" + r.URL.Path
	})
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	_, err := head(t.Context(), r.client(t), r.branch("dev"))
	wantKind(t, err, remote.KindRefused, "redirects to", "write its new URL")
	if posts.Load() != 1 {
		t.Errorf("%d attempts", posts.Load())
	}
}

// One that has a repository under another name, or speaks https now, is followed.
func TestRedirectWithinServer(t *testing.T) {
	t.Parallel()
	t.Run("another name", func(t *testing.T) {
		t.Parallel()
		var redirects atomic.Int32
		r := redirecting(t, func(r *http.Request) string {
			if strings.HasPrefix(r.URL.Path, "/repo.git/") {
				return ""
			}
			redirects.Add(1)
			return "/repo.git" + strings.TrimPrefix(r.URL.String(), "/old.git")
		})
		r.credential.URLPrefix = strings.TrimSuffix(r.credential.URLPrefix, "/repo.git")
		r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
		dev := r.branch("dev")
		dev.Repo = strings.Replace(dev.Repo, "repo.git", "old.git", 1)
		apply(t, r.client(t), dev, "create", edits{"drone": folder(drone(t, "one"))})
		if redirects.Load() == 0 {
			t.Error("nobody was redirected, so the test proves nothing")
		}
	})
	t.Run("https", func(t *testing.T) {
		t.Parallel()
		secure := gittest.ServeHTTP(t, gitmem.New(t), gittest.WithTLS())
		r := redirecting(t, func(r *http.Request) string { return secure.URL() + strings.TrimPrefix(r.URL.String(), "/repo.git") })
		r.credential.TLS.CABundle = secure.CABundle()
		if _, err := head(t.Context(), r.client(t), r.branch("dev")); err != nil || secure.Requests() == 0 {
			t.Errorf("%d requests, error %v", secure.Requests(), err)
		}
	})
}

// A credential is for the URLs of its prefix, and not for others on the same server.
func TestPrefixBoundsCredential(t *testing.T) {
	t.Parallel()
	server := gittest.ServeHTTP(t, gitmem.New(t), gittest.WithRecord())
	c := newClient(t, git.Credential{URLPrefix: strings.TrimSuffix(server.URL(), ".git") + "-not", Username: user, Password: password})
	if _, err := head(t.Context(), c, git.Branch{Repo: server.URL(), Name: "dev"}); err != nil || strings.Contains(server.Heard(), password) {
		t.Errorf("the server heard %s, error %v", server.Heard(), err)
	}
}
