// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/zclconf/go-cty/cty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/direct"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

var twice = flag.Int("twice", 400, "how many random plans TestAccPlanTwice plans again")

// twiceInput is an input of the commit resource, with texts in HCL that it may have. The first is that of
// the resource's last apply.
type twiceInput struct {
	name   string
	values []string
}

// twiceInputs are all inputs that a plan may not know. Those with {} are blocks.
func twiceInputs(url string) []twiceInput {
	fleet := func(family, after string) string {
		text := plainFleet(family, "large small", "prod", "dev")
		text = text[strings.Index(text, "EOT\n")+4:strings.LastIndex(text, "EOT")] + "---\n" +
			kalypsoObject("GitOpsRepo", "prod", "", fmt.Sprintf("{repo: %q, branch: prod, path: .}", url))
		return fmt.Sprintf("[<<-EOT\n%sEOT\n%s]", text, after)
	}
	other := `, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: all, labels: {platform-config: \"true\"}}\ndata: {REGION: west}"`
	return []twiceInput{
		{"environment", []string{`"prod"`, `"dev"`}},
		{"manifests", []string{fleet("blue", ""), fleet("blue", `, "# a comment"`), fleet("blue", other), fleet("green", "")}},
		{"repo", []string{fmt.Sprintf("%q", url), fmt.Sprintf("%q", strings.Replace(url, "http://", "http://somebody@", 1)), "null"}},
		{"branch", []string{`"prod"`, `"other"`, "null"}},
		{"path", []string{"null", `"."`, `"./"`, `"a"`}},
		{"release", []string{"null", `{ commit = "v1", sources = {} }`, `{ commit = "v2", sources = { "https://git.example/web#main" = "` +
			strings.Repeat("a1", 20) + `" } }`}},
		{"detail", []string{"null", `"package"`, `"cluster_type"`}},
		{"cluster_types", []string{"null", `["large", "small"]`, `["large"]`}},
		{"files", []string{"null", `{ "docs/index.md" = "# Docs" }`, `{}`}},
		{"hold", []string{"null", "false", "true"}},
		{"on_error", []string{"null", `"keep"`}},
		{"on_removal", []string{"null", `"delete"`}},
		{"on_destroy", []string{"null", `"empty"`}},
		{"commit_message", []string{"null", `"T-1: {summary}"`}},
		{"ignore_findings", []string{"null", `["POLICY_IDLE"]`}},
		{"create_branch_from", []string{"null", `"main"`}},
		{"assignments", []string{"null", `{ "large/web-live-prod" = [] }`}},
		{"fail_on", []string{"null", `["CLUSTER_TYPE_IDLE"]`}},
		{"pull_request {}", []string{"", `title = "a title"`}},
		{"limits {}", []string{"", `acknowledge = ["000000000000"]`, "allow_empty = true"}},
		{"freeze {}", []string{"", `
    from     = "2031-12-20"
    to       = "2032-01-02"
    timezone = "UTC"
    reason   = "holidays"`}},
	}
}

// twiceBody writes the inputs with the values of these numbers.
func twiceBody(inputs []twiceInput, chosen []int) string {
	var b strings.Builder
	for i, input := range inputs {
		value := input.values[chosen[i]]
		name, isBlock := strings.CutSuffix(input.name, " {}")
		switch {
		case !isBlock:
			fmt.Fprintf(&b, "%s = %s\n", name, value)
		case value != "":
			fmt.Fprintf(&b, "%s {\n%s\n}\n", name, value)
		}
	}
	return b.String()
}

// hides makes some inputs unknown: whole ones, or an element of a list or map.
func hides(r *rand.Rand, config cty.Value, names []string) cty.Value {
	values := config.AsValueMap()
	for _, name := range names {
		value := values[name]
		inner := !value.IsNull() && (value.Type().IsListType() || value.Type().IsMapType() || value.Type().IsObjectType()) &&
			value.LengthInt() > 0 && r.IntN(2) == 0
		switch {
		case inner && value.Type().IsListType():
			elements := value.AsValueSlice()
			i := r.IntN(len(elements))
			elements[i] = cty.UnknownVal(elements[i].Type())
			values[name] = cty.ListVal(elements)
		case inner:
			parts := value.AsValueMap()
			keys := slices.Sorted(maps.Keys(parts))
			key := keys[r.IntN(len(keys))]
			parts[key] = cty.UnknownVal(parts[key].Type())
			values[name] = cty.ObjectVal(parts)
			if value.Type().IsMapType() {
				values[name] = cty.MapVal(parts)
			}
		default:
			values[name] = cty.UnknownVal(value.Type())
		}
	}
	return cty.ObjectVal(values)
}

