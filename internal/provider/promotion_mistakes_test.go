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

// A misspelled or missing rule would demand less than intended, so it is an error at every
// level.
func TestPromotion_mistakes(t *testing.T) {
	t.Parallel()
	const (
		place   = `repo = "https://git.example/fleet"; branch = "main"`
		rest    = `environment = "stage"; target {; ` + place + `; }; `
		source  = `source {; ` + place + `; }; `
		dev     = rest + source + `after {; environment = "dev"; ` + place + "; "
		window  = `days = ["mon"]; from = "09:00"; to = "16:00"; timezone = "UTC"`
		windows = rest + source + "windows {; "
	)
	all := map[string]mistake{
		"neither":        {rest, "Exactly one of these attributes must be configured: [source,candidate]"},
		"both":           {rest + source + `candidate = "v1"`, "Exactly one of these attributes must be configured: [source,candidate]"},
		"no environment": {source + "target {; " + place + "; }", `The argument "environment" is required`},
		"no target":      {`environment = "stage"; ` + source, "target must have a configuration value"},
		"empty":          {strings.Replace(rest, `"stage"`, `""`, 1) + source, "environment string length must be at least 1"},
		"a soak": {dev + `no_checks = true; sook = "2h"; }`,
			`An argument named "sook" is not expected here. Did you mean "soak"?`},
		"creators": {dev + `checks {; context = "x"; creator = ["bot"]; }; }`,
			`An argument named "creator" is not expected here. Did you mean "creators"?`},
		"at_least": {rest + source + `source_checks {; context = "x"; atleast = 2; }`,
			`An argument named "atleast" is not expected here. Did you mean "at_least"?`},
		"a window":   {windows + window + `; zone = "UTC"; }`, `An argument named "zone" is not expected here.`},
		"the source": {rest + "source {; " + place + `; folder = "."; }`, `An argument named "folder" is not expected here.`},
		"the target": {strings.Replace(rest, place, place+"; cluster_type = []", 1) + source,
			`An argument named "cluster_type" is not expected here. Did you mean "cluster_types"?`},
		"a block": {dev + `check { context = "x" }; }`, `Blocks of type "check" are not expected here. Did you mean "checks"?`},
		"a list of checks": {dev + `checks = [{ context = "x" }]; }`,
			`An argument named "checks" is not expected here. Did you mean to define a block of type "checks"?`},
		"no checks": {dev + "}", "There are no checks, so nothing would show whether a commit works in dev"},
		"checks and none": {dev + `no_checks = true; checks { context = "x" }; }`,
			"The block after of dev has both checks and no_checks = true"},
		"no context":    {dev + "checks {}; }", `The argument "context" is required`},
		"empty context": {dev + `checks { context = "" }; }`, `after["dev"].checks[0].context: It is empty.`},
		"nobody":        {dev + `checks {; context = "x"; creators = []; }; }`, "list must contain at least 1 elements"},
		"null creator":  {dev + `checks {; context = "x"; creators = [null]; }; }`, "null"},
		"empty creator": {dev + `checks {; context = "x"; creators = [""]; }; }`, "Write logins, or leave creators out"},
		"no clusters": {dev + `no_checks = true; cluster_types = []; }`,
			"after[0].cluster_types list must contain at least 1 elements"},
		"none at least": {dev + `checks {; context = "x"; at_least = 0; }; }`, "must be at least 1, got: 0"},
		"no number":     {dev + `checks {; context = "x"; at_least = "two"; }; }`, "a number is required"},
		"no duration": {dev + `no_checks = true; soak = "2 hours"; }`,
			`"2 hours" is not a duration. Write hours, minutes and seconds, such as "90m" or "48h"`},
		"negative":     {dev + `no_checks = true; soak = "-2h"; }`, `"-2h" is not a duration.`},
		"after itself": {strings.Replace(dev, `"dev"`, `"stage"`, 1) + "no_checks = true; }", "stage cannot come after itself"},
		"named twice": {dev + `no_checks = true; }; after {; environment = "dev"; ` + place + "; no_checks = true; }; after {; " +
			"environment = \"dev\"; " + place + "; no_checks = true; }", "are both about dev in main. Remove one of these blocks"},
		"a day": {windows + strings.Replace(window, "mon", "moday", 1) + "; }",
			`windows[0].days: "moday" is not a day. Did you mean "monday"?`},
		"no days": {windows + strings.Replace(window, `["mon"]`, "[]", 1) + "; }", "windows[0].days list must contain at least 1 " +
			"elements"},
		"a time":  {windows + strings.Replace(window, "16:00", "4pm", 1) + "; }", `windows[0].to: "4pm" is not a time of day.`},
		"a zone":  {windows + strings.Replace(window, `"UTC"`, `"Europe/Berlinn"`, 1) + "; }", `"Europe/Berlinn" is not in the time zone database. Write one`},
		"no zone": {windows + strings.Replace(window, `; timezone = "UTC"`, "", 1) + "; }", `The argument "timezone" is required`},
		"a URL": {rest + `source {; repo = "https://me:secret@git.example/x"; branch = "main"; }`, "source.repo must be the URL " +
			"of a git repository: "},
		"a branch": {rest + `source {; repo = "https://git.example/x"; branch = "a..b"; }`, "source.branch must be a valid git " +
			"branch name: "},
		"a path":     {dev + `no_checks = true; path = "../x"; }`, "after[0].path must be a path inside the repository: "},
		"no history": {dev + `no_checks = true; history = 0; }`, "must be between 1 and 20000, got: 0"},
		"checks of nothing": {strings.Replace(rest, place, place+`; checks { context = "x" }`, 1) + source,
			"Only on_failure = \"previous\" uses them."},
		"on_failure without checks": {rest + source + `on_failure = "previous"`, "There are no checks in target, so nothing would show"},
		"another on_failure":        {rest + source + `on_failure = "back"`, `on_failure value must be one of: ["stay" "previous"]`},
		"a grace alone":             {rest + source + `failure_grace = "1h"`, "must be specified when"},
		"a grace":                   {rest + source + `on_failure = "stay"; failure_grace = "long"`, `"long" is not a duration.`},
		"on_failure of a candidate": {strings.Replace(rest, place, place+`; checks { context = "x" }`, 1) + `candidate = "v1"; on_failure = "previous"`,
			"It needs a source, whose history says which release is the previous one."},
		"a freeze": {rest + source + `freeze {; from = "soon"; to = "2026-02-30"; timezone = "UTC"; reason = ""; }`,
			`freeze[0].from: "soon" is not a date.`},
		"a freeze without a reason": {rest + source + `freeze {; from = "2026-12-18"; to = "2026-12-24"; timezone = "UTC"; }`,
			`The argument "reason" is required`},
		"checks of a candidate": {rest + `candidate = "v1"; source_checks { context = "ci" }`, "a candidate has none. Remove them"},
	}
	for name, m := range all {
		m.config = promotionHCL("stage", m.config)
		all[name] = m
	}
	expectMistakes(t, all)
}

