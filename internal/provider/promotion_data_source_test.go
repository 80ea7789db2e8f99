// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

const promotionAddress = "data.kalypso_promotion.stage"

func promotionAttribute(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(promotionAddress, tfjsonpath.New(name), want)
}

// Every setting arrives.
func TestPromotion(t *testing.T) {
	t.Parallel()
	all := map[string]promoting{}
	after := func(c *chain, settings string) string {
		return c.to("stage") + c.after("dev", settings)
	}

	green := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		deployed := c.deploys("dev", "c2", "3h")
		c.green(deployed, "3h")
		c.reports(deployed, "kustomization/infra", "success", "2h")
		c.reports(deployed, "e2e/smoke", "success", "1h")
		c.server.AddCheckRuns(githubtest.CheckRun{Commit: deployed, App: "scanner", Name: "policy", Conclusion: "success", Time: ago("1h")})
		c.deploys("stage", "c1", "20h")
	})
	for name, test := range map[string]struct{ settings, want, reason string }{
		"at_least is reached": {`checks {; context = "kustomization/*"; at_least = 2; }`, "promote c2 from c1: c2 verified", ""},
		"at_least is not": {`checks {; context = "kustomization/*"; at_least = 3; }`, "up_to_date c1: c2 waiting",
			`2 of 3 contexts of "kustomization/*" green`},
		"several checks": {`checks { context = "kustomization/*" }; checks { context = "e2e/smoke" }; checks { context = "policy" }`,
			"promote c2 from c1: c2 verified", ""},
		"one of several is missing": {`checks { context = "kustomization/*" }; checks { context = "e2e/full" }`,
			"up_to_date c1: c2 waiting", `no report of "e2e/full" yet`},
		"creators": {`checks {; context = "kustomization/*"; creators = ["eve", "Flux-Bot"]; }; checks {; context = "policy"; creators = ["scanner"]; }`, "promote c2 from c1: c2 verified", ""},
		"others than the creators": {`checks {; context = "kustomization/*"; creators = ["eve"]; }`, "up_to_date c1: c2 waiting",
			"only reports of flux-bot, which creators does not name"},
		"soaked": {`checks { context = "kustomization/*" }; soak = "90m"`, "promote c2 from c1: c2 verified", ""},
		"soaking since the last one was green": {`checks {; context = "kustomization/*"; at_least = 2; }; soak = "2h30m"`,
			"up_to_date c1: c2 soaking", "soaking in dev until "},
		"no checks":          {`no_checks = true`, "promote c2 from c1: c2 verified", ""},
		"no checks, soaking": {`no_checks = true; soak = "4h"`, "up_to_date c1: c2 soaking", ""},
		"null counts as absent": {`checks {; context = "policy"; at_least = null; creators = null; }; soak = null; path = null`,
			"promote c2 from c1: c2 verified", ""},
		"numbers and texts are converted": {`checks {; context = "kustomization/*"; at_least = "2"; }; history = "1"`,
			"promote c2 from c1: c2 verified", ""},
		"a history that is too short": {`no_checks = true; history = 1`, "promote c2 from c1: c2 verified", ""},
	} {
		all[name] = promoting{green, after(green, test.settings), test.want, test.reason}
	}
	window := func(days, from, to string) string {
		return fmt.Sprintf("  windows {\n days = [%s]\n from = %q\n to = %q\n timezone = \"UTC\"\n }\n", days, from, to)
	}
	today, later := strings.ToLower(time.Now().UTC().Format("Mon")), strings.ToLower(time.Now().UTC().AddDate(0, 0, 3).Format("Mon"))
	always := `"mon", "tue", "wed", "thu", "fri", "sat", "sun"`
	for name, test := range map[string]struct{ more, want, reason string }{
		"in a window": {window(always, "00:00", "24:00"), "promote c2 from c1: c2 verified", ""},
		"outside of windows": {window(fmt.Sprintf("%q", later), "00:00", "24:00"), "held c1: c2 verified", "no window is open. The next one " +
			"opens on"},
		"one of two windows": {window(fmt.Sprintf("%q", today), "00:00", "24:00") +
			strings.Replace(window(always, "00:00", "24:00"), "UTC", "Europe/Berlin", 1), "promote c2 from c1: c2 verified", ""},
		"hold":    {"  hold = true\n", "held c1", "hold = true: stage stays at"},
		"no hold": {"  hold = false\n  pin = null\n", "promote c2 from c1: c2 verified", ""},
		"pin":     {fmt.Sprintf("  pin = %q\n  hold = true\n", strings.ToUpper(green.id("c2"))), "pinned c2 from c1", ""},
	} {
		all[name] = promoting{green, after(green, fluxChecks) + test.more, test.want, test.reason}
	}
	expectPromotions(t, all)
}

