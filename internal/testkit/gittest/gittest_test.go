// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A push whose connection is cut has not happened, or has if only the answer is lost.
func TestHTTPFault(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.NewBare(t)
			head := repo.CommitFiles(t, "main", map[string][]byte{"a": []byte("one")}, "first")
			server := gittest.ServeHTTP(t, repo)
			var happened atomic.Bool
			server.Fail(gittest.Fault{Request: "GET /info/refs?service=git-receive-pack", After: 1,
				Then: func() { t.Error("the second request never comes") }})
			server.Fail(gittest.Fault{Request: "POST /git-receive-pack", Lost: lost, Then: func() { happened.Store(true) }})
			// On a connection that was used before, git would try again.
			push := []string{"-C", repo.Path(), "-c", "http.extraHeader=Connection: close", "push", server.URL(), "main:copy"}
			out, err := gittest.Command(t.Context(), push...).CombinedOutput()
			if err == nil || !happened.Load() {
				t.Errorf("the push was not cut: %v\n%s", err, out)
			}
			if now := repo.Head(t, "copy"); lost != (now == head) {
				t.Errorf("copy is %q, main is %q", now, head)
			}
			if want := []string{"GET /info/refs?service=git-receive-pack", "POST /git-receive-pack"}; !slices.Equal(want, server.Log()) {
				t.Errorf("log %q, want %q", server.Log(), want)
			}
		})
	}
}
