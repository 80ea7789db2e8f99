// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// freezeHCL is a freeze around now.
func freezeHCL() string {
	year := time.Now().Year()
	return fmt.Sprintf("  freeze {\n from = \"%d-01-01\"\n to = \"%d-12-31\"\n timezone = \"UTC\"\n reason = \"audit\"\n }\n", year-1, year+1)
}

// Every setting arrives.
func TestPromotion(t *testing.T) {
	t.Parallel()
	all := map[string]promoting{}
	green := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		c.deploys("dev", "c1", "30h")
		deployed := c.deploys("dev", "c2", "3h")
		c.green(deployed, "3h")
		c.reports(deployed, "kustomization/infra", "success", "2h")
		c.server.AddCheckRuns(githubtest.CheckRun{Commit: deployed, App: "scanner", Name: "policy", Conclusion: "success", Time: ago("1h")})
		c.ids["first"] = c.deploys("stage", "c1", "20h")
	})
	const promoted, waiting = "promote c2: c2 verified", "up_to_date c1: c2 waiting"
	for name, test := range map[string]struct{ settings, want, reason string }{
		"at_least is reached": {`check {; context = "kustomization/*"; at_least = 2; }`, promoted, "is verified in dev"},
		"at_least is not":     {`check {; context = "kustomization/*"; at_least = 3; }`, waiting, "2 of 3"},
		"expected":            {`check {; context = "kustomization/*"; expected = ["kustomization/apps"]; }`, promoted, ""},
		"a silent cluster": {`check {; context = "kustomization/*"; expected = ["kustomization/apps", "kustomization/edge-7"]; }`, waiting,
			"no report of kustomization/edge-7"},
		"min_green": {`check {; context = "kustomization/*"; expected = ["kustomization/apps", "kustomization/edge-7"]; min_green = "50%"; }`, promoted,
			"as min_green allows: kustomization/edge-7"},
		"several checks":           {`check { context = "kustomization/*" }; check { context = "policy" }`, promoted, ""},
		"one of several":           {`check { context = "kustomization/*" }; check { context = "e2e/full" }`, waiting, "no report of"},
		"creators":                 {`check {; context = "policy"; creators = ["eve", "Scanner"]; }`, promoted, ""},
		"others than the creators": {`check {; context = "kustomization/*"; creators = ["eve"]; }`, waiting, "by eve"},
		"soaked":                   {`check { context = "kustomization/*" }; soak = "90m"`, promoted, ""},
		"soaking":                  {`check { context = "kustomization/*" }; soak = "150m"`, "up_to_date c1: c2 soaking", "soaks in dev until "},
		"no checks":                {`checks_required = false`, promoted, ""},
		"no checks, soaking":       {`checks_required = false; soak = "4h"`, "up_to_date c1: c2 soaking", ""},
		"null counts as absent": {`check {; context = "policy"; at_least = null; creators = null; expected = null; }; soak = null; path = null`,
			promoted, ""},
	} {
		all[name] = promoting{green.from("stage", green.after("dev", test.settings)), test.want, test.reason}
	}
	window := func(days, to string) string {
		return fmt.Sprintf("  window {\n days = [%s]\n from = \"00:00\"\n to = %q\n timezone = \"UTC\"\n }\n", days, to)
	}
	const always = `"mon", "tue", "wed", "thu", "fri", "sat", "sun"`
	later := strings.ToLower(time.Now().UTC().AddDate(0, 0, 3).Format("Mon"))
	for name, test := range map[string]struct{ more, want, reason string }{
		"in a window":        {window(always, "24:00"), promoted, ""},
		"outside of windows": {window(fmt.Sprintf("%q", later), "24:00"), "held c1: c2 verified", "next window opens"},
		"freeze":             {freezeHCL(), "held c1: c2 verified", `the freeze "audit" is in force until`},
		"hold":               {"  hold = true\n", "held c1: c2 verified", "its hold is set"},
		"no hold":            {"  hold = false\n  pin = null\n  resume_after = null\n", promoted, ""},
		"pin":                {fmt.Sprintf("  pin = %q\n  hold = true\n", strings.ToUpper(green.id("c2"))), "pinned c2", ""},
		"pin a GitOps commit": {fmt.Sprintf("  pin = %q\n%s", green.id("first"), freezeHCL()), "pinned c1",
			"stage is pinned to"},
	} {
		all[name] = promoting{green.to("stage", "dev") + test.more, test.want, test.reason}
	}
	green.expectPromotions(t, all)
}

