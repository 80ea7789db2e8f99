// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// What is misspelled or missing demands less than was meant, so it is an error, at every
// level.
func TestPromotion_mistakes(t *testing.T) {
	t.Parallel()
	const (
		place   = `repo = "https://git.example/fleet", branch = "main"`
		rest    = `environment = "stage"; target = { ` + place + ` }; `
		source  = `source = { ` + place + ` }; `
		dev     = rest + source + "after = { dev = { " + place + ", "
		window  = `days = ["mon"], from = "09:00", to = "16:00", timezone = "UTC"`
		windows = rest + source + "windows = [{ "
	)
	all := map[string]mistake{
		"neither":               {rest, "Exactly one of these attributes must be configured: [source,candidate]"},
		"both":                  {rest + source + `candidate = "v1"`, "Exactly one of these attributes must be configured: [source,candidate]"},
		"no environment":        {source + "target = { " + place + " }", `The argument "environment" is required`},
		"no target":             {`environment = "stage"; ` + source, `The argument "target" is required`},
		"empty":                 {strings.Replace(rest, `"stage"`, `""`, 1) + source, "environment string length must be at least 1"},
		"a soak":                {dev + `checks = [], sook = "2h" } }`, `There is no attribute after["dev"].sook. Did you mean soak? The attributes are branch, checks, cluster_types, environment, history, path, repo, soak.`},
		"creators":              {dev + `checks = [{ context = "x", creator = ["bot"] }] } }`, `There is no attribute after["dev"].checks[0].creator. Did you mean creators?`},
		"at_least":              {rest + source + `source_checks = [{ context = "x", atleast = 2 }]`, `There is no attribute source_checks[0].atleast. Did you mean at_least?`},
		"a window":              {windows + window + ", zone = \"UTC\" }]", `There is no attribute windows[0].zone.`},
		"the source":            {rest + "source = { " + place + ", folder = \".\" }", "There is no attribute source.folder."},
		"the target":            {strings.Replace(rest, place, place+", cluster_type = []", 1) + source, "There is no attribute target.cluster_type. Did you mean cluster_types?"},
		"no checks":             {dev + "} }", `after["dev"].checks has to be set.`},
		"null checks":           {dev + "checks = null } }", `after["dev"].checks has to be set.`},
		"no context":            {dev + "checks = [{}] } }", `after["dev"].checks[0].context has to be set.`},
		"empty context":         {dev + `checks = [{ context = "" }] } }`, `after["dev"].checks[0].context: It is empty.`},
		"null check":            {dev + `checks = [null] } }`, `after["dev"].checks[0] is null. Write what is meant, or remove it.`},
		"nobody":                {dev + `checks = [{ context = "x", creators = [] }] } }`, `after["dev"].checks[0].creators is empty. Write what is meant, or leave it out.`},
		"null creator":          {dev + `checks = [{ context = "x", creators = [null] }] } }`, `after["dev"].checks[0].creators[0] is null.`},
		"empty creator":         {dev + `checks = [{ context = "x", creators = [""] }] } }`, "Write logins, or leave creators out"},
		"no clusters":           {dev + `checks = [], cluster_types = [] } }`, `after["dev"].cluster_types is empty, so there is nothing to look at. Leave out what it is in`},
		"none at least":         {dev + `checks = [{ context = "x", at_least = 0 }] } }`, "must be at least 1, got: 0"},
		"a part at least":       {dev + `checks = [{ context = "x", at_least = 1.5 }] } }`, `after["dev"].checks[0].at_least: a whole number is needed.`},
		"no number":             {dev + `checks = [{ context = "x", at_least = "two" }] } }`, `after["dev"].checks[0].at_least: a number is required.`},
		"no list":               {dev + `checks = { context = "x" } } }`, `after["dev"].checks: `},
		"no object":             {dev + `checks = ["x"] } }`, `after["dev"].checks[0]: object required.`},
		"no map":                {rest + source + `after = ["dev"]`, "after: "},
		"null environment":      {rest + source + "after = { dev = null }", `after["dev"] is null.`},
		"no duration":           {dev + `checks = [], soak = "2 hours" } }`, `"2 hours" is none. Write hours, minutes and seconds, such as "90m" or "48h"`},
		"negative":              {dev + `checks = [], soak = "-2h" } }`, `"-2h" is none.`},
		"after itself":          {strings.Replace(dev, "dev =", "stage =", 1) + "checks = [] } }", "stage cannot come after itself"},
		"a day":                 {windows + strings.Replace(window, "mon", "moday", 1) + " }]", `windows[0].days: "moday" is no day. Did you mean "monday"?`},
		"no days":               {windows + strings.Replace(window, `["mon"]`, "[]", 1) + " }]", "windows[0].days is empty."},
		"a time":                {windows + strings.Replace(window, "16:00", "4pm", 1) + " }]", `windows[0].to: "4pm" is no time of day.`},
		"a zone":                {windows + strings.Replace(window, `"UTC"`, `"Europe/Berlinn"`, 1) + " }]", `Did you mean "Europe/Berlin"?`},
		"no zone":               {windows + strings.Replace(window, `, timezone = "UTC"`, "", 1) + " }]", "windows[0].timezone has to be set."},
		"a URL":                 {rest + `source = { repo = "https://me:secret@git.example/x", branch = "main" }`, "source.repo must be the URL of a git repository: "},
		"a branch":              {rest + `source = { repo = "https://git.example/x", branch = "a..b" }`, "source.branch must be a valid git branch name: "},
		"a path":                {dev + `checks = [], path = "../x" } }`, `after["dev"].path must be a path inside the repository: `},
		"no history":            {dev + `checks = [], history = 0 } }`, `must be between 1 and 20000, got: 0`},
		"checks of a candidate": {rest + `candidate = "v1"; source_checks = [{ context = "ci" }]`, "a candidate has none. Remove them"},
		"two at once":           {dev + `checks = [{ contxt = "x" }], soak = "soon" } }`, `"soon" is none.`},
	}
	for name, m := range all {
		m.config = promotionHCL("stage", m.config)
		all[name] = m
	}
	expectMistakes(t, all)
}

