// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A folder is a package because of its files. A link does not make it one. Other folders
// are in no history.
func TestDeploymentsOfOtherFolders(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.Commit(t, gittest.Revision{Branch: "dev", Message: "c1",
		Files: with(packageFiles("large/web", "shop", "1"), map[string][]byte{"large/README.md": []byte(readme)})})
	repo.CommitFiles(t, "dev", map[string][]byte{"large/notes/index.yaml": []byte("a: b")}, "c2")
	repo.CommitSymlink(t, "dev", "large/linked/reconciler.yaml", "../web/reconciler.yaml")
	e := deployment(t, reader(t), deployed(repo))
	if diff := cmp.Diff([]string{"large/web=shop 1 since c1"}, packagesOf(e)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"link large/linked/reconciler.yaml + ~ -", "c2 + ~ -", "c1 +large/web ~ -"}, historyOf(e)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// Environments with the same package report it separately: following the sources of one
// environment does not change the other.
func TestDeploymentsShareNothing(t *testing.T) {
	t.Parallel()
	source := gitmem.New(t)
	head := source.CommitFiles(t, "main", map[string][]byte{"a.yaml": []byte("a: b")}, "first")
	repo := gitmem.New(t)
	files := with(packageFiles("large/web", "shop", "1"), map[string][]byte{"large/README.md": []byte(readme)})
	files["large/web/reconciler.yaml"] = fmt.Appendf(nil, "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: "+
		"{name: a}\nspec: {url: '%s', ref: {branch: main}}\n", source.URL())
	repo.CommitFiles(t, "dev", files, "c1")
	repo.Branch(t, "prod", "dev")
	d := reader(t).Deployments()
	read := func(name string) deployments.Environment {
		t.Helper()
		at := history.Deployed{Name: name, Branch: git.Branch{Repo: repo.URL(), Name: name}, Most: 1}
		e, err := d.Environment(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	dev, prod := read("dev"), read("prod")
	if err := d.Follow(t.Context(), &dev); err != nil {
		t.Fatal(err)
	}
	if got := []string{dev.Packages[0].Sources[0].Commit, prod.Packages[0].Sources[0].Commit}; !slices.Equal(got, []string{head, ""}) {
		t.Errorf("the commits are %q", got)
	}
}

// If the sources of a package name several versions, the version is not known.
func TestFollowSeveralVersions(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	descriptor := func(version string) []byte {
		return []byte("apiVersion: hub.kalypso.io/v1alpha1\nkind: DeploymentDescriptor\nspec: {workloadVersion: {version: " + version + "}}\n")
	}
	repo.CommitFiles(t, "main", map[string][]byte{"one/a.yaml": descriptor("1.0"), "two/a.yaml": descriptor("2.0"),
		"none/a.yaml": []byte("a: b")}, "first")
	for want, folders := range map[string][]string{"1.0": {"one", "none"}, "": {"one", "two"}} {
		var p deployments.Package
		for _, folder := range folders {
			p.Sources = append(p.Sources, deployments.Source{Kind: "GitRepository", Repo: repo.URL(), Ref: "main", Path: folder})
		}
		e := deployments.Environment{Packages: []deployments.Package{p}}
		if err := reader(t).Deployments().Follow(t.Context(), &e); err != nil || e.Packages[0].Version != want {
			t.Errorf("%q: version %q, error %v", folders, e.Packages[0].Version, err)
		}
	}
}
