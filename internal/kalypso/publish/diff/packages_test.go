// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

// A package that is removed is one line, also if it moves.
func TestUnifiedFoldsPackages(t *testing.T) {
	t.Parallel()
	another := []string{"diff --git a/west/web/config b/west/web/config", "diff --git a/west/web/namespace b/west/web/namespace"}
	workload := func(clusterType, name, repo string) map[string]string {
		return map[string]string{
			clusterType + "/" + name + "-live/config": "namespace: prod-" + clusterType + "-" + name + "-live\nworkload: " + name + "\nurl: git/" +
				repo + "\n",
			clusterType + "/" + name + "-live/namespace": "name: prod-" + clusterType + "-" + name + "-live\n",
		}
	}
	web := func(clusterType, level string) map[string]string {
		return map[string]string{
			clusterType + "/web/config": "namespace: prod-" + clusterType + "-web\napiVersion: v1\nkind: ConfigMap\nname: " +
				"platform-config\nlevel: " + level + "\n",
			clusterType + "/web/namespace": "name: prod-" + clusterType + "-web\nkind: Namespace\napiVersion: v1\n",
		}
	}
	with := func(all ...map[string]string) map[string]string {
		files := map[string]string{"east/stays/a": "1\n", "west/stays/a": "1\n"}
		for _, more := range all {
			for name, content := range more {
				files[name] = content
			}
		}
		return files
	}
	for name, test := range map[string]struct {
		old, now map[string]string
		want     []string // the lines that begin a file, and those that represent several files
	}{
		"removed":           {with(web("east", "x")), with(), []string{"- east/web (2 files)"}},
		"removed by a file": {with(map[string]string{"east/stays/b": "2\n"}), with(), []string{"diff --git a/east/stays/b b/east/stays/b"}},
		"moved":             {with(web("east", "x")), with(web("west", "x")), []string{"- east/web (2 files)", another[0], another[1]}},
		"renamed workload": {with(workload("east", "shop", "r")), with(workload("east", "store", "r")),
			[]string{"- east/shop-live (2 files)", "diff --git a/east/store-live/config b/east/store-live/config",
				"diff --git a/east/store-live/namespace b/east/store-live/namespace"}},
		"to where it was": {with(web("east", "x"), web("west", "y")), with(web("west", "x")),
			[]string{"- east/web (2 files)", "diff --git a/west/web/config b/west/web/config"}},
		"two go, another comes": {with(web("east", "x"), web("north", "x")), with(web("west", "y")),
			[]string{"- east/web (2 files)", "- north/web (2 files)", another[0], another[1]}},
		"new on three": {with(), with(web("west", "x"), web("north", "x"), web("south", "y")), []string{
			"diff --git a/north/web/config b/north/web/config",
			"(…, in 1 other file: west/web/config; below west)",
			"diff --git a/north/web/namespace b/north/web/namespace",
			"(…, in 2 other files: south/web/namespace, west/web/namespace; below south, west)",
			"diff --git a/south/web/config b/south/web/config",
		}},
		"everything": {
			with(web("east", "x"), map[string]string{"east/README.md": "1\n", "east/zoo/a": "2\n", "west/old/a": "3\n"}),
			with(web("west", "x"), map[string]string{"east/README.md": "2\n", "east/stays/a": "2\n", "west/new/a": "4\n"}),
			[]string{"- east/web (2 files)", "- east/zoo (1 file)", "- west/old (1 file)", "diff --git a/east/stays/a b/east/stays/a",
				"diff --git a/west/new/a b/west/new/a", another[0], another[1], "(folded: east/README.md)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := diff.Trees(dir(t, test.old), dir(t, test.now))
			for i := range changes {
				changes[i].Beside = strings.HasSuffix(changes[i].Path, ".md")
			}
			var got []string
			for line := range strings.Lines(unified(changes)) {
				if strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "(") || strings.HasPrefix(line, "- ") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			if d := cmp.Diff(test.want, got, elided.Texts); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
