// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Links lead nowhere, and a folder that holds more than is read is an error.
func TestDeploymentsBounds(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	repo.CommitSymlink(t, "dev", "large/loop", "../large")
	repo.CommitSymlink(t, "dev", "small/db/reconciler.json", "../../large")
	repo.CommitSymlink(t, "dev", "loop", ".")
	if got := packagesOf(deployment(t, reader(t), deployed(repo))); len(got) != 2 {
		t.Errorf("got %q", got)
	}
	at := deployed(repo)
	refused := func(branch, why string) {
		t.Helper()
		at.Branch.Name = branch
		if _, err := reader(t).Deployments().Environment(t.Context(), at); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v", branch, err)
		}
	}
	// Folders with one package under very many names.
	commitMany(t, repo, "huge", 50_001, repo.Tree(t, "dev", "large/web"))
	refused("huge", "has 50002 packages, and at most 50000 are read")
}

// commitMany makes a branch with a cluster type that holds a package under so many names,
// beside what it holds in dev.
func commitMany(t *testing.T, repo *gitmem.Repo, branch string, n int, id string, parents ...string) {
	t.Helper()
	names := map[string]string{}
	for i := range n {
		names[fmt.Sprint("p", i)] = id
	}
	root := repo.AddTree(t, "", map[string]string{"large": repo.AddTree(t, repo.Tree(t, "dev", "large"), names)})
	commit := "tree " + root + "\n"
	for _, parent := range parents {
		commit += "parent " + parent + "\n"
	}
	commit += "author A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\n\n" + branch + "\n"
	repo.Branch(t, branch, repo.AddObject(t, "commit", []byte(commit)))
}

// Of a folder with very many files those are read first that make it a package, and each
// content once.
func TestDeploymentsOfManyFiles(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	all := with(packageFiles("large/web", "shop", "1"), packageFiles("large/twins", "stock", "1"),
		map[string][]byte{"large/README.md": []byte(readme)})
	for i := range 150 {
		all[fmt.Sprintf("large/web/a%03d.yaml", i)] = []byte(fmt.Sprint("a: ", i))
		all[fmt.Sprintf("large/twins/a%03d.yaml", i)] = []byte("{{ oops")
	}
	all["large/twins/platform-config.json"] = all["large/twins/platform-config.yaml"]
	repo.Commit(t, gittest.Revision{Branch: "dev", Message: "first", Files: all})
	e := deployment(t, reader(t), deployed(repo))
	if diff := cmp.Diff([]string{"large/twins=stock 1 since first", "large/web=shop 1 since first"}, packagesOf(e)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"a000.yaml: not valid YAML (line 1)"}, {"a097.yaml and further files: more than 100 files"}},
		[][]string{e.Packages[0].Unreadable, e.Packages[1].Unreadable}); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
}

// A history with too many packages ends before the commits that exceed the limit.
func TestDeploymentsOfALongHistory(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	var parents []string
	for i := range 12 {
		files := packageFiles("web", "shop", fmt.Sprint(i))
		repo.CommitFiles(t, "values", files, "values")
		commitMany(t, repo, "many", 49_000, repo.Tree(t, "values", "web"), parents...)
		parents = []string{repo.Head(t, "many")}
	}
	at := deployed(repo)
	at.Branch.Name = "many"
	e := deployment(t, reader(t), at)
	if len(e.History) != 10 || len(e.Packages) != 49_001 ||
		!slices.Equal(e.Unreadable, []string{"The history ends after 10 of 12 commits, because earlier commits have too many packages. " +
			"Set a smaller history."}) {
		t.Errorf("%d packages, %d commits, unreadable %q", len(e.Packages), len(e.History), e.Unreadable)
	}
}
