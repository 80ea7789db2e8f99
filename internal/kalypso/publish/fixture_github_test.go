// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// newGitHub is a GitHub whose repository has a branch prod with a foreign file.
func newGitHub(t testing.TB) server {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
	host := githubtest.Start(t, repo)
	s := server{repo: repo, url: host.URL(), github: host, computed: new(atomic.Int64), waits: func() {}}
	s.Publisher = s.publisher(t)
	return s
}

// proposing are settings whose changes are proposed.
func (s server) proposing(family string) publish.Settings {
	settings := s.settings(both(family))
	settings.Request = &request.Settings{}
	return settings
}

// open returns the requests that are open.
func (s server) open() []githubtest.Pull {
	return slices.DeleteFunc(s.github.Pulls(), func(p githubtest.Pull) bool { return p.State != "open" })
}

// only returns the one request that is open.
func (s server) only(t testing.TB) githubtest.Pull {
	t.Helper()
	open := s.open()
	if len(open) != 1 {
		t.Fatalf("there are %d open requests: %+v", len(open), open)
	}
	return open[0]
}

// has checks the family that a branch holds.
func (s server) has(t testing.TB, branch, family string) {
	t.Helper()
	files := s.repo.Files(t, branch)
	if text := files["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+family) || files["docs/index.md"] != "# Docs\n" {
		t.Errorf("%s does not hold family %s beside what is foreign: %v", branch, family, files)
	}
}

// merge merges the one request that is open.
func (s server) merge(t testing.TB, method string) {
	t.Helper()
	s.github.Merge(t, s.only(t).Number, method)
}
