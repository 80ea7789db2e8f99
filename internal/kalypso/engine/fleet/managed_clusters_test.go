// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

const labelledFleet = `apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: edge, labels: {tier: edge, region: west}}
spec: {reconciler: r, namespaceService: ns}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: edge, labels: {region: west, vendor: OpenShift}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: elsewhere, labels: {region: moon}}
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: AddOnPlacementScore
metadata: {name: load, namespace: edge}
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: AddOnPlacementScore
metadata: {name: load, namespace: elsewhere}
`

func TestManagedClustersLabelClusterTypes(t *testing.T) {
	t.Parallel()
	objects, err := manifest.Decode([]manifest.Text{{Text: labelledFleet}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.New(objects, "prod")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"tier": "edge", "region": "west", "vendor": "OpenShift"}, f.ClusterTypes[0].Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"tier": "edge", "region": "west"}, objects[0].Metadata().Labels); diff != "" {
		t.Errorf("labels of the object that was read (-want +got):\n%s", diff)
	}
	if len(f.AddOnScores) != 2 {
		t.Errorf("scores of one name in two namespaces: %d", len(f.AddOnScores))
	}
}

func TestContradictingLabels(t *testing.T) {
	t.Parallel()
	objects, err := manifest.Decode([]manifest.Text{{Name: "test", Text: strings.Replace(labelledFleet, "region: west, vendor",
		"region: east, vendor", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = fleet.New(objects, "prod")
	const want = `Contradicting labels in ManagedCluster/edge (test, line 6): The label region is "east" here, but "west" on the cluster type of the same name (test, line 1)`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