// Terraform plans a resource once more in the apply, with what was unknown now known. Whatever was unknown,
// whatever it becomes, and whatever changed in the branch or the provider's hold meanwhile, the second plan does not
// contradict the first.
//
// It runs with the acceptance tests, because the race detector makes it slow and has nothing to find in it.
func TestAccPlanTwice(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	server := gittest.ServeHTTP(t, repo)
	inputs := twiceInputs(server.URL())
	configured := func(settings string) *direct.Life {
		provider, err := inEnvironment(map[string]string{})["kalypso"]()
		if err != nil {
			t.Fatal(err)
		}
		return direct.NewLife(t, provider, fmt.Sprintf("provider \"kalypso\" {\n%s\nforge {\nurl_prefix = %q\n"+
			"type = \"gitea\"\ntoken = \"t\"\n}\n}\n", settings, server.URL()), "kalypso_gitops_commit")
	}
	free, held := configured(""), configured("hold = true")
	chosen := make([]int, len(inputs))
	first := free.Config(twiceBody(inputs, chosen))
	created := free.Plans(first)
	if problems := slices.Concat(created.Errors, free.Applies(first, created)); len(problems) > 0 {
		t.Fatal(problems)
	}
	failed, compared := map[string]int{}, uint64(0)
	plans := uint64(*twice)
	for seed := range plans {
		r := rand.New(rand.NewPCG(7, seed))
		in := func(one, other *direct.Life) *direct.Life {
			if r.IntN(4) == 0 {
				one = other
			}
			return one
		}
		before := *free
		if r.IntN(4) == 0 { // a resource that does not exist yet
			before.State = cty.NullVal(before.State.Type())
		}
		chosen = make([]int, len(inputs))
		var names []string
		for i, input := range inputs {
			if r.IntN(4) == 0 {
				chosen[i] = r.IntN(len(input.values))
			}
			if r.IntN(6) == 0 {
				names = append(names, strings.TrimSuffix(input.name, " {}"))
			}
		}
		config := free.Config(twiceBody(inputs, chosen))
		planning, applying := in(free, held), in(free, held)
		seen := before.On(planning).Plans(hides(r, config, names))
		if r.IntN(3) == 0 {
			repo.CommitFiles(t, "prod", map[string][]byte{"small/other.yaml": fmt.Appendf(nil, "seed: %d\n", seed)}, "edited")
		}
		again := before.On(applying).PlansAgain(config, seen)
		if len(seen.Errors) > 0 && planning == applying && len(again.Errors) == 0 && !strings.Contains(seen.Errors[0], "No pull request") {
			t.Errorf("seed %d: with %v unknown, the first plan fails: %s", seed, names, seen.Errors)
		}
		if len(seen.Errors)+len(again.Errors) > 0 {
			continue // nothing is applied
		}
		compared++
		for _, contradiction := range seen.Contradicts(again) {
			words := contradiction
			if i := strings.IndexAny(words, ":["); i > 0 {
				words = words[:i]
			}
			if failed[words]++; failed[words] <= 3 {
				t.Errorf("seed %d, unknown %v, %s", seed, names, contradiction)
			}
		}
	}
	if compared < plans/3 {
		t.Errorf("only %d of %d plans were compared", compared, plans)
	}
}

// A plan without a change computes nothing. It plans what a build without a version plans, which computes
// everything, for random settings, on a branch as the apply left it or edited by somebody.
func TestPlanOfNothing(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	server := gittest.ServeHTTP(t, repo)
	computed := 0
	life := func(version string) *direct.Life {
		return direct.NewLife(t, providerserver.NewProtocol6(&kalypsoProvider{version: version, lookup: ofTests,
			compute: func(ctx context.Context, in engine.Input) (*engine.Result, error) {
				computed++
				return engine.Compute(ctx, in)
			}})(), "provider \"kalypso\" {}\n", "kalypso_gitops_commit")
	}
	short, long := life("1.0.0"), life(publish.Unversioned)
	inputs, quiet := twiceInputs(server.URL()), uint64(0)
	plans := race.Seeds(60)
	for seed := range plans {
		r := rand.New(rand.NewPCG(9, seed))
		chosen := make([]int, len(inputs))
		for i, input := range inputs {
			if r.IntN(4) == 0 && input.name != "branch" && input.name != "pull_request {}" {
				chosen[i] = r.IntN(len(input.values))
			}
		}
		config := short.Config(strings.Replace(twiceBody(inputs, chosen), `branch = "prod"`, fmt.Sprintf("branch = \"b%d\"", seed), 1))
		one := *short
		created := one.Plans(config)
		if len(created.Errors) > 0 || len(one.Applies(config, created)) > 0 {
			continue
		}
		if r.IntN(3) == 0 {
			repo.CommitFiles(t, fmt.Sprintf("b%d", seed), map[string][]byte{"large/README.md": []byte("edited\n")}, "edited")
		}
		one.Refreshes()
		before := computed
		got := one.Plans(config)
		if computed == before {
			quiet++
		}
		want := one.On(long).Plans(config)
		if got.Action != want.Action || !got.After.RawEquals(want.After) || len(got.Errors)+len(want.Errors) > 0 {
			t.Errorf("seed %d: %s and %s: %v", seed, got.Action, want.Action, want.Contradicts(got))
		}
	}
	if quiet < plans/4 {
		t.Errorf("%d of %d plans computed nothing", quiet, plans)
	}
}
