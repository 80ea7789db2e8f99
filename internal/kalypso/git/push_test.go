// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The session to push with is opened while the server is still asked which files it
// has, on a branch and for a proposal alike.
func TestSessionIsOpenedWhileFilesAreCompared(t *testing.T) {
	t.Parallel()
	for name, push := range map[string]func(t *testing.T, r origin){
		"apply": func(t *testing.T, r origin) {
			apply(t, r.client(t), r.branch("dev"), "two", edits{"fleet/drone": folder(drone(t, "two"))})
		},
		"propose": func(t *testing.T, r origin) { propose(t, r, draft(t, "two")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hello, _ := drone(t, "one").Find("hello")
			question, opened := []byte("want "+hello.ID.String()), make(chan struct{})
			open := sync.OnceFunc(func() { close(opened) })
			var together atomic.Bool
			r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
				body, err := io.ReadAll(request.Body)
				if err != nil {
					t.Error(err)
				}
				request.Body = io.NopCloser(bytes.NewReader(body))
				switch {
				case strings.HasSuffix(request.URL.String(), "/info/refs?service=git-receive-pack"):
					open()
				case bytes.Contains(body, question):
					select {
					case <-opened:
						together.Store(true)
					case <-time.After(5 * time.Second):
					}
				}
				return false
			})
			r.repo.CommitFiles(t, "dev", map[string][]byte{
				"fleet/drone/README.md": []byte("# drone\n"), "fleet/drone/hello/reconciler.yaml": []byte("one"),
				"fleet/drone/hello/namespace.yaml": []byte("kind: Namespace\n"),
			}, "one")
			push(t, r)
			if !together.Load() {
				t.Error("one waited for the other")
			}
		})
	}
}
