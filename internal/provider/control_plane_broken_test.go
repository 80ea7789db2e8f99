// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// teams are two teams with a repository each, and an environment that reads both, with fences.
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
		"teams.yaml":    registrationYAML("a", w.a.url, "main", "", "team-a") + "---\n" + baseRepoYAML("b", w.b, "main", "", ""),
	})
	w.puts(t, w.a, "one.yaml", workloadYAML("a-one"))
	w.b.commit(t, "main", map[string]string{"one.yaml": ofTeamB("b-one"), "two.yaml": ofTeamB("b-two")})
	return w
}

func (teams) puts(t *testing.T, s served, file, text string) {
	t.Helper()
	s.commit(t, "main", map[string]string{file: text})
}

func ofTeamB(name string) string {
	return strings.Replace(workloadYAML(name), "type: app", "type: app, workspace: team-b", 1)
}

func (w teams) config(onError string) string {
	return providerFor(w.a, w.b, w.platform) + fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  environment = "dev"
  repo        = %q
  branch      = "dev"

  on_unreachable = "keep"
  allow {
    source = "WorkloadRegistration/*"
    names  = ["a-*"]
  }
  allow {
    source     = "BaseRepo/b"
    kinds      = ["Workload"]
    workspaces = ["team-b"]
    names      = ["b-*"]
  }
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %q
  branch      = "dev"
  on_error    = %q
}

output "broken" {
  value = join(" ", [for f in provider::kalypso::findings(data.kalypso_control_plane.dev.manifests, "dev") : f.subject if f.code == "FILE_BROKEN"])
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
	w.puts(t, w.b, "one.yaml", ofTeamB("b-one")+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b-x, labels: {platform-config: "+
		"\"true\"}}\ndata: {ROLE: cluster-admin}\n")
	for kind, text := range fleetgen.EveryKind("b-three") { // a workload without the workspace
		w.puts(t, w.b, kind+".yaml", text)
	}
	w.puts(t, w.a, "stolen.yaml", workloadYAML("b-one"))
	out, _, err := cli.run(applying...)
	if diff := cmp.Diff(before, w.packages(t)); diff != "" || len(before) == 0 || err != nil {
		t.Fatalf("%v, branch (-before +after):\n%s\n%s", err, diff, out)
	}
	for _, kind := range manifest.AllKinds() {
		if _, broken, _ := strings.Cut(out, "broken = "); !strings.Contains(broken, "#main:"+kind+".yaml") {
			t.Errorf("%s is not among the broken files: %s", kind, out)
		}
	}
	cli.fails(t, cli.written(t, w.config("fail"), "plan"), "Outside of a fence", "#main:one.yaml, line 8",
		"BaseRepo/b brings it", "[Workload], workspaces")
}

// The platform team adds a fence later. While a file has something outside of the fence, its
// packages stay as they are, and nothing of it reaches others. When the team has fixed the file,
// what the fence does not let in goes, within the limits.
func TestAccBroken_laterFence(t *testing.T) {
	t.Parallel()
	w := newTeams(t)
	w.puts(t, w.b, "one.yaml", ofTeamB("b-one")+"---\n"+ofTeamB("c-one")+
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b-x, labels: {platform-config: \"true\"}}\ndata: {ROLE: cluster-admin}\n")
	w.platform.commit(t, "dev", map[string]string{
		"templates.yaml": strings.Replace(templatesYAML, "{{ .Namespace }}", "{{ .Namespace }}, labels: {role: {{ .ConfigData.ROLE }}}", 1),
		"config.yaml":    "{apiVersion: v1, kind: ConfigMap, metadata: {name: all, labels: {platform-config: 'true'}}, data: {ROLE: reader}}\n",
	})
	open := w.config("keep")
	for _, rule := range []string{`kinds      = ["Workload"]`, `workspaces = ["team-b"]`, `names      = ["b-*"]`} {
		open = strings.Replace(open, rule, "", 1)
	}
	protected := strings.Replace(w.config("keep"), "on_error    =", "limits { protect = [\"*/c-*\"] }\n  on_error =", 1)
	has := func(packages ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			files := w.packages(t)
			for _, name := range []string{"a-one", "b-one", "b-two", "c-one"} {
				if _, there := files["small/"+name+"-live/reconciler.yaml"]; there != slices.Contains(packages, name) {
					return fmt.Errorf("package of %s: %t. Branch: %v", name, there, files)
				}
			}
			return nil
		}
	}
	role := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if text := w.packages(t)["small/a-one-live/namespace.yaml"]; !strings.Contains(text, want) {
				return fmt.Errorf("want the role %s, got %s", want, text)
			}
			return nil
		}
	}
	inSteps(t,
		resource.TestStep{Config: open,
			Check: resource.ComposeTestCheckFunc(has("a-one", "b-one", "b-two", "c-one"), role("cluster-admin"))},
		resource.TestStep{PreConfig: func() {
			w.puts(t, w.b, "two.yaml", strings.Replace(ofTeamB("b-two"), "team-b", "team-a", 1))
		}, Config: protected, Check: resource.ComposeTestCheckFunc(has("a-one", "b-one", "b-two", "c-one"), role("reader"))},
		resource.TestStep{PreConfig: func() {
			w.b.commit(t, "main", map[string]string{"one.yaml": ofTeamB("b-one"), "two.yaml": ofTeamB("b-two")})
		}, Config: protected, ExpectError: regexp.MustCompile(`- c-one-live: 1 cluster type`)},
		resource.TestStep{Config: w.config("keep"), Check: has("a-one", "b-one", "b-two")},
	)
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
			w.puts(t, w.b, "two.yaml", strings.Replace(ofTeamB("b-two"), "live", "here", 1))
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
			w.b.commit(t, "main", map[string]string{"renamed.yaml": ofTeamB("b-one"), "two.yaml": ofTeamB("b-two")})
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
// says why, and another one what the apply does.
func TestAccBroken_branchGone(t *testing.T) {
	t.Parallel()
	w := newTeams(t)
	cli := newWorkspace(t, w.config("keep"))
	cli.mustRun(t, applying...)
	before := w.packages(t)
	w.platform.commit(t, "dev", map[string]string{
		"teams.yaml": registrationYAML("a", w.a.url, "gone", "", "team-a") + "---\n" + baseRepoYAML("b", w.b, "main", "", "")})
	out, _, err := cli.run("plan")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cli.says(t, out, "Files of others are broken:", `has no branch "gone"`, "These packages stay as they are: package small/a-one-live")
	cli.mustRun(t, applying...)
	if diff := cmp.Diff(before, w.packages(t)); diff != "" || len(before) == 0 {
		t.Errorf("branch (-before +after):\n%s", diff)
	}
	cli.fails(t, cli.written(t, w.config("fail"), "plan"), `has no branch "gone"`)
}

// Settings of a fence that are not valid are errors of the configuration.
func TestControlPlane_fences(t *testing.T) {
	t.Parallel()
	config := func(fence string) string {
		return "data \"kalypso_control_plane\" \"dev\" {\n  directory = \".\"\n  environment = \"dev\"\n  allow {\n    " + fence + "\n  }\n}\n"
	}
	expectMistakes(t, map[string]mistake{
		"no source": {config(`kinds = ["Workload"]`), `"source" is required`},
		"kind":      {config("source = \"x\"\n kinds = [\"Workloads\"]"), "Workloads"},
		"pattern":   {config("source = \"x\"\n names = [\"[\"]"), "is not a pattern"},
		"nothing":   {config(`source = ""`), "is not a pattern"},
	})
}
