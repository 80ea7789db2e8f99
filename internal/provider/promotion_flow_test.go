// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The flow of a Kalypso control plane, row by row: what its workflows CI, CD and Check
// Promote do, without them.
func TestPromotion_kalypsosFlow(t *testing.T) {
	t.Parallel()
	with := func(build func(c *chain)) *chain { return chainOf(t, []string{"c1", "c2"}, build) }
	all := map[string]promoting{}

	ci := with(func(c *chain) { c.green(c.deploys("dev", "c1", "9h"), "8h") })
	all["CI: a commit of main is promoted to the first environment"] = promoting{ci, ci.to("dev"),
		"promote c2 from c1: c2 verified", "verified, since nothing is required of it; dev is at"}

	complies := with(func(c *chain) { c.green(c.deploys("dev", "c2", "9h"), "8h"); c.deploys("stage", "c1", "20h") })
	all["CD: to the next one after compliance"] = promoting{complies, complies.to("stage", "dev"), "promote c2 from c1: c2 verified",
		"(Change c2) is verified in dev; stage is at"}

	silent := with(func(c *chain) { c.deploys("dev", "c2", "9h"); c.deploys("stage", "c1", "20h") })
	all["CD: not before"] = promoting{silent, silent.to("stage", "dev"), "up_to_date c1: c2 waiting",
		`waiting for dev: no report of "kustomization/*" yet`}

	part := with(func(c *chain) {
		deployed := c.deploys("dev", "c2", "9h")
		c.green(deployed, "8h")
		c.reports(deployed, "kustomization/infra", "pending", "8h")
	})
	all["CD: not while a cluster is on its way"] = promoting{part, part.to("stage", "dev"), "nothing -: c2 waiting, c1 not_deployed",
		"kustomization/infra not yet green"}

	reported := with(func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "8h")
		c.reports(c.id("c2"), "kalypso/dev", "success", "9h")
		c.deploys("stage", "c1", "20h")
	})
	all["CD: a commit status on the control plane's commit"] = promoting{reported,
		reported.to("stage", "dev") + `  source_checks { context = "kalypso/dev" }`, "promote c2 from c1: c2 verified", ""}
	all["CD: another one is missing"] = promoting{reported,
		reported.to("stage", "dev") + `  source_checks { context = "kalypso/dev" }; source_checks { context = "ci/*" }`,
		"up_to_date c1: c2 waiting", `waiting for the source commit itself: no report of "ci/*" yet, only of kalypso/dev`}

	failed := with(func(c *chain) {
		c.green(c.deploys("dev", "c1", "9h"), "9h")
		c.red(c.deploys("dev", "c2", "8h"), "8h")
		c.deploys("stage", "c1", "8h")
	})
	all["CD: stops at a failure"] = promoting{failed, failed.to("stage", "dev"), "up_to_date c1: c2 failed",
		`failed in dev: kustomization/apps reports "says failure"`}
	all["CD: and so does all that follows"] = promoting{failed, failed.to("prod", "dev", "stage"), "nothing -: c2 not_deployed, c1 waiting",
		"(Change c2): not deployed in stage"}

	config := with(func(c *chain) {
		c.green(c.deploys("dev", "c1", "9h"), "9h")
		c.deploys("stage", "c1", "8h")
		c.green(c.writes("dev", "7h", map[string][]byte{"large/config.yaml": []byte("REGION: eu")}), "7h")
	})
	all["CD: an environment's own change deploys, and promotes nothing"] = promoting{config, config.to("stage", "dev"),
		"up_to_date c1: c2 not_deployed", "not deployed in dev, which is at"}

	brokenConfig := with(func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "9h")
		c.red(c.writes("dev", "7h", map[string][]byte{"large/config.yaml": []byte("REGION: us")}), "7h")
		c.deploys("stage", "c1", "8h")
	})
	all["CD: and where it breaks, what it carries is held"] = promoting{brokenConfig, brokenConfig.to("stage", "dev"),
		"up_to_date c1: c2 failed", ""}

	check := with(func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "9h")
		c.green(c.deploys("stage", "c1", "20h"), "20h")
		c.deploys("prod", "c1", "10h")
	})
	all["Check Promote: one environment after the other"] = promoting{check, check.to("prod", "dev", "stage"),
		"up_to_date c1: c2 not_deployed", "not deployed in stage"}
	all["Check Promote: to the next one"] = promoting{check, check.to("stage", "dev"), "promote c2 from c1: c2 verified", ""}

	end := with(func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "9h")
		c.green(c.deploys("stage", "c2", "8h"), "8h")
		c.green(c.deploys("prod", "c2", "7h"), "7h")
	})
	all["Check Promote: the end of the chain"] = promoting{end, end.to("prod", "dev", "stage"), "up_to_date c2", "prod is at"}

	operator := with(func(c *chain) {
		c.tracks("dev", "c1", "20h")
		c.green(c.tracks("dev", "c2", "9h"), "9h")
		c.tracks("stage", "c1", "8h")
	})
	all["an environment that Kalypso still writes comes before"] = promoting{operator, operator.to("stage", "dev"),
		"promote c2 from c1: c2 verified", ""}

	expectPromotions(t, all)
}

