// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

// checks requires something in dev.
func checks(in decision.Input, soak time.Duration, checks ...decision.Check) decision.Input {
	in.After[0].Checks, in.After[0].Soak = checks, soak
	return in
}

// waitsFor is the decision about stage at A, with B in dev.
func waitsFor(text string) string { return "stage waits for dev: B " + text + "." }

func TestChecks(t *testing.T) {
	t.Parallel()
	one := decision.Check{Context: "ci"}
	clusters := decision.Check{Context: "k/*", Expected: []string{"k/a", "k/b", "k/c", "k/d", "k/e"}}
	two := decision.Check{Context: "k/*", AtLeast: 2}
	trusted := decision.Check{Context: "ci", Creators: []string{"Robot[bot]", "ann"}}
	const gets = "stage gets B, which is verified in dev."
	check(t, []scenario{
		{"green", stage(t, "A", "A B", "dev2 ci success"), "promote B", gets},
		{"no report", stage(t, "A", "A B", "dev1 ci success"), "up_to_date A", waitsFor("has no report of ci in dev")},
		{"another context", stage(t, "A", "A B", "dev2 c success"), "up_to_date A", waitsFor("has no report of ci in dev")},
		{"pending", stage(t, "A", "A B", "dev2 ci pending"), "up_to_date A", waitsFor("has ci pending in dev")},
		{"an unknown state", stage(t, "A", "A B", "dev2 ci neutral"), "up_to_date A", waitsFor("has ci pending in dev")},
		{"red", stage(t, "A", "A B", "dev2 ci failure"), "up_to_date A", waitsFor("failed in dev: ci red since 2026-11-02 10:00 UTC")},
		{"red, then green", stage(t, "A", "A B", "dev2 ci failure 2", "dev2 ci success 3"), "promote B", gets},
		{"green, then red", stage(t, "A", "A B", "dev2 ci failure 3", "dev2 ci success 2"), "up_to_date A", ""},
		{"green, then pending", stage(t, "A", "A B", "dev2 ci success 2", "dev2 ci pending 3"), "up_to_date A", ""},
		{"green and red at once", stage(t, "A", "A B", "dev2 ci failure", "dev2 ci success"), "up_to_date A", ""},
		{"red on an older commit of the release", stage(t, "A", "A B+1", "dev2 ci failure 9", "dev3 ci success"), "promote B", ""},
		{"red on a newer commit of the release", stage(t, "A", "A B+1", "dev2 ci success 9", "dev3 ci failure"), "up_to_date A", ""},
		{"silent on a newer commit of the release", stage(t, "A", "A B+1", "dev2 ci success"), "promote B", ""},
		{"red when the release was there the first time", stage(t, "A", "A B C B", "dev2 ci failure", "dev4 ci success"), "promote B", ""},
		{"overtaken and green", stage(t, "A", "A B C", "dev2 ci success"), "promote B",
			gets + " stage waits for dev: C has no report of ci in dev."},
		{"the first release", stage(t, "", "A B", "dev2 ci success"), "promote B", gets},
		{"nothing verified yet", stage(t, "", "A B"), "nothing -", waitsFor("has no report of ci in dev")},
		{"no release before", stage(t, "", ""), "nothing -", "stage is without a release, and so is dev."},
		{"the newest", stage(t, "A B", "A B", allGreen), "up_to_date B", "stage is at B, and dev has nothing newer."},

		{"silent clusters", checks(stage(t, "A", "A B", "dev2 k/b success"), 0, clusters), "up_to_date A",
			waitsFor("has no report of k/a, k/c, k/d and 1 more in dev")},
		{"all clusters", checks(stage(t, "A", "A B", "dev2 k/a success", "dev2 k/b success", "dev2 k/c success", "dev2 k/d success",
			"dev2 k/e success"), 0, clusters), "promote B", gets},
		{"a cluster more, and red", checks(stage(t, "A", "A B", "dev2 k/x failure"), 0, clusters), "up_to_date A", ""},
		{"an earlier release needs the clusters that it has", checks(stage(t, "A", "A B C", "dev2 k/b success"), 0, clusters), "promote B", ""},
		{"an earlier release without clusters", checks(stage(t, "A", "A B C", "dev2 x success"), 0, clusters), "up_to_date A", ""},

		{"at least two, of one", checks(stage(t, "A", "A B", "dev2 k/a success"), 0, two), "up_to_date A",
			waitsFor(`has 1 of 2 green contexts of "k/*" in dev`)},
		{"at least two", checks(stage(t, "A", "A B", "dev2 k/a success", "dev2 k/b success"), 0, two), "promote B", gets},
		{"at least two, and one is red", checks(stage(t, "A", "A B", "dev2 k/a success", "dev2 k/b success", "dev2 k/c failure"), 0, two),
			"up_to_date A", ""},
		{"two checks", checks(stage(t, "A", "A B", "dev2 k/a success", "dev2 k/b pending"), 0, one, two), "up_to_date A",
			waitsFor("has no report of ci and k/b pending in dev")},

		{"by somebody else", checks(stage(t, "A", "A B", "dev2 ci success 2 bob", "dev2 ci success 2"), 0, trusted), "up_to_date A",
			waitsFor("has no report of ci and only reports by Robot[bot], ann count in dev")},
		{"by the right one", checks(stage(t, "A", "A B", "dev2 ci success 2 robot[bot]", "dev2 ci failure 3 bob"), 0, trusted),
			"promote B", gets},

		{"no check", checks(stage(t, "A", "A B"), 0), "promote B", "stage gets B, which came to dev."},
	})
}