// Of one branch that several environments, paths and cluster types share, each has its own.
func TestPromotion_shared(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2", "c3"}, func(c *chain) {
		c.green(c.deploys("dev", "eu=c2 us=c1", "9h"), "9h")
		c.green(c.deploys("dev", "eu=c3 us=c2", "8h"), "8h")
	})
	shared := func(target, after string) string {
		return fmt.Sprintf("environment = \"stage\"\n  %s\n  target %s\n%s", c.source(), c.place("stage", target),
			c.after("dev", fluxChecks, after))
	}
	wave := fmt.Sprintf("environment = \"dev\"\n  %s\n  target %s\n%s", c.source(), c.place("dev", `cluster_types = ["us"]`),
		c.after("dev", fluxChecks, `cluster_types = ["eu"]`))
	expectPromotions(t, map[string]promoting{
		"all of it": {c, shared(`path = null`, `path = null`), "promote c2 from -: c3 waiting, c2 verified",
			"which carries it only in part"},
		"a path":            {c, shared(`path = "."`, `path = "eu"`), "promote c3 from -: c3 verified", ""},
		"another path":      {c, shared(`path = "."`, `path = "./us/"`), "promote c2 from -: c3 not_deployed, c2 verified", ""},
		"a cluster type":    {c, shared(`path = "."`, `cluster_types = ["us", "none"]`), "promote c2 from -: c3 not_deployed, c2 verified", ""},
		"from wave to wave": {c, wave, "promote c3 from c2: c3 verified", "verified in dev (eu); dev is at"},
		"no such environment": {c, strings.Replace(shared(`path = "."`, `path = "eu"`), `environment = "dev"`, `environment = "qa"`, 1),
			"nothing -: c3 not_deployed", "not deployed in qa (eu), which carries nothing yet"},
	})
}

// A control plane in a folder is promoted by the commits that change it.
func TestPromotion_folder(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	for i, file := range []string{"fleet/a.yaml", "docs/index.md", "fleet/b.yaml", "docs/index.md"} {
		c.commit(fmt.Sprint("c", i), gittest.Revision{Files: map[string][]byte{file: []byte(fmt.Sprint(i))}})
	}
	c.green(c.deploys("dev", "c1", "20h"), "20h")
	c.green(c.deploys("dev", "c3", "9h"), "9h")
	c.deploys("stage", "c1", "8h")
	c.deploys("prod", "c3", "8h")
	c.green(c.deploys("ring", "green=c1 red=c1", "20h"), "20h")
	c.green(c.deploys("ring", "green=c3 red=c1", "9h"), "9h")
	ring := fmt.Sprintf("environment = \"ring\"\n  source %s\n  target %s\n%s", c.place("main", `path = "fleet"`),
		c.place("ring", `path = "red"`), c.after("ring", fluxChecks, `path = "green"`))
	in := func(target string, path string) string {
		return strings.Replace(c.to(target, "dev"), c.source(), "source "+c.place("main", fmt.Sprintf("path = %q", path)), 1)
	}
	expectPromotions(t, map[string]promoting{
		"the commit that changed it": {c, in("stage", "fleet"), "promote c2 from c1: c2 verified", ""},
		"at what changes nothing":    {c, in("prod", "./fleet/"), "up_to_date c3", ""},
		"another folder":             {c, in("stage", "docs"), "promote c3 from c1: c3 verified", ""},
		"from ring to ring":          {c, ring, "promote c2 from c1: c2 verified", ""},
		"the repository":             {c, in("stage", "."), "promote c3 from c1: c3 verified", ""},
	})
}