// Real histories, and the promotion that a plan shows for each.
func TestPromotion_histories(t *testing.T) {
	t.Parallel()
	with := func(names []string, build func(c *chain)) *chain { return chainOf(t, names, build) }
	all := map[string]promoting{}

	squashed := newChain(t)
	squashed.commits("c1")
	squashed.repo.Branch(t, "topic", squashed.id("c1"))
	squashed.ids["head"] = squashed.repo.Commit(t, gittest.Revision{Branch: "topic", Files: map[string][]byte{"fleet.yaml": []byte("topic")}})
	squashed.green(squashed.deploys("dev", "head", "10h"), "10h") // tried from its branch
	squashed.commits("c2")
	squashed.green(squashed.deploys("dev", "c2", "9h"), "9h")
	all["a squash is a commit like any other"] = promoting{squashed, squashed.to("stage", "dev"), "promote c2 from -: c2 verified", ""}

	merged := newChain(t)
	merged.commits("c1")
	merged.repo.Branch(t, "topic", merged.id("c1"))
	merged.ids["head"] = merged.repo.Commit(t, gittest.Revision{Branch: "topic", Files: map[string][]byte{"fleet.yaml": []byte("topic")}})
	merged.commit("c2", gittest.Revision{Files: map[string][]byte{"fleet.yaml": []byte("topic")}, Merged: []string{merged.id("head")}})
	merged.deploys("stage", "head", "10h")
	merged.green(merged.deploys("dev", "c2", "9h"), "9h")
	all["a merge descends from the head that was deployed"] = promoting{merged, merged.to("stage", "dev"), "promote c2 from head: c2 verified",
		""}

	reverted := with([]string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c1", "20h"), "20h")
		c.green(c.deploys("dev", "c2", "10h"), "10h")
		c.green(c.deploys("dev", "c1", "5h"), "5h") // git revert of the GitOps commit
	})
	all["a revert of a GitOps commit takes its commit out"] = promoting{reverted, reverted.to("stage", "dev"), "promote c1 from -: c2 " +
		"reverted, c1 verified", "reverted in dev, which went back to"}

	left := with([]string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c2", "20h"), "20h")
		c.deploys("stage", "c1", "19h")
		c.deploys("stage", "c2", "18h")
		c.deploys("stage", "c1", "17h")
	})
	all["and is not chosen again for who has left it"] = promoting{left, left.to("stage", "dev"), "up_to_date c1: c2 reverted",
		"reverted in stage"}

	unwashed := with([]string{"c1", "c2", "c3"}, func(c *chain) {
		c.red(c.deploys("dev", "c2", "9h"), "9h")
		c.green(c.deploys("dev", "c3", "8h"), "8h")
		c.deploys("stage", "c1", "20h")
		c.reports(c.id("c3"), "ci", "failure", "9h")
		c.reports(c.id("c2"), "ci", "success", "9h")
	})
	all["a green commit washes no failed one"] = promoting{unwashed, unwashed.to("stage", "dev") + "  source_checks { context = \"ci\" }",
		"up_to_date c1: c3 failed, c2 failed", "failed on the source commit itself"}
	all["but is a candidate of its own"] = promoting{unwashed, unwashed.to("stage", "dev"), "promote c3 from c1: c3 verified", ""}

	overtaken := with([]string{"c1", "c2", "c3"}, func(c *chain) {
		c.deploys("dev", "c2", "9h")
		c.green(c.deploys("dev", "c3", "8h"), "8h")
		c.reports(c.id("c3"), "ci", "failure", "9h")
		c.reports(c.id("c2"), "ci", "success", "9h")
	})
	all["what was overtaken is covered by the next one"] = promoting{overtaken, overtaken.to("stage", "dev") + "  source_checks { context = " +
		"\"ci\" }", "promote c2 from -: c3 failed, c2 verified", ""}

	skipped := with([]string{"c1", "c2", "c3"}, func(c *chain) { c.green(c.deploys("dev", "c3", "8h"), "8h") })
	all["what was skipped is not"] = promoting{skipped, skipped.to("stage", "dev") + "  source_checks { context = \"ci\" }",
		"nothing -: c3 waiting, c2 not_deployed", "which went past it"}

	forced := with([]string{"c1", "c2"}, func(c *chain) {
		c.green(c.deploys("dev", "c2", "9h"), "9h")
		c.deploys("stage", "c2", "8h")
		c.repo.Branch(t, "main", c.id("c1"))
		c.commits("c3")
		c.green(c.deploys("dev", "c3", "7h"), "7h")
	})
	all["after a force push nothing is chosen"] = promoting{forced, forced.to("stage", "dev"), "held c2", "Set pin to the commit that stage " +
		"should be at"}
	all["but by pin"] = promoting{forced, forced.to("stage", "dev") + "  pin = \"" + forced.id("c3") + "\"", "pinned c3 from c2", "pin names"}

	expectPromotions(t, all)
}

