// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Links lead nowhere, and packages that are more than are read are left out.
func TestDeploymentsBounds(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	repo.CommitSymlink(t, "dev", "large/loop", "../large")
	repo.CommitSymlink(t, "dev", "small/db/reconciler.json", "../../large")
	repo.CommitSymlink(t, "dev", "loop", ".")
	if got := packagesOf(deployment(t, reader(t), placed(repo))); len(got) != 2 {
		t.Errorf("got %q", got)
	}
	at := placed(repo)
	at.Branch.Name = "huge"
	// Folders with one package under very many names.
	commitMany(t, repo, "huge", 50_001, repo.Tree(t, "dev", "large/web"))
	e := deployment(t, reader(t), at)
	if len(e.Packages) != 50_000 || e.LeftOut != 2 || len(e.Unreadable) != 1 ||
		!strings.Contains(e.Unreadable[0], "has 50002 packages, and only the first 50000 are read") {
		t.Errorf("%d packages, %d left out, unreadable %q", len(e.Packages), e.LeftOut, e.Unreadable)
	}
}

// commitMany makes a branch with a cluster type that holds a package under so many names,
// beside what it holds in dev.
func commitMany(t *testing.T, repo *gitmem.Repo, branch string, n int, id string) {
	t.Helper()
	names := map[string]string{}
	for i := range n {
		names[fmt.Sprint("p", i)] = id
	}
	root := repo.AddTree(t, "", map[string]string{"large": repo.AddTree(t, repo.Tree(t, "dev", "large"), names)})
	commit := "tree " + root + "\n"
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
	e := deployment(t, reader(t), placed(repo))
	if diff := cmp.Diff([]string{"large/twins=stock  since first", "large/web=shop  since first"}, packagesOf(e)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"a000.yaml: not valid YAML (line 1)"}, {"a097.yaml and further files: more than 100 files"}},
		[][]string{e.Packages[0].Unreadable, e.Packages[1].Unreadable}); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
}
