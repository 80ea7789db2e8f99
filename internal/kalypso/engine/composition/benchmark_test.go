// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"fmt"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// generatedObjects makes a fleet of cluster types, workloads (with one target each) and
// ConfigMaps, whose labels make some of them apply to each pair.
func generatedObjects(clusterTypes, workloads, configMaps int) []manifest.Object {
	var objects []manifest.Object
	for i := range clusterTypes {
		objects = append(objects, &manifest.ClusterType{
			Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: fmt.Sprintf("ct-%03d", i), Labels: labels{
				"region": fmt.Sprintf("region-%d", i%8), "tier": fmt.Sprintf("tier-%d", i%3),
			}},
			Reconciler: "rec", NamespaceService: "rec",
		})
	}
	for i := range workloads {
		objects = append(objects, &manifest.Workload{
			Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: fmt.Sprintf("w-%03d", i),
				Labels: labels{"family": fmt.Sprintf("family-%d", i%6)}},
			DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "live", Environment: "dev", Labels: labels{"purpose": "live", "size": fmt.Sprintf("size-%d", i%4)}},
			},
		})
	}
	for i := range configMaps {
		choices := []labels{
			{},
			{"region": fmt.Sprintf("region-%d", i%8)},
			{"family": fmt.Sprintf("family-%d", i%6)},
			{"tier": fmt.Sprintf("tier-%d", i%3), "size": fmt.Sprintf("size-%d", i%4)},
			{"cluster-type": fmt.Sprintf("ct-%03d", i)},
		}
		objects = append(objects, platform(fmt.Sprintf("config-%03d", i), choices[i%len(choices)], map[string]string{
			"SHARED":                fmt.Sprintf("value %d", i),
			fmt.Sprintf("KEY%d", i): "value",
			"structure":             fmt.Sprintf("a: {b: %d, c%d: [x, y]}\nlist: [{name: n%d, v: %d}]", i, i, i%3, i),
		}))
	}
	return objects
}

func generated(t testing.TB, clusterTypes, workloads, configMaps int) *fleet.Fleet {
	t.Helper()
	objects := generatedObjects(clusterTypes, workloads, configMaps)
	f, err := fleet.New(objects, "dev")
	if err != nil {
		t.Fatal(err)
	}
	return f
}