// Validation ignores unknown values, and checks known values.
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
		return `after {; environment = "dev"; repo = terraform_data.input.output; branch = "dev"; ` + settings + "; }"
	}
	dynamic := func(name, content string) string {
		return fmt.Sprintf("dynamic %q {; for_each = terraform_data.input.output; content {; %s; }; }", name, content)
	}
	all := c.source() + "; target " + c.place("stage") + "; "
	var together resource.TestStep
	for i, test := range []struct{ what, value, attributes string }{
		{"a repository", fmt.Sprintf("%q", c.url), all + after("no_checks = true")},
		{"a source", fmt.Sprintf("%q", c.url), "source {; repo = terraform_data.input.output; branch = \"main\"; }; target " + c.place("stage")},
		{"a target", fmt.Sprintf("%q", c.url), c.source() + "; target {; repo = terraform_data.input.output; branch = \"stage\"; }"},
		{"all environments", `["dev"]`, all + dynamic("after", fmt.Sprintf("environment = after.value; repo = %q; branch = after.value; "+
			"no_checks = true", c.url))},
		{"checks", `[]`, all + strings.TrimSpace(c.after("dev", "no_checks = true", dynamic("checks", "context = checks.value"))) + "; " +
			dynamic("source_checks", "context = source_checks.value")},
		{"a soak", `"1h"`, all + strings.TrimSpace(c.after("dev", "no_checks = true", "soak = terraform_data.input.output"))},
		{"windows", `["24:00"]`, all + dynamic("windows",
			`days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]; from = "00:00"; to = windows.value; timezone = "UTC"`)},
	} {
		t.Logf("p%d is %s", i, test.what)
		here := strings.NewReplacer(`"input"`, fmt.Sprintf(`"input%d"`, i), "input.output", fmt.Sprintf("input%d.output", i), `"stage" {`,
			fmt.Sprintf(`"p%d" {`, i))
		together.Config += here.Replace(config(test.value, test.attributes))
		for name, want := range map[string]string{"commit": c.id("c1"), "decision": "promote"} {
			together.ConfigStateChecks = append(together.ConfigStateChecks, statecheck.ExpectKnownValue(fmt.Sprintf("data.kalypso_promotion.p%d", i),
				tfjsonpath.New(name), knownvalue.StringExact(want)))
		}
	}
	inSteps(t, together)
}

// An unknown value does not hide a mistake in another value.
func TestPromotion_unknownMistakes(t *testing.T) {
	t.Parallel()
	const place = `{; repo = "https://git.example/fleet"; branch = "main"; }`
	const all = `environment = "stage"; source ` + place + "; target " + place
	config := func(settings string) string {
		return "resource \"terraform_data\" \"input\" { input = \"secret\" }\n" +
			promotionHCL("stage", all+`; after {; environment = "dev"; repo = terraform_data.input.output; branch = "dev"; `+settings+"; }")
	}
	expectMistakes(t, map[string]mistake{
		"a name beside what is unknown": {config(`no_checks = true; sook = "2h"`), `Did you mean "soak"?`},
		"a soak beside what is unknown": {config(`no_checks = true; soak = "soon"`), `"soon" is not a duration.`},
		"the provider": {"resource \"terraform_data\" \"input\" { input = \"secret\" }\nprovider \"kalypso\" {\n git = [{ url_prefix = " +
			"\"https://git.example/\", password = terraform_data.input.output }]\n}\n" +
			promotionHCL("stage", all),
			"Repositories cannot be read, because the provider's configuration is not known yet (git[0].password). First apply the resources"},
	})
}

func TestAttributePath(t *testing.T) {
	t.Parallel()
	for _, at := range []path.Path{
		path.Root("pin"), path.Root("after").AtListIndex(1).AtName("soak"), path.Root("windows").AtListIndex(12).AtName("days"),
		path.Root("after").AtListIndex(0).AtName("checks").AtListIndex(0).AtName("context"),
	} {
		if got := attributePath(at.String()); !got.Equal(at) {
			t.Errorf("%s is read as %s", at, got)
		}
	}
	for text, want := range map[string]path.Path{`after["dev"]`: path.Root("after"), "windows[x]": path.Root("windows"), "": path.Empty()} {
		if got := attributePath(text); !got.Equal(want) {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}
