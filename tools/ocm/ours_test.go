// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"fmt"
	"testing"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// newFleet reads manifests as the provider does.
func newFleet(text string) (*fleet.Fleet, error) {
	objects, err := manifest.Decode([]manifest.Text{{Name: "world", Text: text}})
	if err != nil {
		return nil, err
	}
	return fleet.New(objects, "prod")
}

// decide lets every policy of the fleet select everything.
func decide(f *fleet.Fleet) (map[string]*ocm.Decision, error) {
	every := bitset.New(uint(len(f.ClusterTypes))).FlipRange(0, uint(len(f.ClusterTypes)))
	var uses []ocm.Use
	for _, p := range f.Policies {
		uses = append(uses, ocm.Use{Policy: p, ClusterTypes: every, Targets: bitset.New(0)})
	}
	return ocm.Decide(f, uses)
}

// verdict is what ours says of one cluster.
type verdict struct {
	ocm.Verdict
	total  int64
	chosen bool
	group  group
}

// verdicts are those of a decision, by cluster.
func verdicts(t testing.TB, f *fleet.Fleet, d *ocm.Decision) map[string]verdict {
	t.Helper()
	all := map[string]verdict{}
	for i, ct := range f.ClusterTypes {
		of, candidate := d.Verdict(-1, i)
		if !candidate {
			t.Fatalf("%s is not a candidate", ct.Name)
		}
		v := verdict{Verdict: of, chosen: d.Chosen(-1).Test(uint(i))}
		if v.chosen {
			g := d.Group(i)
			v.group = group{g.Name, g.Index}
		}
		var sum int64
		for _, s := range of.Scores {
			sum += s.Score * s.Weight
		}
		if v.total = sum; dropped(of.Code) {
			all[ct.Name] = v
			continue
		}
		var rank, among int
		if _, err := fmt.Sscanf(of.Found, "rank %d of %d, total %d", &rank, &among, &v.total); err != nil ||
			v.total != sum {
			t.Fatalf("%s has scores of %d together, and %q", ct.Name, sum, of.Found)
		}
		all[ct.Name] = v
	}
	return all
}

// dropped reports whether a filter has dropped it.
func dropped(code ocm.Code) bool {
	return code == ocm.CodeClusterSet || code == ocm.CodePredicate || code == ocm.CodeTaint
}
