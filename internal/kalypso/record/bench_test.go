// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/cputime"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// BenchmarkTrack reads the track of a branch that has 100 cluster types
// with 1,000 packages, of which 10 change with each of 300 commits, over HTTP: ours, with
// a record, and Kalypso's own.
func BenchmarkTrack(b *testing.B) {
	for name, mark := range map[string]func(commit string) map[string]string{
		"records": func(commit string) map[string]string {
			return map[string]string{recordtest.At(recordtest.One): string(recordtest.Text(commit, nil))}
		},
		"tracking": func(commit string) map[string]string {
			return map[string]string{".github/tracking/Promoted_Commit_Id": commit + "\n"}
		},
	} {
		b.Run(name, func(b *testing.B) {
			repo, r := gittest.NewBare(b), rand.New(rand.NewPCG(1, 2))
			var s recordtest.Script
			for i := range 300 {
				files := mark(recordtest.ID(fmt.Sprintf("%02x", i%256)))
				packages := r.Perm(1000)[:10]
				if i == 0 {
					packages = r.Perm(1000)
				}
				for _, p := range packages {
					files[fmt.Sprintf("type-%d/app-%d/reconciler.yaml", p%100, p)] = recordtest.Noise(r)
				}
				s.Commit("dev", fmt.Sprintf("dev: +0 ~10 -0 packages\n\nWritten by Terraform, %d.\n", i), 0, 0, files)
			}
			s.Run(b, repo)
			server := gittest.ServeHTTP(b, repo)
			p := recordtest.Place(server)
			recordtest.Measure(b, server, func() {
				if track, err := recordtest.Reader(b).Track(b.Context(), p); err != nil || len(track.Steps) != 300 {
					b.Fatalf("%d steps, error %v", len(track.Steps), err)
				}
			})
		})
	}
}

// BenchmarkTrackOfRequests reads the track of a branch with 1,000 requests that were merged by merge commits.
func BenchmarkTrackOfRequests(b *testing.B) {
	repo, r := gittest.NewBare(b), rand.New(rand.NewPCG(1, 2))
	var s recordtest.Script
	head := 0
	for i := range 1000 {
		text := recordtest.Text(fmt.Sprintf("%040x", i+1), func(r *record.Record) {
			for n := range 100 {
				r.Folders[fmt.Sprint("type-", n)] = record.Owned
			}
		})
		files := map[string]string{recordtest.At(recordtest.One): string(text),
			fmt.Sprintf("type-%d/app/reconciler.yaml", i%100): recordtest.Noise(r)}
		if head == 0 {
			head = s.Commit("dev", "first", 0, 0, files)
			continue
		}
		head = s.Commit("dev", "Merge a request", head, s.Commit(fmt.Sprint("request-", i), "dev: ~1 package", head, 0, files), files)
	}
	s.Run(b, repo)
	server := gittest.ServeHTTP(b, repo)
	cpu := cputime.Used()
	recordtest.Measure(b, server, func() {
		track, err := recordtest.Reader(b).Track(b.Context(), recordtest.Place(server))
		if err != nil || len(track.Steps) != 1000 {
			b.Fatalf("%d steps, error %v", len(track.Steps), err)
		}
	})
	b.ReportMetric(float64((cputime.Used()-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
}
