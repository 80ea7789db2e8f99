// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// given asks to follow manifests.
func given(texts ...string) controlplane.Scope {
	request := controlplane.Scope{Environment: "dev", Manifests: []manifest.Text{}}
	for i, text := range texts {
		request.Manifests = append(request.Manifests, manifest.Text{Name: fmt.Sprintf("fleet_manifests[%d]", i), Text: text})
	}
	return request
}

// Manifests are followed as a control plane is, and passed on as they are.
func TestLoadGiven(t *testing.T) {
	t.Parallel()
	app, base := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	pinned := commitAll(t, base, "main",
		map[string]string{"fleet/large.yaml": clusterType("large"), "fleet/more.yaml": registration("app", app.URL(), "main", ".", "team")})
	commitAll(t, base, "main", map[string]string{"fleet/large.yaml": clusterType("later")})
	texts := []string{
		clusterType("small") + "---\n" + secret, // verbatim, with any other document beside it
		baseRepo("main", base.URL(), "main", "fleet", pinned),
	}
	result := load(t, given(texts...))
	want := slices.Concat(texts, []string{
		source(base.URL()+"#main:fleet/large.yaml", clusterType("large")),
		source(base.URL()+"#main:fleet/more.yaml", registration("app", app.URL(), "main", ".", "team")),
		source(app.URL()+"#main:w.yaml", labelled("app", "app")),
	})
	if base.URL() > app.URL() {
		want = append(want[:2], want[4], want[2], want[3])
	}
	if diff := cmp.Diff(want, result.Manifests); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	release := record.Release{Commit: pinned, Sources: map[string]string{app.URL() + "#main": app.Head(t, "main")}}
	if diff := cmp.Diff(release, result.Release); diff != "" {
		t.Errorf("release (-want +got):\n%s", diff)
	}
}

// A workload in HCL stays the platform team's, and breaks one of its name that a registration
// delivers. If its label says that the registration delivers it, both are broken.
func TestLoadGivenTwice(t *testing.T) {
	t.Parallel()
	app := gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	registered := registration("app", app.URL(), "main", ".", "team")
	for _, text := range []string{workload("app"), source(app.URL()+"#main:w.yaml", labelled("app", "app"))} {
		if result := load(t, given(text, registered)); len(result.Manifests) != 3 || result.Manifests[0] != text ||
			!strings.Contains(notes(result)[app.URL()+"#main:w.yaml"], "The object Workload/app is in ") ||
			len(workspaces(t, result)) == 1 != (text == workload("app")) {
			t.Errorf("%q", result.Manifests)
		}
	}
	if none := load(t, given()); len(none.Manifests) != 0 {
		t.Errorf("%q", none.Manifests)
	}
}

// Problems name the element, and the file if the element says it.
func TestLoadGivenProblems(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	loadWant(t, given("kind: [", source("fleet.yaml", strings.Replace(clusterType("a"), "reconciler", "reconcilr", 1)),
		baseRepo("a", repo.URL(), "gone", ".", ""), baseRepo("b", repo.URL(), "", ".", "")),
		"fleet_manifests[0], line 2", "(fleet.yaml:1, fleet_manifests[1])", "reconcilr",
		"BaseRepo/a (fleet_manifests[2], line 1)", "BaseRepo/b (fleet_manifests[3], line 1)", "Set branch")
}
