// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
	e := deployment(t, reader(t), placed(repo))
	if diff := cmp.Diff([]string{"large/web=shop 1 since c1"}, packagesOf(e)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"link large/linked/reconciler.yaml + ~ -", "c2 + ~ -", "c1 +large/web ~ -"}, historyOf(e)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