// The first environment follows its source.
func TestPromotion_source(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	for i, file := range []string{"fleet/a.yaml", "fleet/b.yaml", "docs/index.md"} {
		c.commit(fmt.Sprint("c", i), gittest.Revision{Files: map[string][]byte{file: []byte(fmt.Sprint(i))}})
	}
	c.reports(c.id("c2"), "ci", "failure", "1h")
	c.reports(c.id("c1"), "ci", "success", "1h")
	c.deploys("dev", "c0", "9h")
	in := func(path string) string {
		return strings.Replace(c.to("dev"), c.source(), "source "+c.place("main", fmt.Sprintf("path = %q", path)), 1)
	}
	c.expectPromotions(t, map[string]promoting{
		"the head":            {c.to("dev"), "promote c2: c2 verified", "dev gets"},
		"a folder":            {in("./fleet/"), "promote c1: c1 verified", ""},
		"the newest green":    {c.to("dev") + `  source_check { context = "ci" }`, "promote c1: c2 failed, c1 verified", ""},
		"pin an older commit": {c.to("dev") + fmt.Sprintf("  pin = %q\n", c.id("c1")), "pinned c1", ""},
		"a new environment":   {c.to("qa"), "promote c2: c2 verified", ""},
	})
}

// With reports in a text, promotion needs no forge.
func TestPromotion_reports(t *testing.T) {
	t.Parallel()
	for transport, serve := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			c := &chain{t: t, repo: s.repo, url: s.url, ids: map[string]string{}}
			c.commits("c1", "c2")
			c.tracks("dev", "c1", "30h")
			deployed := c.tracks("dev", "c2", "9h")
			c.tracks("stage", "c1", "20h")
			config := func(reports string) string { return s.provider + promotionHCL("stage", c.to("stage", "dev")+reports) }
			reports, err := json.Marshal([]map[string]string{
				{"commit": deployed, "context": "kustomization/apps", "state": "success", "time": ago("1h").Format(time.RFC3339)},
			})
			if err != nil {
				t.Fatal(err)
			}
			expectDirectly(t, config(fmt.Sprintf("  reports = %q\n", reports)), c.promotionOf("stage", "promote c2: c2 verified", "")...)
			planDirectly(t, config("  reports = \"[]\"\n")).Warns(t, "stage waits for dev: "+c.id("c2")[:7]+" has no report of")
			planDirectly(t, config("")).Fails(t, "the attribute reports. Without either, write checks_required")
			planDirectly(t, config("  reports = \"[{]\"\n")).Fails(t, "reports")
		})
	}
}

// Normal waiting is one line, and only if something is newer.
func TestPromotion_warning(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c1", "30h"), "30h")
		c.deploys("stage", "c1", "20h")
	})
	config := c.provider() + promotionHCL("stage", c.to("stage", "dev"))
	if told := planDirectly(t, config).Told(); told != "" {
		t.Errorf("it says %s", told)
	}
	c.deploys("dev", "c2", "10h")
	d := planDirectly(t, config)
	d.Warns(t, "stage waits for dev: "+c.id("c2")[:7]+" has no report of")
	if len(d.Said) != 1 || d.Said[0].Detail != "" || strings.Contains(d.Said[0].Summary, "\n") {
		t.Errorf("it says %s", d.Told())
	}
}

