// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// BenchmarkDecode reads about 1,000 objects as a fleet has them: mostly
// configuration, workloads and cluster types.
func BenchmarkDecode(b *testing.B) {
	var texts []string
	for i := range 250 {
		name := fmt.Sprintf("object-%d", i)
		meta := func(k manifest.Kind) manifest.Meta {
			return manifest.Meta{Kind: k, Name: name, Labels: map[string]string{"region": "east-us", "line": name,
				manifest.LabelPlatformConfig: "true"}}
		}
		texts = append(texts,
			manifest.Encode(&manifest.ClusterType{Meta: meta(manifest.KindClusterType), Reconciler: "flux", NamespaceService: "ns",
				ConfigType: "cm"}),
			manifest.Encode(&manifest.Workload{Meta: meta(manifest.KindWorkload), DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "test", Environment: "dev", Manifests: map[string]string{"repo": "https://example.com/repo", "branch": "dev", "path": "./test"}},
				{Name: "live", Environment: "prod", Manifests: map[string]string{"repo": "https://example.com/repo", "branch": "prod",
					"path": "./live"}},
			}}),
			manifest.Encode(&manifest.ConfigMap{Meta: meta(manifest.KindConfigMap),
				Data: map[string]string{"REGION": "East US", "URL": "mysql://host:3306/db", "TAGS": "- a\n- b\n"}}),
			manifest.Encode(&manifest.SchedulingPolicy{Meta: meta(manifest.KindSchedulingPolicy), Workspace: "team"}),
		)
	}
	in := inputs(strings.Join(texts, "---\n"))
	b.SetBytes(int64(len(in[0].Text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manifest.Decode(in); err != nil {
			b.Fatal(err)
		}
	}
}
