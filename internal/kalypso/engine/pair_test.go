// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	in := input([]string{smallFleet})
	e, err := engine.Explain(in.Manifests, in.Environment, "app-live", "edge")
	if err != nil {
		t.Fatal(err)
	}
	if !e.Placed || len(e.Policies) != 1 || e.Policies[0] != "everything-on-edge" {
		t.Errorf("got %+v", e)
	}
	if _, err := engine.Explain(input([]string{"{"}).Manifests, "prod", "a", "b"); err == nil ||
		!strings.Contains(err.Error(), "Invalid YAML") {
		t.Errorf("want invalid YAML, got %v", err)
	}
}

func TestComposeOne(t *testing.T) {
	t.Parallel()
	in := input([]string{smallFleet, `---
apiVersion: v1
kind: ConfigMap
metadata: {name: edge, labels: {platform-config: "true", tier: edge}}
data: {REGION: Edge, file.yaml: "{b: [1, x], a: true}"}
`})
	got, err := engine.ComposeOne(in.Manifests, in.Environment, "app-live", "edge")
	if err != nil {
		t.Fatal(err)
	}
	want := &engine.EffectiveConfig{
		Values: map[string]string{"REGION": "Edge", "file.yaml": "a: true\nb:\n    - 1\n    - x"},
		Leaves: []composition.Leaf{
			{Path: "REGION", Value: "Edge", SetBy: "edge", Overrode: []string{"config"}},
			{Path: "file.yaml.a", Value: true, SetBy: "edge"},
			{Path: "file.yaml.b[0]", Value: 1, SetBy: "edge"},
			{Path: "file.yaml.b[1]", Value: "x", SetBy: "edge"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}

	// No policy places the target on idle, but what it would get is known.
	got, err = engine.ComposeOne(in.Manifests, in.Environment, "app-live", "idle")
	if err != nil {
		t.Fatal(err)
	}
	if got.Values["REGION"] != "Europe" {
		t.Errorf("region %s", got.Values["REGION"])
	}
}

func TestComposeOneOfNothing(t *testing.T) {
	t.Parallel()
	in := input([]string{smallFleet})
	_, err := engine.ComposeOne(in.Manifests, in.Environment, "app-life", "edgy")
	const want = `Unknown assignment in edgy/app-life: There is no cluster type "edgy". Did you mean "edge"?
Unknown assignment in edgy/app-life: There is no deployment target "app-life" in environment prod. Did you mean "app-live"?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// BenchmarkExplain measures the function explain on a fleet of 10,000
// assignments, decoding included.
func BenchmarkExplain(b *testing.B) {
	in := input(fleetgen.Large(10_000))
	b.ReportAllocs()
	for b.Loop() {
		if e, err := engine.Explain(in.Manifests, in.Environment, "app-0-t0", "region0-type0"); err != nil || !e.Placed {
			b.Fatal(err)
		}
	}
}
