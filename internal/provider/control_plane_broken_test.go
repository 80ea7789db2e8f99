// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// teams are two teams with a repository each, and an environment that reads both.
type teams struct {
	a, b, platform served
	result         gitServer
}

func newTeams(t *testing.T) teams {
	t.Helper()
	w := teams{servers["http"](t), servers["http"](t), servers["http"](t), transports["file"](t)}
	w.platform.commit(t, "dev", map[string]string{
		"types.yaml": clusterTypeYAML("small"), "templates.yaml": templatesYAML,
		"policies.yaml": policyYAML("a", "team-a", "small") + "---\n" + policyYAML("b", "team-b", "small"),
		"teams.yaml":    registrationYAML("a", w.a.url, "main", "", "team-a") + "---\n" + registrationYAML("b", w.b.url, "main", "", "team-b"),
	})
	w.puts(t, w.a, "one.yaml", workloadYAML("a-one"))
	w.b.commit(t, "main", map[string]string{"one.yaml": workloadYAML("b-one"), "two.yaml": workloadYAML("b-two")})
	return w
}

func (teams) puts(t *testing.T, s served, file, text string) {
	t.Helper()
	s.commit(t, "main", map[string]string{file: text})
}

func (w teams) config(onError string) string {
	return providerFor(w.a, w.b, w.platform) + fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  environment = "dev"
  repo        = %q
  branch      = "dev"
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %q
  branch      = "dev"
  on_error    = %q
}
`, w.platform.url, w.result.url, onError)
}

// packages are the files of packages in the branch, without README.md: it says which packages are
// kept.
func (w teams) packages(t *testing.T) map[string]string {
	t.Helper()
	all := w.result.repo.Files(t, "dev")
	maps.DeleteFunc(all, func(path, _ string) bool {
		return strings.HasPrefix(path, ".") || strings.HasSuffix(path, "/README.md")
	})
	return all
}

// A team tries to bring every kind through its source: nothing changes for the others, and
// what the team had stays.
func TestAccBroken_everyKind(t *testing.T) {
	t.Parallel()
	w := newTeams(t)
	cli := newWorkspace(t, w.config("keep"))
	cli.mustRun(t, applying...)
	before := w.packages(t)
	w.puts(t, w.b, "one.yaml", workloadYAML("b-one")+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b-x, labels: {platform-config: "+
		"\"true\"}}\ndata: {ROLE: cluster-admin}\n")
	for kind, text := range fleetgen.EveryKind("b-three") {
		if kind != string(manifest.KindWorkload) {
			w.puts(t, w.b, kind+".yaml", text)
		}
	}
	w.puts(t, w.a, "stolen.yaml", workloadYAML("b-two"))
	out, _, err := cli.run(applying...)
	if diff := cmp.Diff(before, w.packages(t)); diff != "" || len(before) == 0 || err != nil {
		t.Fatalf("%v, branch (-before +after):\n%s\n%s", err, diff, out)
	}
	cli.fails(t, cli.written(t, w.config("fail"), "plan"), "Not a workload", "#main:one.yaml, line 8",
		"Duplicate object", "#main:stolen.yaml")
	cli.fails(t, cli.written(t, w.config("keep")+`
data "kalypso_assignments" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
}
`, "plan"), "Not a workload", "#main:one.yaml, line 8")
}

// Two teams break files at once: what they had stays, also what another team takes away meanwhile.
// A file that was broken from the first plan on comes in when it is fixed.
func TestAccBroken_twoTeams(t *testing.T) {
	t.Parallel()
	w := newTeams(t)
	w.puts(t, w.a, "later.yaml", "kind: [\n") // from the first plan on
	var first map[string]string
	same := func(*terraform.State) error {
		now := w.packages(t)
		for path := range now { // it stays until all files are fixed
			if strings.HasPrefix(path, "small/b-two-here/") {
				delete(now, path)
			}
		}
		if diff := cmp.Diff(first, now); diff != "" || len(first) == 0 {
			return fmt.Errorf("branch (-want +got):\n%s", diff)
		}
		return nil
	}
	inSteps(t,
		resource.TestStep{Config: w.config("fail"), ExpectError: regexp.MustCompile(`(?s)Invalid YAML.*#main:later.yaml, line\s2`)},
		resource.TestStep{Config: w.config("keep"), Check: func(*terraform.State) error {
			first = w.packages(t)
			return nil
		}},
		resource.TestStep{PreConfig: func() {
			w.puts(t, w.a, "one.yaml", strings.Replace(workloadYAML("a-one"), "spec", "spek", 1))
			w.b.commit(t, "main", map[string]string{"one.yaml": "", "renamed.yaml": "kind: [\n"})
		}, Config: w.config("keep"), Check: same},
		resource.TestStep{PreConfig: func() { // meanwhile others deliver, and a broken file changes
			w.puts(t, w.b, "two.yaml", strings.Replace(workloadYAML("b-two"), "live", "here", 1))
			w.puts(t, w.a, "one.yaml", "kind: {\n")
		}, Config: w.config("keep"), Check: func(*terraform.State) error {
			now := w.packages(t)
			if now["small/b-two-here/reconciler.yaml"] == "" || now["small/b-two-live/reconciler.yaml"] == "" ||
				now["small/a-one-live/reconciler.yaml"] == "" || now["small/b-one-live/reconciler.yaml"] == "" {
				return fmt.Errorf("branch: %v", now)
			}
			return nil
		}},
		resource.TestStep{PreConfig: func() {
			w.puts(t, w.a, "one.yaml", workloadYAML("a-one"))
			w.b.commit(t, "main", map[string]string{"renamed.yaml": workloadYAML("b-one"), "two.yaml": workloadYAML("b-two")})
		}, Config: w.config("keep"), Check: same},
		resource.TestStep{PreConfig: func() { w.puts(t, w.a, "later.yaml", workloadYAML("a-later")) }, Config: w.config("fail"),
			Check: func(*terraform.State) error {
				now := w.packages(t)
				if now["small/a-later-live/reconciler.yaml"] == "" || now["small/b-two-here/reconciler.yaml"] != "" {
					return fmt.Errorf("branch: %v", w.packages(t))
				}
				return nil
			}},
	)
}

// A team removes the branch that its registration names: its packages stay, too. A warning
// says why.
func TestAccBroken_branchGone(t *testing.T) {
	t.Parallel()
	w := newTeams(t)
	cli := newWorkspace(t, w.config("keep"))
	cli.mustRun(t, applying...)
	before := w.packages(t)
	w.platform.commit(t, "dev", map[string]string{
		"teams.yaml": registrationYAML("a", w.a.url, "gone", "", "team-a") + "---\n" + registrationYAML("b", w.b.url, "main", "", "team-b")})
	out, _, err := cli.run("plan")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cli.says(t, out, `has no branch "gone"`, "These packages stay as they are: package small/a-one-live")
	cli.mustRun(t, applying...)
	if diff := cmp.Diff(before, w.packages(t)); diff != "" || len(before) == 0 {
		t.Errorf("branch (-before +after):\n%s", diff)
	}
	cli.fails(t, cli.written(t, w.config("fail"), "plan"), `has no branch "gone"`)
}
