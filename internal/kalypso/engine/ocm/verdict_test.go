// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// Each code comes with the requirement and the actual value.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	texts := map[ocm.Code]string{
		ocm.CodeHolds:      placement("a", "{}"),
		ocm.CodeClusterSet: placement("a", "{clusterSets: [west]}"),
		ocm.CodePredicate:  placement("a", "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: b}}}}]}"),
		ocm.CodeTaint:      placement("a", "{}") + managed("cluster1", "spec: {taints: [{key: drain, effect: NoSelect}]}"),
		ocm.CodeNotAmongN:  placement("a", "{numberOfClusters: 0}"),
		ocm.CodeNotDecided: decision("d", "a", "elsewhere"),
	}
	for _, code := range ocm.Codes {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			text, known := texts[code]
			if !known {
				t.Fatal("no case shows this code")
			}
			v, candidate := decide(t, newFleet(t, clusterTypes(1), policy("p", "a", false), text)).Verdict(-1, 0)
			if !candidate || v.Code != code || v.Asked == "" || v.Found == "" {
				t.Errorf("got %+v", v)
			}
		})
	}
}
