// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// script makes many commits at once, in fast-import's language.
type script struct {
	bytes.Buffer
	marks int
}

// commit makes a commit on a branch that begins at a commit, or if that is 0 goes on.
func (s *script) commit(branch, message string, from, merged int, files map[string]string) int {
	s.marks++
	w := &s.Buffer
	fmt.Fprintf(w, "commit refs/heads/%s\nmark :%d\nauthor Ann %d <ann@example.com> %d +0000\n", branch, s.marks, s.marks%20,
		start.Unix()+int64(60*s.marks))
	fmt.Fprintf(w, "committer Test <test@example.com> %d +0000\ndata %d\n%s\n", start.Unix()+int64(60*s.marks), len(message), message)
	if from > 0 {
		fmt.Fprintf(w, "from :%d\n", from)
	}
	if merged > 0 {
		fmt.Fprintf(w, "merge :%d\n", merged)
	}
	for path, text := range files {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	w.WriteString("\n")
	return s.marks
}

func (s *script) run(b *testing.B, repo *gittest.Repo) {
	b.Helper()
	command := gittest.Command(b.Context(), "--git-dir", repo.Path(), "fast-import", "--quiet")
	command.Stdin = &s.Buffer
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	repo.Git(b, "repack", "-adq") // as a forge keeps it
}

// noise is a file that does not shrink.
func noise(r *rand.Rand) string {
	text := make([]byte, 2000)
	for i := range text {
		text[i] = byte('!' + r.IntN(90))
	}
	return string(text)
}

// BenchmarkTrack reads the track of 200 commits of a branch that has 100 cluster types
// with 1,000 packages, of which 10 change with each of 300 commits, over HTTP: ours, with
// a record, and Kalypso's own.
func BenchmarkTrack(b *testing.B) {
	for name, mark := range map[string]func(commit string) map[string]string{
		"records": func(commit string) map[string]string {
			return map[string]string{recordAt(one): string(record(b, commit, nil))}
		},
		"tracking": func(commit string) map[string]string {
			return map[string]string{".github/tracking/Promoted_Commit_Id": commit + "\n"}
		},
	} {
		b.Run(name, func(b *testing.B) {
			repo, r := gittest.NewBare(b), rand.New(rand.NewPCG(1, 2))
			var s script
			for i := range 300 {
				files := mark(id(fmt.Sprintf("%02x", i%256)))
				packages := r.Perm(1000)[:10]
				if i == 0 {
					packages = r.Perm(1000)
				}
				for _, p := range packages {
					files[fmt.Sprintf("type-%d/app-%d/reconciler.yaml", p%100, p)] = noise(r)
				}
				s.commit("dev", fmt.Sprintf("dev: +0 ~10 -0 packages\n\nWritten by Terraform, %d.\n", i), 0, 0, files)
			}
			s.run(b, repo)
			server := gittest.ServeHTTP(b, repo)
			p := place(server)
			measure(b, server, func() {
				if track, err := reader(b).Track(b.Context(), p, decision.Release{}); err != nil || len(track.Steps) != 200 {
					b.Fatalf("%d steps, error %v", len(track.Steps), err)
				}
			})
		})
	}
}

// measure reports what is fetched, and with how many requests.
func measure(b *testing.B, server *gittest.HTTPServer, read func()) {
	b.Helper()
	requests, sent := server.Requests(), server.Sent()
	for b.Loop() {
		read()
	}
	b.ReportMetric(float64(server.Sent()-sent)/float64(b.N), "B-fetched/op")
	b.ReportMetric(float64(server.Requests()-requests)/float64(b.N), "requests/op")
}
