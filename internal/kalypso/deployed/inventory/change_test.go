// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// state is a state of a branch, written as "large/a=1 small/b=2".
func state(text string) inventory.Folders {
	all := inventory.Folders{}
	for word := range strings.FieldsSeq(text) {
		key, id, _ := strings.Cut(word, "=")
		clusterType, target, _ := strings.Cut(key, "/")
		f := all[clusterType]
		if f.Packages == nil {
			f.Packages = map[string]string{}
		}
		f.Packages[target] = id
		f.ID += word + " "
		all[clusterType] = f
	}
	return all
}

func TestChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after  string
		before []string
		want   string
	}{
		"the first commit":         {"large/a=1", nil, "+large/a ~ -"},
		"something changes":        {"large/a=2 small/b=1", []string{"large/a=1"}, "+small/b ~large/a -"},
		"removed":                  {"", []string{"large/a=1 large/b=1"}, "+ ~ -large/a,large/b"},
		"another one":              {"large/b=1", []string{"large/a=1"}, "+large/b ~ -large/a"},
		"nothing changes":          {"large/a=1", []string{"large/a=1"}, "+ ~ -"},
		"a merge of changes":       {"large/a=2 large/b=2", []string{"large/a=2 large/b=1", "large/a=1 large/b=2"}, "+ ~ -"},
		"a merge that changes":     {"large/a=3", []string{"large/a=2", "large/a=1"}, "+ ~large/a -"},
		"a merge that adds":        {"large/a=1 large/c=1", []string{"large/a=1", "large/b=1"}, "+large/c ~ -"},
		"a merge that removes":     {"", []string{"large/a=1", "large/a=2"}, "+ ~ -large/a"},
		"a merge, new in one line": {"large/a=3", []string{"", "large/a=1"}, "+ ~large/a -"},
	} {
		var before []inventory.Folders
		for _, text := range test.before {
			before = append(before, state(text))
		}
		added, edited, removed := inventory.Changed(state(test.after), before...)
		if got := fmt.Sprintf("+%s ~%s -%s", strings.Join(added, ","), strings.Join(edited, ","), strings.Join(removed, ",")); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
