// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// fault is something that goes wrong with some requests to a forge.
type fault struct {
	// every request with this method and this number has the fault, counted from 1; 0 for all. The
	// method "write" is each one but GET.
	method string
	number int32
	// times is how many requests have the fault from then on; 0 for all.
	times int32
	// lost cuts the connection after the request was carried out; otherwise, status and header answer.
	lost   bool
	status int
	header map[string]string

	seen atomic.Int32
}

// happens counts a request, and reports whether it has the fault.
func (f *fault) happens(r *http.Request) bool {
	isWrite := f.method == "write" && r.Method != http.MethodGet
	if f.method != "" && f.method != r.Method && !isWrite {
		return false
	}
	n := f.seen.Add(1)
	first := max(f.number, 1)
	return n >= first && (f.times == 0 || n < first+f.times)
}

// behind returns the configuration for a forge behind a proxy with a fault.
func behind(t testing.TB, h host, f *fault) forge.Config {
	t.Helper()
	config := h.config()
	target, err := url.Parse(config.URLPrefix)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ErrorLog: log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !f.happens(r):
			proxy.ServeHTTP(w, r)
		case f.lost:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			for name, value := range f.header {
				w.Header().Set(name, value)
			}
			w.WriteHeader(f.status)
			_, _ = io.WriteString(w, "<html>unicorn</html>") // a client that has gone away misses it
		}
	}))
	t.Cleanup(server.Close)
	config.BaseURL = server.URL
	return config
}

// An answer that gets lost after the request was carried out makes no second request, and nothing is
// missing in the end.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodPut} {
		for number := range int32(3) {
			eachHost(t, func(t *testing.T, h host) {
				p := proposal(t, h, "kalypso/dev/1")
				p.Labels, p.Reviewers = []string{"kalypso"}, []string{h.reviewer()}
				r := connectAs(t, h, behind(t, h, &fault{method: method, number: number + 1, times: 1, lost: true}), napsFor(h))
				q := propose(t, r, p)
				if err := r.Close(t.Context(), q.Number, "Overtaken."); err != nil {
					t.Error(err)
				}
				if err := r.SetStatus(t.Context(), h.head(t, "main"), forge.Status{Context: "kalypso/prod", State: forge.Pending}); err != nil {
					t.Error(err)
				}
				all := h.requests(t)
				if len(all) != 1 || all[0].open || !slices.Equal(all[0].labels, p.Labels) || !slices.Equal(all[0].reviewers, p.Reviewers) ||
					len(all[0].comments) == 0 {
					t.Errorf("after the lost answer to %s %d: %+v", method, number+1, all)
				}
				found, err := r.Reports(t.Context(), h.head(t, "main"))
				if err != nil || len(found) == 0 || found[0].Context != "kalypso/prod" || found[0].State != forge.Pending {
					t.Errorf("the statuses %+v, error %v", found, err)
				}
			})
		}
	}
}

// A fine-grained token of GitHub cannot read the check runs of a private repository, so the reports are not complete.
func TestNoCheckRuns(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	h.report(t, h.head(t, "main"), "e2e", forge.Success)
	r := connectAs(t, h, behind(t, h, &fault{method: http.MethodGet, number: 2, status: http.StatusForbidden}), napsFor(h))
	if _, err := r.Reports(t.Context(), h.head(t, "main")); !remote.Is(err, remote.KindForbidden) {
		t.Errorf("Reports: %v", err)
	}
}

// A request whose merge got lost with the answer is merged once.
func TestLostMerge(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		q := propose(t, connect(t, h, napsFor(h)), proposal(t, h, "kalypso/dev/1"))
		r := connectAs(t, h, behind(t, h, &fault{method: "write", times: 1, lost: true}), napsFor(h))
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit); err != nil {
			t.Fatal(err)
		}
		got, err := r.Await(t.Context(), q.Number, forge.Squash, q.HeadCommit)
		if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
			t.Errorf("%+v, error %v", got, err)
		}
	})
}

// The page of a proxy instead of an answer is not a success.
func TestPageOfAProxy(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		q := propose(t, connect(t, h, napsFor(h)), proposal(t, h, "kalypso/dev/1"))
		r := connectAs(t, h, behind(t, h, &fault{method: "write", status: http.StatusOK}), napsFor(h))
		reported := r.SetStatus(t.Context(), h.head(t, "main"), forge.Status{Context: "kalypso/prod", State: forge.Success})
		merging := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit)
		closing := r.Close(t.Context(), q.Number, "No longer needed.")
		for doing, err := range map[string]error{"reported": reported, "merging": merging, "closing": closing} {
			if !remote.Is(err, remote.KindServer) {
				t.Errorf("%s: %v", doing, err)
			}
		}
	})
}