// Without a control plane's repository any id can be asked about, and a precondition reads
// the answer.
func TestPromotion_candidate(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	c.green(c.deploys("dev", "v1.0.0", "9h"), "9h")
	c.red(c.deploys("test", "v1.0.0", "9h"), "9h")
	c.deploys("stage", "v0.9.0", "20h")
	about := func(candidate, after string) string {
		return fmt.Sprintf("environment = \"stage\"\n  candidate = %q\n  target %s\n%s", candidate, c.place("stage"), c.after(after, fluxChecks))
	}
	expectPromotions(t, map[string]promoting{
		"verified":       {c, about("v1.0.0", "dev"), "promote v1.0.0 from v0.9.0 verified=true: v1.0.0 verified", "v1.0.0 is verified in dev"},
		"failed":         {c, about("v1.0.0", "test"), "up_to_date v0.9.0 verified=false: v1.0.0 failed", ""},
		"not there":      {c, about("v1.1.0", "dev"), "up_to_date v0.9.0 verified=false: v1.1.0 not_deployed", ""},
		"where it is":    {c, about("v0.9.0", "dev"), "up_to_date v0.9.0 verified=true", "the candidate"},
		"in small print": {c, about("V1.0.0", "dev"), "up_to_date v0.9.0 verified=false: V1.0.0 not_deployed", ""},
	})
	guarded := func(after string) string {
		return c.provider() + promotionHCL("stage", about("v1.0.0", after)) + `
resource "terraform_data" "stage" {
  lifecycle {
    precondition {
      condition     = data.kalypso_promotion.stage.verified
      error_message = data.kalypso_promotion.stage.reason
    }
  }
}
`
	}
	inSteps(t, resource.TestStep{Config: guarded("test"), ExpectError: saying("v1.0.0: failed in test")},
		resource.TestStep{Config: guarded("dev")})
}

// Without a forge, what is there and has soaked is verified, whatever leads to the
// repository.
func TestPromotion_transports(t *testing.T) {
	t.Parallel()
	for transport, serve := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			c := &chain{t: t, repo: s.repo, url: s.url, ids: map[string]string{}}
			c.commits("c1", "c2", "c3")
			c.tracks("dev", "c1", "30h")
			c.deploys("dev", "c2", "9h")
			c.deploys("dev", "c3", "1h")
			c.deploys("stage", "c1", "20h")
			config := func(checks string) string {
				return s.provider + promotionHCL("stage", c.to("stage")+c.after("dev", checks, `soak = "2h"`))
			}
			candidate := func(name, state string) knownvalue.Check {
				return knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"commit": knownvalue.StringExact(c.id(name)), "subject": knownvalue.StringExact("Change " + name),
					"author": knownvalue.StringExact("Ann"), "state": knownvalue.StringExact(state),
				})
			}
			expectDirectly(t, config("no_checks = true"),
				promotionAttribute("id", knownvalue.StringExact("stage")), promotionAttribute("decision", knownvalue.StringExact("promote")),
				promotionAttribute("commit", knownvalue.StringExact(c.id("c2"))), promotionAttribute("current", knownvalue.StringExact(c.id("c1"))),
				promotionAttribute("candidates", knownvalue.ListExact([]knownvalue.Check{candidate("c3", "soaking"), candidate("c2", "verified")})),
				promotionAttribute("verified", knownvalue.Null()),
			)
			planDirectly(t, config(fluxChecks)).fails(t, "write no_checks = true: then a commit only has to be in the environment")
		})
	}
}

