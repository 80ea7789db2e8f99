// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Sources are followed where they are of Git and say where, each once.
func TestFollow(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	descriptor := func(version string) []byte {
		return []byte("apiVersion: hub.kalypso.io/v1alpha1\nkind: DeploymentDescriptor\nspec: {workloadVersion: {version: " + version +
			", commit: abc}}\n")
	}
	many := map[string][]byte{}
	for i := range 101 {
		many[fmt.Sprintf("many/%d.yaml", i)] = []byte("a: b")
	}
	head := repo.CommitFiles(t, "main", with(many, map[string][]byte{
		"live/a.yaml": descriptor("1.0"), "two/a.yaml": descriptor("1.0"), "two/b.yaml": descriptor("2.0"), "none/a.yaml": []byte("a: b"),
		"live/deep/a.yaml": descriptor("3.0"),
	}), "first")
	server := gittest.ServeHTTP(t, repo)
	source := func(ref, path string) deployments.Source {
		return deployments.Source{Kind: "GitRepository", Repo: server.URL(), Ref: ref, Path: path}
	}
	for name, test := range map[string]struct {
		source  deployments.Source
		commit  bool
		version string
		why     string
	}{
		"a branch":                  {source("main", "./live"), true, "1.0", ""},
		"a branch by its reference": {source("refs/heads/main", "/live/"), true, "1.0", ""},
		"a commit":                  {source(strings.ToUpper(head), "live"), true, "1.0", ""},
		"no descriptor":             {source("main", "none"), true, "", ""},
		"no such folder":            {source("main", "gone"), true, "", ""},
		"descriptors that differ":   {source("main", "two"), true, "", "b.yaml: DeploymentDescriptors name different versions"},
		"many files":                {source("main", "many"), true, "", "the folder has 101 files"},
		"out of the repository":     {source("main", "../live"), false, "", "would leave its folder"},
		"no such branch":            {source("v1", "live"), false, "", `has no branch "v1"`},
		"no ref":                    {source("", "live"), false, "", ""},
		"a tag": {deployments.Source{Kind: "GitRepository", Repo: server.URL(), Ref: "main", Path: "live", Tag: true},
			false, "", ""},
		"a chart": {deployments.Source{Kind: "Application", Repo: server.URL(), Ref: "main", Path: "live", Chart: true},
			false, "", ""},
		"no URL": {deployments.Source{Kind: "GitRepository", Repo: "nowhere", Ref: "main"}, false, "", ""},
		"a folder of this machine": {deployments.Source{Kind: "GitRepository", Repo: "file:///srv/git/live.git", Ref: "main", Path: "live"},
			false, "", "the configuration does not name this folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := deployments.Environment{Packages: []deployments.Package{{Sources: []deployments.Source{test.source}},
				{Version: "own", Sources: []deployments.Source{test.source}}}}
			if err := readerOf(t, git.Options{}).Deployments().Follow(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			p := e.Packages[0]
			if (p.Sources[0].Commit == head) != test.commit || p.Version != test.version || e.Packages[1].Version != "own" || len(e.Unreadable) > 0 {
				t.Errorf("got %+v and %+v", p, e.Packages[1])
			}
			if why := strings.Join(p.Unreadable, " "); (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("unreadable: %q, want %q", why, test.why)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := reader(t).Deployments().Follow(ended,
		&deployments.Environment{Packages: []deployments.Package{{Sources: []deployments.Source{source("main", "")}}}}); err == nil {
		t.Error("no error where the time is up")
	}
}

// A server that fails is asked for one source, and each environment reports the server once.
// Other sources are followed. A missing repository does not count as a failure of its server.
func TestFollowOnServersThatFail(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	head := repo.CommitFiles(t, "main", map[string][]byte{"a.yaml": []byte("a: b")}, "first")
	down := gittest.ServeHTTP(t, repo, gittest.WithHook(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		return true
	}))
	up := gittest.ServeHTTP(t, repo)
	from := func(urls ...string) *deployments.Environment {
		e := &deployments.Environment{}
		for _, url := range urls {
			e.Packages = append(e.Packages, deployments.Package{Sources: []deployments.Source{{Kind: "GitRepository", Repo: url, Ref: "main"}}})
		}
		return e
	}
	d := reader(t).Deployments()
	follow := func(e *deployments.Environment) {
		t.Helper()
		if err := d.Follow(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	e := from(down.URL(), up.URL()+"-gone", down.URL()+"-2", up.URL(), down.URL()+"-3")
	follow(e)
	asked := down.Requests()
	server := strings.TrimSuffix(down.URL(), "/repo.git")
	expect := func(e *deployments.Environment) {
		t.Helper()
		if len(e.Unreadable) != 1 || !strings.HasPrefix(e.Unreadable[0], "Sources on "+server+" are not followed: ") || down.Requests() != asked {
			t.Errorf("%d requests, then %d; unreadable %q", asked, down.Requests(), e.Unreadable)
		}
	}
	expect(e)
	if gone, there := e.Packages[1], e.Packages[3]; len(gone.Unreadable) != 1 || there.Sources[0].Commit != head || len(there.Unreadable) > 0 {
		t.Errorf("got %+v and %+v", gone, there)
	}
	again := from(down.URL() + "-4")
	follow(again)
	expect(again)
	only := from(down.URL())
	if err := reader(t).Deployments().Follow(t.Context(), only); err != nil || len(only.Unreadable) != 1 || down.Requests() != 2*asked {
		t.Errorf("error %v, %d requests where one source takes %d", err, down.Requests()-asked, asked)
	}
}