// A release that fails in its environment goes back, in a freeze too.
func TestPromotion_onFailure(t *testing.T) {
	t.Parallel()
	c := chainOf(t, []string{"c1", "c2", "c3"}, func(c *chain) {
		c.green(c.deploys("dev", "c3", "9h"), "9h")
		c.green(c.deploys("stage", "c1", "9h"), "9h")
		c.red(c.deploys("stage", "c2", "2h"), "1h")
		c.green(c.deploys("prod", "c1", "9h"), "9h")
		c.red(c.deploys("prod", "c2", "2h"), "1h")
		c.deploys("prod", "c1", "1m")
	})
	const previous = "  on_failure = \"previous\"\n"
	to := func(target string) string {
		return strings.Replace(c.to(target, "dev"), "  target "+c.place(target), "  target "+c.place(target, fluxChecks), 1)
	}
	year := time.Now().Year()
	freeze := fmt.Sprintf("  freeze {\n from = \"%d-01-01\"\n to = \"%d-12-31\"\n timezone = \"UTC\"\n reason = \"audit\"\n }\n",
		year-1, year+1)
	expectPromotions(t, map[string]promoting{
		"something newer is verified": {c, to("stage") + previous, "promote c3 from c2: c3 verified", ""},
		"and a freeze is in force": {c, to("stage") + previous + freeze, "rollback c1 from c2: c3 verified",
			`has failed in stage since`},
		"a freeze without on_failure": {c, c.to("stage", "dev") + freeze, "held c2: c3 verified", `but the freeze "audit" is in force until`},
		"not for long": {c, to("stage") + previous + freeze + "failure_grace = \"2h\"\n", "held c2: c3 verified",
			"If that lasts until"},
		"it went back":              {c, to("prod") + previous + freeze, "held c1: c3 verified", `but the freeze "audit" is in force until`},
		"it went back, and goes on": {c, to("prod") + previous, "promote c3 from c1: c3 verified", ""},
	})
}