// An answer of a forge or a server becomes an error that says what to do. If the answer
// cannot matter, the data source does not ask.
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
	statuses := "GET /repos/octo/gitops/commits/"
	forbidden, limited, fine := build(githubtest.Fault{Request: statuses, Times: 100, Status: http.StatusForbidden}),
		build(githubtest.Fault{}), build(githubtest.Fault{})
	limited.server.LimitPrimary(time.Now().Add(time.Hour))
	gone := strings.Replace(fine.place("main"), fine.url, fine.url+"-gone", 1)
	expectMistakes(t, map[string]mistake{
		"forbidden": {config(forbidden, forbidden.to("stage", "dev")), "The reports on GitOps commit " + forbidden.repo.Head(t, "dev")[:7] +
			" of dev cannot be read: cannot read the statuses of commit"},
		"rate limit": {config(limited, limited.to("stage", "dev")), "(rate limit"},
		"source": {config(fine, strings.Replace(fine.to("stage", "dev"), fine.source(), "source "+gone, 1)),
			"The history of the source cannot be read: the repository"},
		"branch": {config(fine, strings.Replace(fine.to("stage", "dev"), `branch = "main"`, `branch = "mian"`, 1)),
			"#mian does not exist. Check the names"},
		"path": {config(fine, strings.Replace(fine.to("stage", "dev"), fine.source(), "source "+fine.place("main", `path = "fleets"`),
			1)), `has no folder "fleets"`},
		"environment": {config(fine, strings.Replace(fine.to("stage", "dev"), fine.after("dev", fluxChecks),
			strings.Replace(fine.after("dev", fluxChecks), fine.url, fine.url+"-gone", 1), 1)), "The history of dev cannot be read: the " +
			"repository"},
		"target": {config(fine, strings.Replace(fine.to("stage", "dev"), "target "+fine.place("stage"), "target "+gone, 1)),
			"The history of stage cannot be read: the repository"},
		"no token": {promotionHCL("stage", fine.to("stage", "dev")), "Checks need commit statuses of GitHub or Gitea (Forgejo). If the " +
			"repository has no such forge, write no_checks = true"},
		"only no token": {fmt.Sprintf("provider \"kalypso\" {\n forges = [{ url_prefix = %q, type = \"github\" }]\n}\n", fine.server.Address()) +
			promotionHCL("stage", fine.to("stage", "dev")), "Set the token in forges of the provider, with the repository's url_prefix, or in the " +
			"environment variable KALYPSO_FORGE_TOKEN. Checks need commit statuses of GitHub or Gitea (Forgejo)."},
		"source token": {promotionHCL("stage", fine.to("stage")+"; source_checks { context = \"ci\" }"), "Checks need commit statuses of GitHub"},
		"abbreviated": {config(fine, fine.to("stage", "dev")+fmt.Sprintf("; pin = %q", fine.id("c1")[:8])), "is abbreviated. Write the whole " +
			"id: \"" + fine.id("c1")},
	})
}

// Reports are asked for only of what can matter, the newest first.
func TestPromotion_asksLittle(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2", "c3", "c4"}, func(c *chain) {
		for _, name := range []string{"c1", "c2", "c3", "c4"} {
			deployed := c.deploys("dev", name, "9h")
			if name == "c2" || name == "c1" {
				c.green(deployed, "9h")
			}
		}
		c.deploys("stage", "c1", "9h")
		c.deploys("prod", "c4", "9h")
	})
	expectDirectly(t, c.provider()+promotionHCL("stage", c.to("stage", "dev"))+promotionHCL("prod", c.to("prod", "dev", "stage")),
		promotionAttribute("commit", knownvalue.StringExact(c.id("c2"))))
	var asked []string
	for _, request := range c.server.Requests() {
		if strings.Contains(request, "/statuses") {
			asked = append(asked, request)
		}
	}
	if len(asked) != 3 || !strings.Contains(asked[0], c.repo.Head(t, "dev")) { // c4, c3 and c2 in dev, nothing for prod
		t.Errorf("asked for the statuses of %d commits:\n%s", len(asked), strings.Join(asked, "\n"))
	}
}

// The promotion would wait for a misspelled name for ever, so a warning lists the names
// that exist.
func TestPromotion_overlooks(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1"}, func(c *chain) { c.deploys("dev", "c1", "9h") })
	attributes := fmt.Sprintf("environment = \"stage\"\n  %s\n  target %s\n%s%s", c.source(), c.place("stage"),
		c.after("dev", "no_checks = true", `path = "fleet"`), strings.Replace(c.after("qa", "no_checks = true"), `branch = "qa"`,
			`branch = "dve"`, 1))
	d := expectDirectly(t, c.provider()+promotionHCL("stage", attributes))
	d.warns(t, "Nothing is known of an environment: stage")
	d.warns(t, `after["dev (fleet)"]: No record on `+c.url+`#dev is for environment "dev", path "fleet". Records are for: environment "dev", path "all"`)
}

// A record that somebody has edited, in a commit that says an earlier time, has not soaked: with
// checks the forge's time counts, without them a time that cannot be right does not.
func TestAccPromotion_backdated(t *testing.T) {
	t.Parallel()
	acceptance(t)
	edited := func(when string) (c *chain, commit string) {
		c = newChain(t)
		c.commits("c1", "c2")
		c.green(c.deploys("dev", "c1", "30h"), "30h")
		return c, c.deploys("dev", "c2", when) // the record alone
	}
	after := func(c *chain, checks string) string {
		return fmt.Sprintf("environment = \"prod\"\n  %s\n  target %s\n%s", c.source(), c.place("prod"), c.after("dev", checks, `soak = "24h"`))
	}
	early, reported := edited("40h")
	early.green(reported, "1m")
	between, _ := edited("29h")
	later, _ := edited("40h")
	later.writes("dev", "25h", map[string][]byte{"large/app/reconciler.yaml": []byte("x")})
	expectPromotions(t, map[string]promoting{
		"reported just now":                   {early, after(early, fluxChecks), "promote c1 from -: c2 soaking, c1 verified", ""},
		"without checks":                      {early, after(early, "no_checks = true"), "promote c1 from -: c2 waiting, c1 verified", ""},
		"without checks, since a later one":   {later, after(later, "no_checks = true"), "promote c2 from -: c2 verified", ""},
		"without checks, by a time it may be": {between, after(between, "no_checks = true"), "promote c2 from -: c2 verified", ""},
	})
}

