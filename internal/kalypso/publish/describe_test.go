// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
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

// Values of credentials are told by their digests: that they change, and not to what.
func TestConfigChangesHideCredentials(t *testing.T) {
	t.Parallel()
	leaves := func(password, region string) []composition.Leaf {
		return []composition.Leaf{
			{Path: "DB_PASSWORD", Value: password}, {Path: "URL", Value: "db://root:" + password + "@x"}, {Path: "REGION", Value: region},
			{Path: "env[0].name", Value: "API_TOKEN"}, {Path: "env[0].value", Value: password}, {Path: "env[1].value", Value: region},
		}
	}
	got := map[string][2]string{}
	for _, c := range configChanges(forge.PackageChange{}, leaves("hunter1", "North"), append(leaves("hunter2", "South"), composition.Leaf{Path: "token", Value: "hunter2"})) {
		got[c.Key] = [2]string{c.Before, c.After}
	}
	one, two := credential.Digest("hunter1"), credential.Digest("hunter2")
	want := map[string][2]string{
		"DB_PASSWORD": {one, two}, "URL": {"db://root:" + one + "@x", "db://root:" + two + "@x"}, "REGION": {"North", "South"},
		"env[0].value": {one, two}, "env[1].value": {"North", "South"}, "token": {"", two},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
