// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/cputime"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// benchNamespace, benchReconciler and benchConfig are the files of a package as Kalypso's
// templates render them.
const (
	benchNamespace = `apiVersion: v1
kind: Namespace
metadata:
  name: "%[1]s-type-%[2]d-app-%[3]d"
  labels:
    environment: "%[1]s"
    workspace: "team-%[4]d"
    workload: "app-%[4]d"
    deploymentTarget: "app-%[3]d"
    someLabel: some-value
`
	benchReconciler = `apiVersion: source.toolkit.fluxcd.io/v1beta2
kind: GitRepository
metadata:
  name: "app-%[3]d"
  namespace: flux-system
spec:
  interval: 30s
  url: "https://github.com/contoso/app-%[4]d"
  ref:
    branch: "%[1]s"
  secretRef:
      name: repo-secret
---
apiVersion: kustomize.toolkit.fluxcd.io/v1beta2
kind: Kustomization
metadata:
  name: "app-%[3]d"
  namespace: flux-system
spec:
  interval: 30s
  targetNamespace: "%[1]s-type-%[2]d-app-%[3]d"
  sourceRef:
    kind: GitRepository
    name: "app-%[3]d"
  path: "./app-%[3]d"
  prune: true
`
	benchConfig = `apiVersion: v1
kind: ConfigMap
metadata:
  name: platform-config
  namespace: %[1]s-type-%[2]d-app-%[3]d
data:
  CLUSTER_NAME: Type %[2]d
  DATABASE_URL: mysql://west:8806/mysql-%[5]d
  ENVIRONMENT: %[1]s
  REGION: West US
  SOME_COMMON_ENVIRONMENT_VARIABLE: "false"
`
)

// BenchmarkDeployments reads three environments of 2,000 packages on 100 cluster types each,
// with 50 commits that change 10 packages each, over HTTP. In one case each
// environment has its own packages, in the other case all have the same.
func BenchmarkDeployments(b *testing.B) {
	for name, environments := range map[string][]string{"different": {"dev", "stage", "prod"}, "same": {"dev", "dev", "dev"}} {
		b.Run(name, func(b *testing.B) {
			repo, r := gittest.NewBare(b), rand.New(rand.NewPCG(1, 2))
			var s recordtest.Script
			for e, environment := range environments {
				for commit := range 60 {
					files := map[string]string{".github/tracking/Promoted_Commit_Id": recordtest.ID(fmt.Sprintf("%02x", commit))}
					changed := r.Perm(2000)[:10]
					if commit == 0 {
						changed = r.Perm(2000)
						for i := range 100 {
							files[fmt.Sprintf("type-%d/README.md", i)] = readme
						}
					}
					for _, p := range changed {
						folder := fmt.Sprintf("type-%d/app-%d/", p%100, p)
						for file, text := range map[string]string{"namespace": benchNamespace, "reconciler": benchReconciler,
							"platform-config": benchConfig} {
							files[folder+file+".yaml"] = fmt.Sprintf(text, environment, p%100, p, p/10, commit)
						}
					}
					if name == "same" {
						r = rand.New(rand.NewPCG(1, uint64(commit))) // as in the others
					}
					s.Commit(fmt.Sprint("env-", e), "Promote", 0, 0, files)
				}
			}
			s.Run(b, repo)
			server := gittest.ServeHTTP(b, repo)
			start := cputime.Used()
			recordtest.Measure(b, server, func() {
				d := reader(b).Deployments()
				var all []inventory.Environment
				for e := range environments {
					at := deployed.Place{Name: fmt.Sprint("env-", e), Branch: git.Branch{Repo: server.URL(), Name: fmt.Sprint("env-", e)}, Most: 50}
					read, err := d.Environment(b.Context(), at)
					if err != nil || len(read.Packages) != 2000 || len(read.History) != 50 || read.Packages[0].Workload == "" {
						b.Fatalf("%d packages, %d commits, error %v", len(read.Packages), len(read.History), err)
					}
					all = append(all, read)
				}
				if f := inventory.NewFleet(all, inventory.Rules{}); len(f.Environments) != 3 {
					b.Fatal(f)
				}
			})
			b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-sec/op") // without the server's git
		})
	}
}
