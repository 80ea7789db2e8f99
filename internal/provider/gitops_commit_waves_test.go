// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// waveTypes are the cluster types of a plain fleet that waves share.
const waveTypes = "a b c d e f"

// wavesHCL is a plain fleet with a commit for each wave, by name: "a b", as lists have it.
func wavesHCL(family string, waves map[string][]string, attributes string) string {
	config := plainFleet(family, waveTypes, "prod")
	for _, name := range slices.Sorted(maps.Keys(waves)) {
		list := `"` + strings.Join(waves[name], `", "`) + `"`
		if len(waves[name]) == 0 {
			list = ""
		}
		config += plainCommit(name, "prod", "prod", fmt.Sprintf("cluster_types = [%s]\n  %s", list, attributes))
	}
	return config
}

// waveFiles are the files of cluster types of a plain fleet.
func waveFiles(clusterTypes ...string) (all []string) {
	for _, name := range clusterTypes {
		all = append(all, below(name, []string{"README.md", "web-live-prod/namespace.yaml", "web-live-prod/platform-config.yaml",
			"web-live-prod/reconciler.yaml"})...)
	}
	return all
}

// Cluster types go from wave to wave at random, while the fleet changes: no commit of the
// branch lacks a package of the fleet, from the first one on that has it, and in the end
// each wave has what its list names.
func TestAccCLI_wavesRegroup(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["http"](t)
		w := newPlainWorkspace(t, r)
		random := rand.New(rand.NewPCG(1, uint64(len(parallelism))))
		names := []string{"canary", "quarter", "rest"}
		var waves map[string][]string
		for step := range 3 {
			waves = map[string][]string{}
			for _, name := range names {
				waves[name] = nil
			}
			for clusterType := range strings.FieldsSeq(waveTypes) {
				name := names[random.IntN(len(names))]
				waves[name] = append(waves[name], clusterType)
			}
			w.applies(t, wavesHCL([]string{"blue", "green"}[step%2], waves, ""), parallelism)
		}
		w.settled(t)
		expectFiles(t, r, "prod", waveFiles(strings.Fields(waveTypes)...)...)
		for clusterType := range strings.FieldsSeq(waveTypes) {
			expectNeverGone(t, r.repo, "prod", waveFiles(clusterType)...)
		}
		want := map[string]record{}
		for name, clusterTypes := range waves {
			if len(clusterTypes) > 0 {
				want[w.instance(t, name)] = record{"prod", "prod", ".", clusterTypes, nil}
			}
		}
		if got := records(t, r.repo, "prod"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("records %v, want %v", got, want)
		}
	})
}

// A cluster type changes its wave in two applies, whichever wave is applied first: no commit
// lacks a package.
func TestAccCLI_wavesInTwoApplies(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"one", "two"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newPlainWorkspace(t, r)
			w.applies(t, wavesHCL("blue", map[string][]string{"one": {"a", "b"}, "two": {"c"}}, ""))
			after := wavesHCL("green", map[string][]string{"one": {"a"}, "two": {"b", "c"}}, "")
			w.applies(t, after, "-target=kalypso_gitops_commit."+first)
			w.applies(t, after)
			w.settled(t)
			expectNeverGone(t, r.repo, "prod", waveFiles("a", "b")...)
			want := map[string]record{w.instance(t, "one"): {"prod", "prod", ".", []string{"a"}, nil},
				w.instance(t, "two"): {"prod", "prod", ".", []string{"b", "c"}, nil}}
			if got := records(t, r.repo, "prod"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("records %v, want %v", got, want)
			}
		})
	}
}

// Splitting one resource into three, and merging three into one, never removes packages of
// the fleet.
func TestAccCLI_wavesOfOne(t *testing.T) {
	t.Parallel()
	const moved = "moved {\n  from = kalypso_gitops_commit.all\n  to   = kalypso_gitops_commit.rest\n}\n"
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)

	all := plainFleet("blue", waveTypes, "prod") + plainCommit("all", "prod", "prod", "")
	w.applies(t, all)
	w.appliesInTurns(t, wavesHCL("green", map[string][]string{"canary": {"a"}, "quarter": {"b", "c"}, "rest": {"d", "e", "f"}}, "")+moved)
	if got := len(records(t, r.repo, "prod")); got != 3 {
		t.Errorf("there are %d records", got)
	}
	w.write(t, "main.tf", all) // as a new one
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "Folders exist already", "has folder a as owned", "has folders b, c as owned")
	w.appliesInTurns(t, all)
	expectOwner(t, r.repo, "prod", w.instance(t, "all"), ".", strings.Fields(waveTypes)...)
	expectNeverGone(t, r.repo, "prod", waveFiles(strings.Fields(waveTypes)...)...)
}

// A plan of a wave reports the folders that it writes and releases, and the mistakes in
// its list.
func TestAccGitOpsCommit_waves(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	server := fmt.Sprintf("%s\nlocals {\n  repo = %q\n}\n", r.provider, r.url)
	hcl := func(family, list string, attributes string) string {
		return server + plainFleet(family, "a b", "prod") + plainCommit("prod", "prod", "prod", "cluster_types = "+list+"\n  "+attributes)
	}
	keys := func(want ...string) plancheck.PlanCheck {
		all := map[string]knownvalue.Check{}
		for _, key := range want {
			all[key] = knownvalue.NotNull()
		}
		return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), knownvalue.MapExact(all))
	}
	promoting := `release = { commit = "` + promoted + `", sources = {} }`
	inSteps(t,
		resource.TestStep{
			Config: hcl("blue", `["a", "b"]`, promoting),
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate, summary("+2 ~0 -0 packages in 2 cluster types"),
				keys("a/README.md", "a/web-live-prod", "b/README.md", "b/web-live-prod")),
			Check: expectPaths(t, r, waveFiles("a", "b")...),
		},
		resource.TestStep{
			Config: hcl("green", `["a"]`, promoting+"\n limits { max_removed = \"0\" }"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~1 -0 packages in 1 cluster type"),
				keys("a/README.md", "a/web-live-prod")),
			Check: expectPaths(t, r, waveFiles("a", "b")...),
		},
		resource.TestStep{Config: hcl("green", `[]`, ""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, keys()),
			Check: expectPaths(t, r, waveFiles("a", "b")...)},
		resource.TestStep{Config: hcl("green", `["b", "a"]`, ""), Check: expectPaths(t, r, waveFiles("a", "b")...)},
		resource.TestStep{
			Config:           server + plainFleet("green", "a b", "prod") + plainCommit("prod", "prod", "prod", ""),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("no package changes")),
			Check:            expectPaths(t, r, waveFiles("a", "b")...),
		},
	)
	expectMistakes(t, map[string]mistake{
		"misspelled": {hcl("blue", `["a", "bb"]`, ""), `cluster_types names "bb", and the fleet has no such cluster type. Did you mean "b"?`},
		"null":       {hcl("blue", `["a", null]`, ""), "null"},
	})
}

// A wave with an unknown fleet may own all folders of its place.
func TestGitOpsCommit_unknownWave(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	for _, list := range []string{`["a"]`, "[terraform_data.later.output]"} {
		expectDirectly(t, r.provider+fmt.Sprintf("locals {\n  repo = %q\n}\n",
			r.url)+"resource \"terraform_data\" \"later\" { input = \"b\" }\n"+plainFleet("blue", "a b", "prod")+
			strings.Replace(plainCommit("prod", "prod", "prod", "path = \".\"\n  cluster_types = "+list), "local.fleet",
				"concat(local.fleet, [terraform_data.later.output])", 1)).
			warns(t, "The change cannot be previewed: prod")
	}
}
