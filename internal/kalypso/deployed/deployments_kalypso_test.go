// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// In a branch of Kalypso's own scheduler, every package is reported, with its workload if its
// namespace names the workload.
func TestDeploymentsOfKalypso(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{}
			for path, text := range fleet.Out {
				files[path] = []byte(text)
			}
			repo := gitmem.New(t)
			repo.CommitFiles(t, "dev", files, "Kalypso's")
			e := deployment(t, reader(t), placed(repo))
			var keys []string
			for _, p := range e.Packages {
				keys = append(keys, p.Key())
				if want := fleet.Assignments[p.Key()].Workload; p.Workload != "" && p.Workload != want {
					t.Errorf("%s is of the workload %q, want %q", p.Key(), p.Workload, want)
				}
			}
			want := slices.Sorted(maps.Keys(fleet.Assignments))
			if slices.Sort(keys); !slices.Equal(want, keys) {
				t.Errorf("packages (-want +got):\n%s", cmp.Diff(want, keys))
			}
			if commit := fleet.Out[engine.PromotedCommitFile]; commit != "" && !slices.Equal(e.Releases, []string{commit}) {
				t.Errorf("releases %q, want %q", e.Releases, commit)
			}
			if fleet.Name == "kalypso-sample" {
				expectSample(t, e)
			}
		})
	}
}

// expectSample looks at one package of Microsoft's sample.
func expectSample(t *testing.T, e inventory.Environment) {
	t.Helper()
	i := slices.IndexFunc(e.Packages, func(p inventory.Package) bool { return p.Key() == "large/observability-prometheus" })
	got := e.Packages[i]
	got.ID, got.Changed = "", nil
	want := inventory.Package{
		ClusterType: "large", DeploymentTarget: "observability-prometheus",
		Workload: "observability", Workspace: "platform-team", Namespace: "dev-large-observability-prometheus",
		Sources: []inventory.Source{{Kind: "GitRepository", Repo: "https://github.com/microsoft/kalypso-svc-gitops", Ref: "dev",
			Path: "./prometheus"}},
		Values: map[string]string{
			"CLUSTER_NAME": "Large", "DATABASE_URL": "mysql://west:8806/mysql2", "ENVIRONMENT": "Dev", "REGION": "West US",
			"SOME_COMMON_ENVIRONMENT_VARIABLE": "false",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
