// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// What a request changes is told against the base branch, not against the
// request that it overtakes.
func TestConfigSince(t *testing.T) {
	t.Parallel()
	change := func(key, before, after string) forge.ConfigChange {
		return forge.ConfigChange{ClusterType: "large", Target: "web", Key: key, Before: before, After: after}
	}
	earlier := []forge.ConfigChange{
		change("CHANGED", "1", "2"), change("REVERTED", "1", "2"), change("KEPT", "1", "2"),
		{ClusterType: "large", Target: "removed", Key: "GONE", Before: "1", After: "2"},
	}
	got := configSince(earlier, forge.Description{
		Packages: []forge.PackageChange{{ClusterType: "large", Package: "web", Kind: forge.Changed}, {ClusterType: "large", Package: "removed", Kind: forge.Removed}},
		Config:   []forge.ConfigChange{change("CHANGED", "2", "3"), change("REVERTED", "2", "1"), change("NEW", "1", "2")},
	})
	want := map[string]forge.ConfigChange{"CHANGED": change("CHANGED", "1", "3"), "KEPT": change("KEPT", "1", "2"), "NEW": change("NEW", "1", "2")}
	byKey := map[string]forge.ConfigChange{}
	for _, c := range got {
		byKey[c.Key] = c
	}
	if diff := cmp.Diff(want, byKey); diff != "" || len(got) != len(want) {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
