// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// Links lead nowhere.
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
}
