// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// teamWorkload is a workload that the registration of a team brings; of the platform team, if the team is empty.
func teamWorkload(team, name, target string) string {
	team = cmp.Or(team, "nobody")
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: %s, labels: "+
		"{kustomize.toolkit.fluxcd.io/name: prod-%s}}\nspec: {deploymentTargets: [{name: %s, environment: prod}]}\n", name, team, target)
}

// brokenFile is a file of a team that cannot be read.
func brokenFile(team string) string {
	return (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: team + ".yaml"}, Workspace: "team-" + team,
		Problems: problem.List{{Summary: "Invalid YAML", Detail: "It is cut off."}}}).Text()
}

// teamApply is one apply of a fleet with these manifests.
type teamApply struct {
	manifests []string
	// loses is true if the state lost what the last apply remembered.
	loses bool
	// targets are the deployment targets with their workspaces, and broken how many files and workloads are broken. kept are the names of all
	// earlier targets that a broken file may have.
	targets string
	broken  int
	kept    string
}

// The workspace that had a name at the last apply keeps it, and only the packages of its own workspace may be in a broken file.
func TestTeamsKeepTheirNames(t *testing.T) {
	t.Parallel()
	a, b := teamWorkload("a", "api", "live"), teamWorkload("b", "api", "live")
	ofA, ofB, ofPlatform := teamWorkload("a", "a", "live"), teamWorkload("b", "b", "live"), teamWorkload("", "p", "live")
	for name, applies := range map[string][]teamApply{
		"a newcomer takes a name": {
			{manifests: []string{a, ofB}, targets: "api-live=team-a b-live=team-b"},
			{manifests: []string{a, ofB, b}, targets: "api-live=team-a b-live=team-b", broken: 1},
			{manifests: []string{b, a, ofB}, targets: "api-live=team-a b-live=team-b", broken: 1},
			{manifests: []string{b, ofB}, targets: "api-live=team-b b-live=team-b"},
			{manifests: []string{b, a}, targets: "api-live=team-b", broken: 1},
		},
		"a newcomer waits until the file of the other is broken": {
			{manifests: []string{a}, targets: "api-live=team-a"},
			{manifests: []string{brokenFile("a"), b}, broken: 2, kept: "api-live"},
			{manifests: []string{brokenFile("a"), b}, broken: 2, kept: "api-live"},
			{manifests: []string{a, b}, targets: "api-live=team-a", broken: 1},
			{manifests: []string{a}, targets: "api-live=team-a"},
		},
		"neither had it": {
			{manifests: []string{ofA, ofB}, targets: "a-live=team-a b-live=team-b"},
			{manifests: []string{ofA, a, b}, targets: "a-live=team-a", broken: 2},
			{manifests: []string{ofA, a, b}, targets: "a-live=team-a", broken: 2},
			{manifests: []string{ofA, b}, targets: "a-live=team-a api-live=team-b"},
		},
		"one workspace twice": {{manifests: []string{a}, targets: "api-live=team-a"}, {manifests: []string{a, a}, broken: 2, kept: "api-live"}},
		"the platform team takes a name": {
			{manifests: []string{a, ofPlatform}, targets: "api-live=team-a p-live="},
			{manifests: []string{a, teamWorkload("", "api", "live")}, targets: "api-live=", broken: 1},
			{manifests: []string{ofPlatform, teamWorkload("a", "p", "live")}, targets: "p-live=", broken: 1},
		},
		"two spellings of a full name": {
			{manifests: []string{teamWorkload("a", "x-y", "z")}, targets: "x-y-z=team-a"},
			{manifests: []string{teamWorkload("a", "x-y", "z"), teamWorkload("b", "x", "y-z")}, targets: "x-y-z=team-a", broken: 1},
			{manifests: []string{teamWorkload("a", "x-y", "z"), teamWorkload("b", "x", "y-z")}, targets: "x-y-z=team-a", broken: 1},
		},
		"others remove packages while a file is broken": {
			{manifests: []string{ofA, ofB, ofPlatform}, targets: "a-live=team-a b-live=team-b p-live="},
			{manifests: []string{brokenFile("a"), ofB}, targets: "b-live=team-b", broken: 1, kept: "a-live"},
			{manifests: []string{brokenFile("a"), brokenFile("b")}, broken: 2, kept: "a-live b-live"},
			{manifests: []string{brokenFile("a")}, broken: 1, kept: "a-live"},
		},
		"a broken workload keeps its own": {
			{manifests: []string{teamWorkload("a", "x-y", "z"), teamWorkload("b", "x", "own"), ofB},
				targets: "b-live=team-b x-own=team-b x-y-z=team-a"},
			{manifests: []string{teamWorkload("a", "x-y", "z"), strings.Replace(teamWorkload("b", "x", "own"), "[", "[{name: y-z}, ", 1)},
				targets: "x-y-z=team-a", broken: 1, kept: "x-own"},
		},
		"the state lost it": {
			{manifests: []string{a}, targets: "api-live=team-a"},
			{manifests: []string{a, b}, targets: "api-live=team-a", broken: 1},
			{manifests: []string{a, b}, loses: true, broken: 2, kept: "api-live"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before []manifest.Text
			var owners fleet.Owners
			had := map[string]bool{}
			for i, apply := range applies {
				now := input(append(apply.manifests, registrationOf("a"), registrationOf("b")))
				now.Environment, now.PlaceOnly, now.Before, now.Owners = "prod", true, before, owners
				if apply.loses {
					now.Owners = nil
				}
				result, err := engine.Compute(t.Context(), now)
				if result == nil {
					t.Fatal(err)
				}
				var targets, kept []string
				for _, target := range result.Fleet.Targets {
					targets = append(targets, target.FullName+"="+target.Workspace)
				}
				for _, target := range slices.Sorted(maps.Keys(had)) {
					if result.Fleet.MayHave(target) {
						kept = append(kept, target)
					} else {
						delete(had, target) // the apply removes it
					}
				}
				for _, target := range result.Fleet.Targets {
					had[target.FullName] = true
				}
				got := teamApply{targets: strings.Join(targets, " "), broken: len(result.Fleet.Notes), kept: strings.Join(kept, " ")}
				want := teamApply{targets: apply.targets, broken: apply.broken, kept: apply.kept}
				if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(teamApply{})); diff != "" {
					t.Errorf("apply %d (-want +got):\n%s%v", i+1, diff, result.Fleet.BrokenFiles())
				}
				before, owners = now.Manifests, result.Fleet.Remembered()
			}
		})
	}
}

func registrationOf(team string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: WorkloadRegistration\nmetadata: {name: %s}\n"+
		"spec: {workload: {repo: https://git.example/%[1]s, branch: main}, workspace: team-%[1]s}\n", team)
}
