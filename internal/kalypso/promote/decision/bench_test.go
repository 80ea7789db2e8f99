// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

// BenchmarkDecide reads the reports of 2,000 clusters of 50 types on 20 releases from one text, and
// decides with all clusters by name. The newest 19 releases lack the last cluster of each type.
func BenchmarkDecide(b *testing.B) {
	const types, clusters, releases = 50, 40, 20
	in := decision.Input{Own: decision.Environment{Name: "stage", Track: track("stage", "R0")}, Now: hour(100)}
	dev := decision.After{Environment: decision.Environment{Name: "dev"}, Soak: time.Hour}
	steps, reports := "R0", map[string][]decision.Report{}
	for r := range releases {
		steps += fmt.Sprint(" R", r+1)
	}
	dev.Track = track("dev", steps)
	for r, step := range dev.Track.Steps {
		commit := fmt.Sprintf("%040x", r)
		step.Commits[0].ID = commit
		for c := range types * clusters {
			if r == 0 || r > 1 && c/types == clusters-1 {
				continue
			}
			reports[commit] = append(reports[commit], decision.Report{
				Context: fmt.Sprintf("kalypso/dev/type-%d/cluster-%d", c%types, c/types), State: decision.Success, Time: hour(r)})
		}
	}
	for c := range types {
		check := decision.Check{Context: fmt.Sprintf("kalypso/dev/type-%d/*", c)}
		for i := range clusters {
			check.Expected = append(check.Expected, fmt.Sprintf("kalypso/dev/type-%d/cluster-%d", c, i))
		}
		// Expected counts for the newest release only.
		check.AtLeast = clusters
		dev.Checks = append(dev.Checks, check)
	}
	text := reportsText(reports)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		read, err := decision.ParseReports(text, in.Now)
		if err != nil {
			b.Fatal(err)
		}
		dev.Reports = func(commit string) ([]decision.Report, error) { return read[commit], nil }
		in.After = []decision.After{dev}
		if r, err := decision.Decide(in); err != nil || r.Release.Commit != "R1" || len(r.Candidates) != releases {
			b.Fatal(r.Reason, err)
		}
	}
}
