// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A misspelled or missing rule would demand less than intended, so it is an error at every
// level.
func TestPromotion_mistakes(t *testing.T) {
	t.Parallel()
	const (
		place  = `repo = "https://git.example/fleet"; branch = "main"`
		rest   = `environment = "stage"; target {; ` + place + `; }; `
		source = `source {; ` + place + `; }; `
		dev    = rest + `after {; environment = "dev"; ` + place + "; "
		check  = `check { context = "x" }`
		window = rest + source + `window {; days = ["mon"]; from = "09:00"; to = "16:00"; timezone = "UTC"; }`
		freeze = rest + source + `freeze {; from = "2026-12-18"; to = "2026-12-24"; timezone = "UTC"; reason = "x"; }`
	)
	all := map[string]mistake{
		"neither":                   {rest, "is the first environment"},
		"both":                      {dev + check + "; }; " + source, "An environment with after"},
		"no target":                 {`environment = "stage"; ` + source, "target must have a configuration value"},
		"no source":                 {rest + `source {; repo = "https://git.example/fleet"; }`, `The argument "branch" is required`},
		"another name":              {dev + `checks_required = false; sook = "2h"; }`, `An argument named "sook" is not expected here. Did you mean "soak"?`},
		"another block":             {dev + `checks { context = "x" }; }`, `Blocks of type "checks" are not expected here. Did you mean "check"?`},
		"no check":                  {dev + "}", "dev has no check: nothing would show"},
		"check and none":            {dev + `checks_required = false; ` + check + "; }", "The block after of dev has a"},
		"no context":                {dev + "check {}; }", `The argument "context" is required`},
		"empty context":             {dev + `check { context = "" }; }`, "context string length must be at least 1"},
		"nobody":                    {dev + `check {; context = "x"; creators = []; }; }`, "set must contain at least 1 elements"},
		"nothing expected":          {dev + `check {; context = "x"; expected = [null]; }; }`, "null"},
		"none at least":             {dev + `check {; context = "x"; at_least = 0; }; }`, "at_least must be a whole number from 1 to"},
		"a share of nothing":        {dev + `check {; context = "x"; min_green = "95%"; }; }`, "the contexts in expected"},
		"more green than expected":  {dev + `check {; context = "x"; min_green = 3; expected = ["a", "b"]; }; }`, "min_green asks for 3 green contexts, and"},
		"no share":                  {dev + `check {; context = "x"; at_least = 3; min_green = "most"; }; }`, `"most" is neither a share`},
		"a share of all and more":   {rest + source + `source_check {; context = "x"; at_least = 3; min_green = "101%"; }`, `"101%" is neither`},
		"no duration":               {dev + check + `; soak = "2 hours"; }`, `"2 hours" is not a duration. Write`},
		"a day":                     {strings.Replace(window, "mon", "moday", 1), `window[0].days: "moday" is not a day. Did you mean "monday"?`},
		"a zone":                    {strings.Replace(window, "UTC", "Europe/Berlinn", 1), `"Europe/Berlinn" is not in the`},
		"a freeze":                  {strings.Replace(freeze, "2026-12-18", "soon", 1), `freeze[0].from: "soon" is not a date.`},
		"a path":                    {dev + check + `; path = "../x"; }`, "after[0].path must be a path"},
		"a pin":                     {rest + source + `pin = "main"`, `"main" is not a release`},
		"check of nothing":          {strings.Replace(rest, place, place+"; "+check, 1) + source, "the checks of target"},
		"on_failure without check":  {rest + source + `on_failure = "previous"`, `on_failure = "previous" needs a`},
		"another on_failure":        {rest + source + `on_failure = "back"`, `on_failure value must be one of: ["stay" "previous"]`},
		"a grace alone":             {rest + source + `failure_grace = "1h"`, "must be specified when"},
		"source_check of no source": {dev + check + "; }; source_check { context = \"ci\" }", "source_check needs a block"},
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
	target := "target " + c.place("stage") + "; "
	all := target + c.source() + "; "
	var together resource.TestStep
	for i, test := range []struct{ what, value, attributes string }{
		{"a repository", fmt.Sprintf("%q", c.url), target + after("checks_required = false")},
		{"a source", fmt.Sprintf("%q", c.url), target + "source {; repo = terraform_data.input.output; branch = \"main\"; }"},
		{"a target", fmt.Sprintf("%q", c.url), c.source() + "; target {; repo = terraform_data.input.output; branch = \"stage\"; }"},
		{"all environments", `["dev"]`, target + dynamic("after", fmt.Sprintf("environment = after.value; repo = %q; branch = after.value; "+
			"checks_required = false", c.url))},
		{"checks", `[]`, target + strings.TrimSpace(c.after("dev", "checks_required = false", dynamic("check", "context = check.value")))},
		{"reports", `"[]"`, target + strings.TrimSpace(c.after("dev", "checks_required = false")) + "; reports = terraform_data.input.output"},
		{"windows", `["24:00"]`, all + dynamic("window",
			`days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]; from = "00:00"; to = window.value; timezone = "UTC"`)},
	} {
		t.Logf("p%d is %s", i, test.what)
		here := strings.NewReplacer(`"input"`, fmt.Sprintf(`"input%d"`, i), "input.output", fmt.Sprintf("input%d.output", i), `"stage" {`,
			fmt.Sprintf(`"p%d" {`, i))
		together.Config += here.Replace(config(test.value, test.attributes))
		together.ConfigStateChecks = append(together.ConfigStateChecks, c.promotionOf(fmt.Sprint("p", i), "promote c1: c1 verified", "")...)
	}
	inSteps(t, together)
}

// An unknown value does not hide a mistake in another value.
func TestPromotion_unknownMistakes(t *testing.T) {
	t.Parallel()
	const place = `{; repo = "https://git.example/fleet"; branch = "main"; }`
	const all = `environment = "stage"; target ` + place
	config := func(settings string) string {
		return "resource \"terraform_data\" \"input\" { input = \"secret\" }\n" +
			promotionHCL("stage", all+`; after {; environment = "dev"; repo = terraform_data.input.output; branch = "dev"; `+settings+"; }")
	}
	expectMistakes(t, map[string]mistake{
		"a name beside what is unknown": {config(`checks_required = false; sook = "2h"`), `Did you mean "soak"?`},
		"a soak beside what is unknown": {config(`checks_required = false; soak = "soon"`), `"soon" is not a duration.`},
		"the provider": {"resource \"terraform_data\" \"input\" { input = \"secret\" }\nprovider \"kalypso\" {\n git {\n url_prefix = " +
			"\"https://git.example/\"\n password = terraform_data.input.output\n}\n}\n" +
			promotionHCL("stage", all+"; source "+place),
			"known yet (git[0].password). First apply"},
	})
}
