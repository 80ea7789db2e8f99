// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff_test

import (
	"strings"
	"testing"
)

// Files of different deployment targets are never a rename: a cluster deletes one namespace
// and creates another.
func TestUnifiedRenamesWithinOneTarget(t *testing.T) {
	t.Parallel()
	namespace := func(name string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  labels:\n    workspace: retail\n    team: shop\n"
	}
	for name, test := range map[string]struct {
		old, now map[string]string
		renames  int
	}{
		"a renamed workload": {map[string]string{"large/shop-api/namespace.yaml": namespace("shop-api")},
			map[string]string{"large/store-api/namespace.yaml": namespace("store-api")}, 0},
		"the same content": {map[string]string{"large/shop-api/quota.yaml": namespace("x")},
			map[string]string{"large/store-api/quota.yaml": namespace("x")}, 0},
		"another cluster type": {map[string]string{"large/shop-api/namespace.yaml": namespace("shop-api")},
			map[string]string{"small/shop-api/namespace.yaml": namespace("shop-api")}, 1},
		"another file of a package": {map[string]string{"large/shop-api/a.yaml": namespace("x")},
			map[string]string{"large/shop-api/b.yaml": namespace("x")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := unified(between(files(test.old), files(test.now)))
			if strings.Count(got, "rename from") != test.renames {
				t.Errorf("want %d renames in\n%s", test.renames, got)
			}
		})
	}
}
