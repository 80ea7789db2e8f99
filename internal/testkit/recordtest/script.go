// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package recordtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Script makes many commits at once, in fast-import's language.
type Script struct {
	bytes.Buffer
	marks int
}

// Commit makes a commit on a branch that begins at a commit, or if that is 0 goes on.
func (s *Script) Commit(branch, message string, from, merged int, files map[string]string) int {
	s.marks++
	w := &s.Buffer
	fmt.Fprintf(w, "commit refs/heads/%s\nmark :%d\nauthor Ann %d <ann@example.com> %d +0000\n", branch, s.marks, s.marks%20,
		Start.Unix()+int64(60*s.marks))
	fmt.Fprintf(w, "committer Test <test@example.com> %d +0000\ndata %d\n%s\n", Start.Unix()+int64(60*s.marks), len(message), message)
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

// Run writes the commits into a repository.
func (s *Script) Run(b *testing.B, repo *gittest.Repo) {
	b.Helper()
	command := gittest.Command(b.Context(), "--git-dir", repo.Path(), "fast-import", "--quiet")
	command.Stdin = &s.Buffer
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	repo.Git(b, "repack", "-adq") // as a forge keeps it
}

// Noise is a file that does not shrink.
func Noise(r *rand.Rand) string {
	text := make([]byte, 2000)
	for i := range text {
		text[i] = byte('!' + r.IntN(90))
	}
	return string(text)
}

// Measure reports what is fetched, and with how many requests.
func Measure(b *testing.B, server *gittest.HTTPServer, read func()) {
	b.Helper()
	requests, sent := server.Requests(), server.Sent()
	for b.Loop() {
		read()
	}
	b.ReportMetric(float64(server.Sent()-sent)/float64(b.N), "B-fetched/op")
	b.ReportMetric(float64(server.Requests()-requests)/float64(b.N), "requests/op")
}