// What is not known yet is not held against anybody, and what is known is.
func TestAccPromotion_unknown(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	c := &chain{t: t, repo: repo, url: repo.FileURL(), ids: map[string]string{}}
	c.commits("c1")
	c.deploys("dev", "c1", "9h")
	input := func(value string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"input\" { input = %s }\n", value)
	}
	config := func(value, attributes string) string {
		return input(value) + promotionHCL("stage", "environment = \"stage\"; "+attributes)
	}
	after := func(settings string) string {
		return "after = { dev = { repo = terraform_data.input.output, branch = \"dev\", " + settings + " } }"
	}
	all := c.source() + "; target = " + c.place("stage") + "; "
	var together resource.TestStep
	for i, test := range []struct{ what, value, attributes string }{
		{"a repository", fmt.Sprintf("%q", c.url), all + after("checks = []")},
		{"a source", fmt.Sprintf("{ repo = %q, branch = \"main\" }", c.url), "source = terraform_data.input.output; target = " + c.place("stage")},
		{"a target", fmt.Sprintf("{ repo = %q, branch = \"stage\" }", c.url), c.source() + "; target = terraform_data.input.output"},
		{"all environments", fmt.Sprintf("{ dev = { repo = %q, branch = \"dev\", checks = [] } }", c.url), all + "after = terraform_data.input.output"},
		{"an environment", fmt.Sprintf("{ repo = %q, branch = \"dev\", checks = [] }", c.url), all + "after = { dev = terraform_data.input.output }"},
		{"checks", "[]", all + "after = { dev = " + c.place("dev", "checks = terraform_data.input.output") + " }; source_checks = terraform_data.input.output"},
		{"a soak", `"1h"`, all + "after = { dev = " + c.place("dev", "checks = []", "soak = terraform_data.input.output") + " }"},
		{"windows", `[{ days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from = "00:00", to = "24:00", timezone = "UTC" }]`, all + "windows = terraform_data.input.output"},
		{"null, once it is known", "null", all + "after = terraform_data.input.output; windows = terraform_data.input.output"},
	} {
		t.Logf("p%d is %s", i, test.what)
		here := strings.NewReplacer(`"input"`, fmt.Sprintf(`"input%d"`, i), "input.output", fmt.Sprintf("input%d.output", i), `"stage" {`, fmt.Sprintf(`"p%d" {`, i))
		together.Config += here.Replace(config(test.value, test.attributes))
		for name, want := range map[string]string{"commit": c.id("c1"), "decision": "promote"} {
			together.ConfigStateChecks = append(together.ConfigStateChecks, statecheck.ExpectKnownValue(fmt.Sprintf("data.kalypso_promotion.p%d", i), tfjsonpath.New(name), knownvalue.StringExact(want)))
		}
	}
	inSteps(t, together)
}

// A mistake beside what is not known yet is told.
func TestPromotion_unknownMistakes(t *testing.T) {
	t.Parallel()
	const place = `{ repo = "https://git.example/fleet", branch = "main" }`
	const all = "environment = \"stage\"; source = " + place + "; target = " + place
	config := func(settings string) string {
		return "resource \"terraform_data\" \"input\" { input = \"secret\" }\n" + promotionHCL("stage", all+"; after = { dev = { repo = terraform_data.input.output, branch = \"dev\", "+settings+" } }")
	}
	expectMistakes(t, map[string]mistake{
		"a name beside what is unknown": {config(`checks = [], sook = "2h"`), "Did you mean soak?"},
		"a soak beside what is unknown": {config(`checks = [], soak = "soon"`), `"soon" is none.`},
		"the provider": {"resource \"terraform_data\" \"input\" { input = \"secret\" }\nprovider \"kalypso\" {\n git = [{ url_prefix = \"https://git.example/\", password = terraform_data.input.output }]\n}\n" +
			promotionHCL("stage", all), "Repositories cannot be read, since the provider's configuration is not known yet (git[0].password). Apply what it depends on first"},
	})
}

func TestAttributePath(t *testing.T) {
	t.Parallel()
	for _, at := range []path.Path{
		path.Root("pin"), path.Root("after").AtMapKey("dev"), path.Root("after").AtMapKey(`a "b" [0].c`).AtName("soak"),
		path.Root("windows").AtListIndex(12).AtName("days"), path.Root("after").AtMapKey("").AtName("checks").AtListIndex(0).AtName("context"),
	} {
		if got := attributePath(at.String()); !got.Equal(at) {
			t.Errorf("%s is read as %s", at, got)
		}
	}
	for text, want := range map[string]path.Path{`after["dev`: path.Root("after"), "windows[x]": path.Root("windows"), "": path.Empty()} {
		if got := attributePath(text); !got.Equal(want) {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}
