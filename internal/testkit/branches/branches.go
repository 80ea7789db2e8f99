// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package branches writes the branches of environments to a repository, for benchmarks of what
// reads them: as large as one likes, and the same each time.
package branches

import (
	"fmt"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Names are the environments that Write writes, in the order of promotions.
var Names = []string{"dev", "test", "qa", "stage", "prod"}

// start is when the first commit of all was made.
var start = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

// Write writes five environments of so many packages each, to branches of their names: on
// 20 cluster types, with 20 commits that change 10 packages each. As is Kalypso's custom,
// the sources of each environment are at a branch of its name; some keys have another value
// everywhere, and a workload of twenty another version in prod.
func Write(t testing.TB, repo gittest.Repository, packages int) {
	t.Helper()
	for stage, name := range Names {
		for commit := range 20 {
			files := map[string][]byte{}
			for n := range packages {
				if commit == 0 || n*20/packages == commit && n%(packages/20) < 10 {
					write(files, name, stage, n, commit)
				}
			}
			repo.Commit(t, gittest.Revision{
				Branch: name, Author: "Ada Lovelace", Message: fmt.Sprintf("%s: release %d", name, commit), Files: files,
				Time: start.Add(time.Duration(commit+20*stage) * time.Hour),
			})
		}
	}
}

// write adds the files of a package.
func write(files map[string][]byte, environment string, stage, n, commit int) {
	const clusterTypes = 20
	w, clusterType := n/clusterTypes, fmt.Sprintf("type-%02d", n%clusterTypes)
	folder, version := fmt.Sprintf("%s/shop-svc%02d-live/", clusterType, w), fmt.Sprintf("1.%d.0", w)
	if w%20 == 7 && environment == "prod" {
		version = fmt.Sprintf("1.%d.0", w-1)
	}
	files[clusterType+"/README.md"] = []byte("This folder contains deployment targets scheduled on the cluster type")
	files[folder+"namespace.yaml"] = fmt.Appendf(nil, `apiVersion: v1
kind: Namespace
metadata:
  name: %[1]s-%[2]s-shop-svc%02[3]d-live
  labels: {environment: %[1]s, workspace: shop, workload: shop-svc%02[3]d, deploymentTarget: shop-svc%02[3]d-live, app.kubernetes.io/version: %[4]q}
`, environment, clusterType, w, version)
	files[folder+"reconciler.yaml"] = fmt.Appendf(nil, `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: live}
spec: {interval: 5m, url: "https://git.example.com/shop/svc%02[2]d-deployments", ref: {branch: %[1]s}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: live}
spec: {interval: 10m, prune: true, path: ./live, sourceRef: {kind: GitRepository, name: live}}
`, environment, w)
	files[folder+"platform-config.yaml"] = fmt.Appendf(nil, `apiVersion: v1
kind: ConfigMap
metadata: {name: platform-config}
data: {CLUSTER_TYPE: %s, REGION: west, LOG_LEVEL: %s, RELEASE: "%d", TIMEOUT: 30s, CACHE: memory, TLS: "true", OWNER: shop-team}
`, clusterType, []string{"debug", "info", "info", "warn", "error"}[stage], commit)
}
