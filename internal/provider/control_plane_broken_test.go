// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	cli.says(t, out, `has no branch "gone"`, "stay as they are: small/a-one-live")
	cli.mustRun(t, applying...)
	if diff := cmp.Diff(before, w.packages(t)); diff != "" || len(before) == 0 {
		t.Errorf("branch (-before +after):\n%s", diff)
	}
	cli.fails(t, cli.written(t, w.config("fail"), "plan"), `has no branch "gone"`)
}