// If a soak uses the times in commits, a plan that relies on it warns. With checks, or if
// nothing has soaked, no plan warns.
func TestAccCLI_promotionSoaksByCommitTime(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c1", "9h"), "9h")
		c.deploys("stage", "c1", "1h")
	})
	config := func(target, checks string) string {
		return c.provider() + promotionHCL("prod", fmt.Sprintf("environment = %q\n  %s\n  target %s\n%s", target, c.source(), c.place(target),
			c.after("dev", checks, `soak = "2h"`)))
	}
	const title = "A soak uses the times of commits"
	w := newWorkspace(t, config("prod", "no_checks = true"))
	w.succeeds(t, []string{"plan"}, "Warning: "+title+": prod", `SOAK_BY_COMMIT_TIME: after["dev"] has no_checks = true and soak`)
	for name, quiet := range map[string]string{"with checks": config("prod", fluxChecks),
		"with nothing newer": config("stage", "no_checks = true")} {
		w.write(t, "main.tf", quiet)
		if said, _, err := w.run("plan"); err != nil || strings.Contains(said, title) {
			t.Errorf("%s: error %v\n%s", name, err, said)
		}
	}
}

// A target with a misspelled name would begin again, with reverted commits.
func TestPromotion_beginsAnew(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "9h")
		c.deploys("stage", "stage=c1", "8h")
	})
	named := func(environment, more string) string {
		return c.provider() + promotionHCL("stage", strings.Replace(c.to("stage", "dev"), `environment = "stage"`,
			fmt.Sprintf("environment = %q", environment), 1)+more)
	}
	expectMistakes(t, map[string]mistake{
		"misspelled": {named("stages", ""), `#stage is of environment "stages", but the same place has: environment "stage", path "stage"`},
	})
	at := func(more string) string {
		return strings.Replace(strings.Replace(c.to("stage", "dev"), `environment = "stage"`, `environment = "beta"`, 1), c.place("stage"),
			c.place("stage", more), 1)
	}
	expectPromotions(t, map[string]promoting{
		"a folder of its own": {c, at(`path = "beta"`), "promote c2 from -: c2 verified", ""},
		"pinned":              {c, at(`path = null`) + "\n  pin = \"" + c.id("c2") + "\"", "pinned c2 from -", ""},
		"a new part": {c, strings.Replace(c.to("stage", "dev"), c.place("stage"), c.place("stage", `path = "rest"`), 1),
			"promote c2 from -: c2 verified", ""},
	})
}

// What has worked longer ago than is read is not known.
func TestPromotion_history(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c1", "9h"), "9h")
		c.deploys("dev", "c2", "8h")
		c.deploys("stage", "c1", "7h")
		c.deploys("stage", "c2", "6h")
		c.deploys("stage", "c1", "5h")
	})
	after := func(more ...string) string {
		return fmt.Sprintf("environment = \"prod\"\n  %s\n  target %s\n%s", c.source(), c.place("prod"),
			c.after("dev", append(more, fluxChecks)...))
	}
	expectPromotions(t, map[string]promoting{
		"all of it":     {c, after(), "promote c1 from -: c2 waiting, c1 verified", ""},
		"the last one":  {c, after("history = 1"), "nothing -: c2 waiting, c1 not_deployed", "which went past it"},
		"of the target": {c, c.to("stage"), "up_to_date c1: c2 reverted", ""},
		"of the target, 1": {c, strings.Replace(c.to("stage"), c.place("stage"), c.place("stage", "history = 1"), 1),
			"promote c2 from c1: c2 verified", ""},
		"of the source": {c, strings.Replace(after(), c.source(), "source "+c.place("main", "history = 1"), 1), "nothing -: c2 waiting", ""},
	})
}
