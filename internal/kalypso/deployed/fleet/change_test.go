// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/fleet"
)

// states are states of a branch, newest first, each written as "large/a=1 small/b=2".
func states(all ...string) []fleet.Snapshot {
	var found []fleet.Snapshot
	for i, text := range all {
		s := fleet.Snapshot{Change: fleet.Change{Commit: fmt.Sprint("c", len(all)-i)}, Folders: fleet.Folders{}}
		for word := range strings.FieldsSeq(text) {
			key, id, _ := strings.Cut(word, "=")
			clusterType, target, _ := strings.Cut(key, "/")
			f := s.Folders[clusterType]
			if f.Packages == nil {
				f.Packages = map[string]string{}
			}
			f.Packages[target] = id
			f.ID += word + " "
			s.Folders[clusterType] = f
		}
		found = append(found, s)
	}
	return found
}

func TestHistory(t *testing.T) {
	t.Parallel()
	said := func(changes []fleet.Change) []string {
		var all []string
		for _, c := range changes {
			all = append(all, fmt.Sprintf("%s +%s ~%s -%s", c.Commit, strings.Join(c.Added, ","), strings.Join(c.Changed, ","),
				strings.Join(c.Removed, ",")))
		}
		return all
	}
	for name, test := range map[string]struct {
		states   []fleet.Snapshot
		complete bool
		want     []string
	}{
		"from the beginning": {states("large/a=2 small/b=1", "large/a=1"), true, []string{"c2 +small/b ~large/a -", "c1 +large/a ~ -"}},
		"a part of it":       {states("large/a=2 small/b=1", "large/a=1"), false, []string{"c2 +small/b ~large/a -"}},
		"removed": {states("", "large/a=1 large/b=1", "large/b=1"), true,
			[]string{"c3 + ~ -large/a,large/b", "c2 +large/a ~ -", "c1 +large/b ~ -"}},
		"another one":       {states("large/b=1", "large/a=1"), false, []string{"c2 +large/b ~ -large/a"}},
		"nothing changes":   {states("large/a=1", "large/a=1"), false, []string{"c2 + ~ -"}},
		"none":              {nil, true, nil},
		"one that is older": {states("large/a=1"), false, nil},
	} {
		if got := said(fleet.History(test.states, test.complete)); !slices.Equal(got, test.want) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(test.want, got))
		}
	}
}
