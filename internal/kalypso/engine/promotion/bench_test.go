// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// BenchmarkDecide decides about 20 releases with reports of 2,000 clusters of 50 types, by name. The
// newest 19 releases lack the report of the last cluster of each type.
func BenchmarkDecide(b *testing.B) {
	const types, clusters, releases = 50, 40, 20
	in := promotion.Input{Own: promotion.Environment{Name: "stage", Track: track("stage", "R0")}, Now: hour(100)}
	steps, byCommit := "R0", map[string][]promotion.Report{}
	dev := promotion.After{Soak: time.Hour}
	for r := 1; r <= releases; r++ {
		steps += fmt.Sprint(" R", r)
		commit := fmt.Sprint("dev", r+1)
		for c := range types * clusters {
			name := fmt.Sprintf("kalypso/dev/type-%d/cluster-%d", c%types, c/types)
			report := promotion.Report{Context: name, State: promotion.Success, Time: hour(r + 1)}
			if r > 1 && c/types == clusters-1 {
				report.State = promotion.Pending
			}
			byCommit[commit] = append(byCommit[commit], report)
		}
	}
	for c := range types {
		check := promotion.Check{Context: fmt.Sprintf("kalypso/dev/type-%d/*", c)}
		for i := range clusters {
			check.Expected = append(check.Expected, fmt.Sprintf("kalypso/dev/type-%d/cluster-%d", c, i))
		}
		dev.Checks = append(dev.Checks, check)
	}
	dev.Environment.Name, dev.Track = "dev", track("dev", steps)
	dev.Reports = func(commit string) ([]promotion.Report, error) { return byCommit[commit], nil }
	in.After = []promotion.After{dev}
	for b.Loop() {
		if r, err := promotion.Decide(in); err != nil || r.Release.Commit != "R1" {
			b.Fatal(r.Reason, err)
		}
	}
}
