// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_rename gives the resource another name without a moved block, and with another
// configuration at that. The old resource releases its folders, and the new one takes them over:
// nothing is deleted in the cluster meanwhile.
func TestAccFlux_rename(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	const context = "kalypso/dev/large/large-1"
	d.reports(t, d.writes(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	before, watch := uids(t, c), c.Watch(t, delivered...)

	d.region(t, "south")
	renamed := d.commitHCL("other", `on_destroy = "empty"`)
	d.applies(t, renamed, "-target=kalypso_gitops_commit.dev")
	d.applies(t, renamed)
	d.reports(t, d.gitops.Head(t, "dev"), context, gitea.StatusSuccess, "reconciliation succeeded")
	runs(t, c, "south", "blue")
	if diff := cmp.Diff(before, uids(t, c)); diff != "" || len(before) == 0 {
		t.Errorf("objects (-before +after):\n%s", diff)
	}
	if deleted := watch.Deleted(t); len(deleted) > 0 {
		t.Errorf("deleted: %q", deleted)
	}

	// The watch sees what is deleted: by a destroy, everything.
	d.mustRun(t, "destroy", "-auto-approve")
	eventually(t, func() error {
		return differ(slices.Sorted(maps.Keys(before)), slices.Sorted(slices.Values(watch.Deleted(t))))
	})
}
