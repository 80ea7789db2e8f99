// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// BenchmarkLoad reads 200 registrations in 20 repositories, each with a history
// and with files beside the workloads, over HTTP. It reports what is received,
// beside the time.
func BenchmarkLoad(b *testing.B) {
	const repositories, registrations, beside = 20, 10, 20
	var servers []*gittest.HTTPServer
	serve := func() (*gittest.Repo, string) {
		repo := gittest.NewBare(b)
		servers = append(servers, gittest.ServeHTTP(b, repo))
		return repo, servers[len(servers)-1].URL()
	}
	platform, url := serve()
	fleet := map[string]string{"small.yaml": clusterType("small")}
	for r := range repositories {
		app, appURL := serve()
		files := map[string]string{}
		for i := range registrations {
			name := fmt.Sprintf("app-%d-%d", r, i)
			files[name+"/workload/workload.yaml"] = workload(name)
			for source := range beside {
				files[fmt.Sprintf("%s/src/%d.go", name, source)] = fmt.Sprintf("package p%d // %0500d\n", source, source*r*i)
			}
			fleet[name+".yaml"] = registration(name, appURL, "main", name+"/workload", "team")
		}
		commitAll(b, app, "main", files)
		for i := range 5 {
			commitAll(b, app, "main", map[string]string{"README.md": fmt.Sprintf("# Revision %0500d\n", i)})
		}
	}
	commitAll(b, platform, "dev", fleet)
	sent := func() (bytes int64) {
		for _, s := range servers {
			bytes += s.Sent()
		}
		return bytes
	}
	before := sent()
	for b.Loop() {
		result, err := newLoader(b).Load(b.Context(), at(url))
		if err != nil || len(result.Release.Sources) != repositories {
			b.Fatalf("%d sources, %v", len(result.Release.Sources), err)
		}
	}
	b.ReportMetric(float64(sent()-before)/float64(b.N)/1e3, "kB-received/op")
}
