// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// expectSources checks the sources in the records of the branch dev, as "<commit> <name>".
func expectSources(t *testing.T, r gitServer, want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var got []string
		for path, text := range r.repo.Files(t, "dev") {
			instance, found := strings.CutPrefix(path, ".kalypso/")
			if !found {
				continue
			}
			record, err := ownership.ParseRecord(instance, []byte(text))
			if err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(record.Sources)) {
				got = append(got, record.Sources[name]+" "+name)
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("the record has the sources %q, want %q", got, want)
		}
		return nil
	}
}

// An environment writes which commits it has read. Another one reads at these commits, and
// moves to the next ones when it is told.
func TestAccGitOpsCommit_sources(t *testing.T) {
	t.Parallel()
	app, platform, result := servers["http"](t), servers["http"](t), transports["file"](t)
	first := app.commit(t, "main", map[string]string{"workload/workload.yaml": workloadYAML("app")})
	platform.commit(t, "dev", map[string]string{
		"fleet.yaml": templatesYAML + "---\n" + clusterTypeYAML("small") + "---\n" + policyYAML("small", "", "small"),
		"app.yaml":   registrationYAML("app", app.url, "main", "workload", "team"),
	})
	name := app.url + "#main"
	config := func(commits, sources string) string {
		return providerFor(app, platform) + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  %s",
			platform.url, commits)) + fmt.Sprintf(`
resource "terraform_data" "later" {
  input = %q
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  sources     = %s
  repo        = %q
  branch      = "dev"
}
`, strings.Repeat("1", 40), sources, result.url)
	}
	const ofRead = "data.kalypso_control_plane.dev.sources"
	second := ""
	inSteps(t,
		resource.TestStep{ // not known at plan
			Config: config("", fmt.Sprintf("{ %q = terraform_data.later.output }", name)),
			Check:  expectSources(t, result, strings.Repeat("1", 40)+" "+name),
		},
		resource.TestStep{Config: config("", ofRead), Check: expectSources(t, result, first+" "+name)},
		resource.TestStep{
			PreConfig: func() { second = app.commit(t, "main", map[string]string{"README.md": "# App"}) },
			Config:    config(fmt.Sprintf("source_commits = { \"%s/#main\" = %q }", app.url, first), ofRead),
			Check:     expectSources(t, result, first+" "+name),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("kalypso_gitops_commit.dev", plancheck.ResourceActionNoop)}},
		},
		resource.TestStep{
			Config: config("source_commits = {}", ofRead),
			Check:  func(s *terraform.State) error { return expectSources(t, result, second+" "+name)(s) },
			ConfigStateChecks: checks(statecheck.ExpectKnownValue("kalypso_gitops_commit.dev", tfjsonpath.New("summary"),
				knownvalue.StringExact("no package changes; 1 of 1 source changed"))),
		},
		resource.TestStep{Config: config("", "null"), Check: expectSources(t, result)},
	)
}

func TestSources_mistakes(t *testing.T) {
	t.Parallel()
	app, r := transports["file"](t), transports["file"](t)
	app.repo.CommitFiles(t, "dev", map[string][]byte{"small.yaml": []byte(clusterTypeYAML("small"))}, "dev")
	commit := func(sources string) string {
		return r.provider + fmt.Sprintf("resource \"kalypso_gitops_commit\" \"dev\" {\n  environment = \"dev\"\n  manifests = [\"\"]\n  "+
			"repo = %q\n  branch = \"dev\"\n  sources = %s\n}\n", r.url, sources)
	}
	read := func(commits string) string {
		return app.provider + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  source_commits = %s",
			app.url, commits))
	}
	id := strings.Repeat("a", 40)
	expectMistakes(t, map[string]mistake{
		"no branch":          {commit(fmt.Sprintf("{ \"https://git.example/app\" = %q }", id)), `is not a valid source. Write <repo>#<branch>`},
		"a line break":       {commit(fmt.Sprintf(`{ "x#y\nenvironment: prod" = %q }`, id)), "is not a valid source"},
		"a name":             {commit(`{ "x#y" = "main" }`), `must be the full id of a commit`},
		"upper case":         {commit(fmt.Sprintf(`{ "x#y" = %q }`, strings.ToUpper(id))), "40 or 64 lower-case"},
		"null":               {commit(`{ "x#y" = null }`), "contains a null value"},
		"too many":           {commit(fmt.Sprintf("{ for i in range(1001) : \"x#${i}\" => %q }", id)), "at most 1000 elements"},
		"of a control plane": {read(`{ "x#y" = "abc1234" }`), `"abc1234" is not`},
	})
}
