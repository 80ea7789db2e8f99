// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// If environments share a branch by path, the history of each is what has changed its
// folder or its record, and others do not use it up.
func TestDeploymentsOfSharedBranch(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	at := func(path, promoted string) []byte {
		return recordtest.Text(recordtest.ID(promoted), func(r *record.Record) { r.Path, r.Folders = path, recordtest.Owning("large") })
	}
	others := 0
	other := func() {
		others++
		repo.Commit(t, gittest.Revision{Branch: "dev", Message: fmt.Sprint("us ", others),
			Files: with(packageFiles("us/large/web", "shop", fmt.Sprint(others)),
				map[string][]byte{recordtest.At(recordtest.Two): at("us", fmt.Sprint("c", others%9))})})
	}
	own := func(message string, files map[string][]byte) {
		repo.Commit(t, gittest.Revision{Branch: "dev", Message: message, Files: files})
		for range 5 {
			other()
		}
	}
	other()
	own("eu 1", with(packageFiles("eu/large/web", "shop", "1"), map[string][]byte{recordtest.At(recordtest.One): at("eu", "c1")}))
	own("eu 2", packageFiles("eu/large/api", "shop", "1"))
	own("eu 3", packageFiles("eu/large/web", "shop", "2"))
	own("eu 4", map[string][]byte{recordtest.At(recordtest.One): at("eu", "c2")})
	for most, want := range map[int][2][]string{
		0: {{"large/api=shop 1 since ", "large/web=shop 2 since "}, nil},
		1: {{"large/api=shop 1 since ", "large/web=shop 2 since "}, {"eu 4 c2 + ~ -"}}, // 16 commits are read
		2: {{"large/api=shop 1 since ", "large/web=shop 2 since eu 3"}, {"eu 4 c2 + ~ -", "eu 3 c1 + ~large/web -"}},
		50: {{"large/api=shop 1 since eu 2", "large/web=shop 2 since eu 3"},
			{"eu 4 c2 + ~ -", "eu 3 c1 + ~large/web -", "eu 2 c1 +large/api ~ -", "eu 1 c1 +large/web ~ -"}},
	} {
		place := placed(repo)
		place.Path, place.Most = "eu", most
		e := deployment(t, reader(t), place)
		if e.Head != repo.Head(t, "dev") {
			t.Errorf("%d: the head is %s", most, e.Head)
		}
		if diff := cmp.Diff(want, [2][]string{packagesOf(e), historyOf(e)}); diff != "" {
			t.Errorf("%d (-want +got):\n%s", most, diff)
		}
	}
}