// Errors of the server pass, or are reported after some attempts. A rate limit says how long to wait.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault *fault
		kind  remote.ErrorKind // 0: it passes
		waits int
		wait  time.Duration
		says  string
	}{
		"a fault that passes": {&fault{status: 502, times: 3}, 0, 3, 0, ""},
		"a fault that lasts":  {&fault{status: 502}, remote.KindServer, 4, 0, "502 bad gateway"},
		"a rate limit":        {&fault{status: 429, times: 8, header: map[string]string{"Retry-After": "42"}}, 0, 8, 42 * time.Second, ""},
		"a used up token": {&fault{status: 403, times: 8, header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}},
			0, 8, time.Second, ""},
		"a rate limit, undated":   {&fault{status: 429, times: 1}, 0, 1, time.Minute, ""},
		"a server that is busy":   {&fault{status: 503, times: 8, header: map[string]string{"Retry-After": "7"}}, 0, 8, 7 * time.Second, ""},
		"a limit beyond the time": {&fault{status: 429, header: map[string]string{"Retry-After": "7200"}}, remote.KindRateLimit, 0, 0, "until"},
		"something else":          {&fault{status: 418}, remote.KindRefused, 0, 0, "418"},
		"a redirect to a stranger": {&fault{status: 302, header: map[string]string{"Location": "http://elsewhere.example/"}},
			remote.KindServer, 0, 0, "base_url"},
		"endless redirects":       {&fault{status: 307, header: map[string]string{"Location": "/again"}}, remote.KindServer, 0, 0, "base_url"},
		"no interface of a forge": {&fault{status: 200}, remote.KindServer, 0, 0, "base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(t *testing.T, h host) {
				n := napsFor(h)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				p := proposal(t, h, "kalypso/dev/1")
				own := &fault{status: test.fault.status, times: test.fault.times, header: test.fault.header}
				q, err := connectAs(t, h, behind(t, h, own), n).Propose(ctx, p)
				var e *remote.Error
				switch {
				case test.kind == 0 && (err != nil || q.Number != 1), test.kind != 0 && (!errors.As(err, &e) || e.Kind != test.kind):
					t.Errorf("%+v, error %v", q, err)
				case err != nil && (!strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "<html>")):
					t.Errorf("the error is %v", err)
				}
				if len(n.times) != test.waits || test.wait > 0 && slices.ContainsFunc(n.times, func(d time.Duration) bool { return d != test.wait }) {
					t.Errorf("it waited %v", n.times)
				}
			})
		})
	}
}

// Azure DevOps answers an expired token with a page to log in, or with a redirect to it.
func TestExpiredTokenOfAzure(t *testing.T) {
	t.Parallel()
	for status, location := range map[int]string{http.StatusNonAuthoritativeInfo: "", http.StatusFound: "https://login.example/_signin"} {
		h := newAzureHost(t)
		r := connectAs(t, h, behind(t, h, &fault{status: status, header: map[string]string{"Location": location}}), &naps{})
		if _, err := r.Request(t.Context(), 1); !remote.Is(err, remote.KindAuthentication) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A rate limit without an end ends with the operation's time, whatever time to wait it names.
func TestLimitedForEver(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"", "600", "-1", "99999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "soon"} {
		h := newGitHubHost(t)
		ctx, slept := t.Context(), time.Duration(0)
		r, err := forge.NewClient(forge.Options{
			Forges: []forge.Config{behind(t, h, &fault{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": after}})},
			Sleep: func(_ context.Context, d time.Duration) bool {
				slept += d
				return slept < 2*time.Minute
			},
		}).Repository(ctx, h.url())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Request(ctx, 1); !remote.Is(err, remote.KindRateLimit) {
			t.Errorf("Retry-After %q: %v", after, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := connectAs(t, h, behind(t, h, &fault{status: http.StatusServiceUnavailable}), &naps{during: cancel})
	if _, err := r.Request(ctx, 1); !remote.Is(err, remote.KindTimeout) {
		t.Errorf("the error is %v", err)
	}
}

// An answer without an end is read up to a limit.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	mebibyte := []byte(strings.Repeat(" ", 1<<20))
	for status, kind := range map[int]remote.ErrorKind{http.StatusOK: remote.KindTooLarge, http.StatusTeapot: remote.KindRefused} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			for r.Context().Err() == nil {
				_, _ = w.Write(mebibyte) // a client that has gone away misses it
			}
		}))
		t.Cleanup(server.Close)
		r, err := forge.NewClient(forge.Options{Forges: []forge.Config{{Kind: forge.Gitea, BaseURL: server.URL,
			Token: "secret"}}}).Repository(t.Context(), server.URL+"/octo/gitops")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Request(t.Context(), 1); !remote.Is(err, kind) {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

// A list without an end is read up to a limit.
func TestEndlessList(t *testing.T) {
	t.Parallel()
	page := "[" + strings.TrimSuffix(strings.Repeat(`{"state": "success", "context": "c"},`, 100), ",") + "]"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<https://forge.example/?page=2>; rel="next"`)
		_, _ = io.WriteString(w, page) // a client that has gone away misses it
	}))
	t.Cleanup(server.Close)
	r, err := forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.URL, Kind: forge.Gitea,
		Token: "secret"}}}).Repository(t.Context(), server.URL+"/octo/gitops")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reports(t.Context(), unknownCommit); !remote.Is(err, remote.KindTooLarge) {
		t.Errorf("the error is %v", err)
	}
}