// A share is one of what is known, however small both are.
func TestShareOfWhat(t *testing.T) {
	t.Parallel()
	share := &decision.Share{Percent: 1}
	unknown := decision.Check{Context: "k/*", MinGreen: share}.Valid()
	if expected := (decision.Check{MinGreen: share, Expected: []string{"k/a"}}).Valid(); unknown == nil || expected != nil {
		t.Error(unknown, expected)
	}
	if one := (decision.Check{MinGreen: share, AtLeast: 1}).Valid(); one != nil {
		t.Error(one)
	}
	if all, err := decision.ParseShare("100%"); err != nil || all.Percent != 100 {
		t.Error(all, err)
	}
	for _, text := range []string{"0%", "-1%", "100.1%", "NaN%", "0", "-1", "1.5", "%", ""} {
		if got, err := decision.ParseShare(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// With min_green, a share has to be green: red, green and soak mean the share.
func TestMinGreen(t *testing.T) {
	t.Parallel()
	most := func(share decision.Share, atLeast int, expected ...string) decision.Check {
		return decision.Check{Context: "k/*", MinGreen: &share, AtLeast: atLeast, Expected: expected}
	}
	half, two := decision.Share{Percent: 50}, decision.Share{Number: 2}
	abcd := []string{"k/a", "k/b", "k/c", "k/d"}
	dev := func(lines ...string) decision.Input {
		for i := range lines {
			lines[i] = "dev2 k/" + lines[i]
		}
		return stage(t, "A", "A B", lines...)
	}
	const gets = "stage gets B, which is verified in dev"
	soaking := checks(dev("a success 5", "b success 3", "c success 7", "d failure 8"), 2*time.Hour, most(half, 4))
	soaking.Now = hour(6)
	check(t, []scenario{
		{"all", checks(dev("a success", "b success"), 0, most(half, 2)), "promote B", gets + "."},
		{"the share", checks(dev("a success", "b success", "c failure", "d pending"), 0, most(half, 4)), "promote B",
			gets + ", not green, as min_green allows: k/c, k/d."},
		{"one is allowed", checks(dev("a success", "b success", "c success", "d failure"), 0, most(decision.Share{Percent: 75}, 4)), "promote B",
			gets + ", not green, as min_green allows: k/d."},
		{"a number", checks(dev("a success", "b success", "c failure"), 0, most(two, 0)), "promote B",
			gets + ", not green, as min_green allows: k/c."},
		{"a number, and too few report", checks(dev("a success", "c failure"), 0, most(decision.Share{Number: 3}, 0)), "up_to_date A",
			waitsFor(`has 1 of the 3 green contexts of "k/*" that min_green needs and k/c red in dev`)},
		{"silence does not make the share larger", checks(dev("a success"), 0, most(half, 4)), "up_to_date A",
			waitsFor(`has 1 of the 2 green contexts of "k/*" that min_green needs in dev`)},
		{"more than at_least", checks(dev("a success", "b success", "c pending", "d pending", "e pending"), 0, most(half, 2)), "up_to_date A",
			waitsFor(`has 2 of the 3 green contexts of "k/*" that min_green needs and k/c, k/d, k/e pending in dev`)},
		{"silent ones of expected", checks(dev("a success", "b success"), 0, most(half, 0, abcd...)), "promote B",
			gets + ", not green, as min_green allows: k/c, k/d."},
		{"others than the expected do not count", checks(dev("a success", "x success", "y success"), 0, most(half, 0, abcd...)), "up_to_date A",
			waitsFor(`has 1 of the 2 green contexts of "k/*" that min_green needs and no report of k/b, k/c, k/d in dev`)},
		{"others than the only expected one do not count", checks(dev("a failure", "x success", "y success"), 0, most(half, 0, "k/a")),
			"up_to_date A", ""},
		{"an overtaken release needs the share, too", checks(stage(t, "A", "A B C", "dev2 k/a success"), 0, most(half, 0, abcd...)),
			"up_to_date A", ""},
		{"red, and the share can be reached", checks(dev("a failure", "b failure"), 0, most(half, 0, abcd...)), "up_to_date A",
			waitsFor(`has 0 of the 2 green contexts of "k/*" that min_green needs and no report of k/c, k/d and k/a, k/b red in dev`)},
		{"the share cannot be reached", checks(dev("a failure 2", "b failure 4", "c failure 3", "d success"), 0, most(half, 0, abcd...)),
			"up_to_date A", waitsFor("failed in dev: k/a, k/b, k/c red since 2026-11-02 12:00 UTC")},
		{"nothing", checks(dev(), 0, most(half, 0, abcd...)), "up_to_date A", ""},
		{"since the share was reached", soaking, "up_to_date A", waitsFor("soaks in dev until 2026-11-02 15:00 UTC")},
	})
	soaking.Now = hour(7)
	check(t, []scenario{{"one more flaps", soaking, "promote B", ""}})
}

func TestSoak(t *testing.T) {
	t.Parallel()
	ci := decision.Check{Context: "*"}
	at := func(in decision.Input, now int) decision.Input {
		in.Now = hour(now)
		return in
	}
	check(t, []scenario{
		{"not yet", at(checks(stage(t, "A", "A B", "dev2 ci success 4"), 2*time.Hour, ci), 5), "up_to_date A",
			waitsFor("soaks in dev until 2026-11-02 14:00 UTC")},
		{"over", at(checks(stage(t, "A", "A B", "dev2 ci success 4"), 2*time.Hour, ci), 6), "promote B", ""},
		{"since the last one turned green", at(checks(stage(t, "A", "A B", "dev2 ci success 4", "dev2 e2e success 5"), 2*time.Hour, ci), 6),
			"up_to_date A", waitsFor("soaks in dev until 2026-11-02 15:00 UTC")},
		{"green again and again", at(checks(stage(t, "A", "A B", "dev2 ci success 4", "dev2 ci success 5"), 2*time.Hour, ci), 6),
			"promote B", ""},
		{"green again after red", at(checks(stage(t, "A", "A B", "dev2 ci success 3", "dev2 ci failure 4", "dev2 ci success 5"), 2*time.Hour, ci),
			6), "up_to_date A", ""},
		{"no check, since the last step", at(checks(stage(t, "A", "A B+1"), 2*time.Hour), 3), "up_to_date A",
			waitsFor("soaks in dev until 2026-11-02 12:00 UTC")},
		{"no check, over", at(checks(stage(t, "A", "A B+1"), 2*time.Hour), 4), "promote B", ""},
	})
}

// With several environments before, a release has to be verified in all of them.
func TestSeveralBefore(t *testing.T) {
	t.Parallel()
	prod := func(own, dev, qa string, lines ...string) decision.Input {
		in := stage(t, own, dev, lines...)
		in.After = append(in.After, decision.After{Environment: decision.Environment{Name: "qa", Track: track("qa", qa),
			Reports: reports(t, lines...), Checks: []decision.Check{{Context: "ci"}}}})
		return in
	}
	check(t, []scenario{
		{"both", prod("A", "A B", "A B", "* ci success"), "promote B",
			"stage gets B, which is verified in dev and is verified in qa."},
		{"not in the other one yet", prod("A", "A B", "A", "* ci success"), "up_to_date A",
			"stage waits for qa: B has not been in qa."},
		{"neither", prod("A", "A B", "A B"), "up_to_date A",
			"stage waits for dev and qa: B has no report of ci in dev and has no report of ci in qa."},
		{"one that both had", prod("A", "A B C D", "A B D C", "* ci success", "*4 ci failure"), "promote B",
			"stage gets B, which is verified in dev and is verified in qa. stage waits for dev: D failed in dev: ci red " +
				"since 2026-11-02 12:00 UTC."},
		{"other heads", prod("A/1", "A/1 B/1", "A/1 B/2", "* ci success"), "up_to_date A/1", ""},
		{"reverted in the other one", prod("A", "A B", "A B A", "* ci success"), "up_to_date A",
			"stage is at A. Nothing newer is left: B was reverted in qa on 2026-11-02 with GitOps commit qa3 of Ann."},
		{"the first one never had it", prod("B", "C D", "A B C D", "* ci success"), "promote D", ""},
		{"neither had it", prod("X", "A B", "A B", "* ci success"), "nothing X",
			`stage stays at X: this release was never in dev, qa, so it is not known which release is newer. Bring it there, or ` +
				`choose another one with pin = "<commit>".`},
		{"with other sources, and the same commit", prod("A/9", "A/1 A/2", "A/1 A/2", "* ci success"), "up_to_date A/9", ""},
		{"with other sources", prod("A/9", "A/1 A/2 B/2", "A/1 A/2 B/2", "* ci success"), "promote B/2", ""},
	})
}

// Candidates have a state, the newest first.
func TestCandidates(t *testing.T) {
	t.Parallel()
	in := checks(stage(t, "A", "A B C D E F D G H", "dev2 ci success", "dev3 ci pending", "dev4 ci failure", "dev5 ci success",
		"dev6 ci success", "dev7 ci failure", "dev8 ci success 99"), 2*time.Hour, decision.Check{Context: "ci"})
	r, err := decision.Decide(in)
	const want = "H waiting, G soaking, F reverted, E reverted, D failed, C waiting, B verified"
	if got := stages(r); err != nil || got != want || !r.Newer {
		t.Errorf("got %s, %v, newer: %t", got, err, r.Newer)
	}
	if r.Candidates[0].Reason != "H has no report of ci in dev" {
		t.Errorf("got %+v", r.Candidates[0])
	}
}

// A Result has at most 20 candidates, and older ones are chosen too.
func TestManyCandidates(t *testing.T) {
	t.Parallel()
	dev := "A B"
	for i := range 30 {
		dev += fmt.Sprintf(" C%d", i)
	}
	r, err := decision.Decide(stage(t, "A", dev, "dev2 ci success"))
	if err != nil || len(r.Candidates) != 20 || r.Release.Commit != "B" {
		t.Errorf("got %d candidates, %s, %v", len(r.Candidates), text(r.Release), err)
	}
}

// A forge that cannot be read is an error, except with a pin.
func TestUnreadableReports(t *testing.T) {
	t.Parallel()
	in := stage(t, "A", "A B")
	in.After[0].Reports = func(string) ([]decision.Report, error) { return nil, errors.New("503 Service Unavailable") }
	const want = "cannot read the reports on commit dev2 of dev: 503 Service Unavailable"
	if _, err := decision.Decide(in); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	in.Pin = "A"
	if r, err := decision.Decide(in); err != nil || r.Decision != decision.Pinned {
		t.Errorf("with a pin: %v", err)
	}
}

// The checks of the source say which of its commits is the newest that works.
func TestSourceChecks(t *testing.T) {
	t.Parallel()
	checked := func(own, source string, lines ...string) decision.Input {
		in := first(t, own, source, lines...)
		in.Source.Checks = []decision.Check{{Context: "build"}}
		return in
	}
	check(t, []scenario{
		{"the head is green", checked("A", "C B A", "C build success 1"), "promote C", "dev gets C (Change C), which is verified in the source."},
		{"an older one is green", checked("A", "C B A", "B build success 1"), "promote B",
			"dev gets B (Change B), which is verified in the source. dev waits for the source: C (Change C) has no report of build in the source."},
		{"only older ones are green", checked("B", "C B A", "A build success 1"), "up_to_date B",
			"dev waits for the source: C (Change C) has no report of build in the source."},
		{"none is green", checked("", "B A", "B build failure 1"), "nothing -",
			"dev waits for the source: B (Change B) failed in the source: build red since 2026-11-02 09:00 UTC."},
		{"went back, and the head is not green", checked("A B A", "C B A"), "held A", ""},
		{"without checks", first(t, "A/1", "B A"), "promote B", "dev gets B (Change B), which came to the source."},
		{"the applications move", first(t, "A/1", "A"), "up_to_date A", "dev is at A (Change A), and the source has nothing newer."},
		{"no commits", first(t, "", ""), "nothing -", "dev is without a release, and the source has nothing newer."},
		{"no source", decision.Input{Own: decision.Environment{Name: "dev"}}, "nothing -", ""},
	})
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, context string
		want             bool
	}{
		{"ci", "ci", true}, {"ci", "ci2", false}, {"", "", true}, {"*", "", true}, {"*", "a/b", true}, {"a*", "a/b", true}, {"a*", "ba", false},
		{"*b", "a/b", true}, {"*b", "bc", false}, {"a*c", "a/b/c", true}, {"a*a", "a", false}, {"a*b*c", "a-b-c", true},
		{"a*b*c", "a-c-b", false}, {"a*b*b", "a-b", false}, {"[a]?", "[a]?", true}, {"[a]?", "ab", false}, {"**", "x", true},
	} {
		t.Run(test.pattern+" "+test.context, func(t *testing.T) {
			t.Parallel()
			in := checks(stage(t, "A", "A B"), 0, decision.Check{Context: test.pattern})
			in.After[0].Reports = func(string) ([]decision.Report, error) {
				return []decision.Report{{Context: test.context, State: decision.Success, Time: hour(2)}}, nil
			}
			r, err := decision.Decide(in)
			if got := r.Decision == decision.Promote; got != test.want || err != nil {
				t.Errorf("matches: %t, %v", got, err)
			}
		})
	}
}