// If nothing is verified, the release is not null, but its commit is, and a commit with it is refused
// unless it is on hold.
func TestPromotion_nothingVerified(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1"}, func(c *chain) { c.deploys("dev", "c1", "9h") })
	commit := func(release, more string) string {
		return c.provider() + promotionHCL("stage", c.to("stage", "dev")) + fmt.Sprintf("resource \"kalypso_gitops_commit\" \"stage\" {\n "+
			"environment = \"stage\"\n manifests = [%q]\n repo = %q\n branch = \"stage\"\n release = %s\n %s\n}\n",
			templatesYAML+"---\n"+clusterTypeYAML("small"), c.url, release, more)
	}
	const of = "data.kalypso_promotion.stage.release"
	expectDirectly(t, commit(of, "hold = true"), statecheck.ExpectKnownValue("data.kalypso_promotion.stage", tfjsonpath.New("release"),
		knownvalue.ObjectExact(map[string]knownvalue.Check{"commit": knownvalue.Null(), "sources": knownvalue.MapExact(nil)})))
	for name, test := range map[string]struct{ release, want string }{
		"nothing verified":  {of, "release.commit is null, so"},
		"a misspelled name": {`{ comit = "v1.0.0", sources = {} }`, "look for a misspelled"},
		"a branch":          {`{ commit = "main", sources = {} }`, `"main" is not a release`},
		"a source":          {`{ commit = "v1.0.0", sources = { "x#main" = "main" } }`, "must be the full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planDirectly(t, commit(test.release, "")).Fails(t, test.want)
		})
	}
}

// What cannot be read is an error that says what to do; a missing branch has a sentence.
func TestPromotion_unreadable(t *testing.T) {
	t.Parallel()
	build := func(fault githubtest.Fault) *chain {
		return chainOf(t, []string{"c1"}, func(c *chain) {
			c.green(c.deploys("dev", "c1", "9h"), "9h")
			if fault.Request != "" {
				c.server.Fail(fault)
			}
		})
	}
	config := func(c *chain, attributes string) string {
		return c.provider() + promotionHCL("stage", attributes+"; timeouts { read = \"20s\" }")
	}
	forbidden := build(githubtest.Fault{Request: "GET /repos/octo/gitops/commits/", Times: 100, Status: http.StatusForbidden})
	fine := build(githubtest.Fault{})
	gone := func(text, branch string) string {
		of := fmt.Sprintf("\"\n    branch = %q", branch)
		return strings.Replace(text, fine.url+of, fine.url+"-gone"+of, 1)
	}
	expectMistakes(t, map[string]mistake{
		"forbidden": {config(forbidden, forbidden.to("stage", "dev")), forbidden.repo.Head(t, "dev")[:7] +
			" of dev: cannot read the statuses of commit"},
		"source": {config(fine, gone(fine.to("stage"), "main")), "does not exist, or"},
		"branch": {config(fine, strings.Replace(fine.to("stage"), `branch = "main"`, `branch = "mian"`, 1)), `Did you mean "main"?`},
		"after":  {config(fine, gone(fine.to("stage", "dev"), "dev")), "does not exist, or"},
		"target": {config(fine, gone(fine.to("stage", "dev"), "stage")), "does not exist, or"},
		"token":  {promotionHCL("stage", fine.to("stage", "dev")), "Checks need reports: commit statuses of GitHub"},
	})
	fine.expectPromotions(t, map[string]promoting{
		"no such branch": {strings.Replace(fine.to("stage", "dev"), `branch = "dev"`, `branch = "dve"`, 1), "nothing -",
			fine.url + `#dve does not exist. Did you mean "dev"?`},
	})
}

// A held provider makes errors of the data source warnings, and the release stays.
func TestPromotion_heldProvider(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1"}, func(c *chain) { c.deploys("stage", "c1", "9h") })
	held := strings.Replace(c.provider(), "{\n", "{\n hold = true\n", 1)
	gone := strings.Replace(c.to("stage"), `branch = "main"`, `branch = "mian"`, 1)
	unread := c.promotionOf("stage", "held c1", "hold, and something cannot")
	expectDirectly(t, held+promotionHCL("stage", gone), unread...).Warns(t, "does not exist")
	expectDirectly(t, held+promotionHCL("stage", c.to("stage")), c.promotionOf("stage", "held c1",
		"of the provider (KALYPSO_HOLD) is set")...)
}
