// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// by makes a commit of somebody to a file behind our back, and returns the line that names it.
func (s server) by(t testing.TB, author, message, file, content string) string {
	t.Helper()
	id := s.repo.Commit(t, gittest.Revision{
		Branch: "prod", Author: author, Message: message, Time: time.Unix(1800000000, 0), Files: map[string][]byte{file: []byte(content)},
	})
	subject, _, _ := strings.Cut(message, "\n")
	return fmt.Sprintf("  2027-01-15 08:00 UTC %s %s: %s", id[:10], author, subject)
}

// traced plans and returns what the plan says of who changed what it puts right; empty for
// nothing.
func (i *instance) traced(t testing.TB, settings publish.Settings) string {
	t.Helper()
	_, m := i.plan(t, settings)
	succeeded(t, m)
	at := slices.IndexFunc(m.Warnings, func(w message.Message) bool { return strings.HasPrefix(w.Summary, "Drift is repaired: ") })
	if at < 0 {
		return ""
	}
	return m.Warnings[at].Detail
}

// A plan that repairs drift names the commits that changed something of ours, and no others.
func TestTrace(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "teams/retail"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(promoting(both("blue"), promoted))
			settings.Path.Value = folder
			i := &instance{server: s}
			i.apply(t, settings)
			at := strings.TrimPrefix(folder+"/", "./")
			first := s.by(t, "Ann", "Debug prod\n\nfor an hour", at+"large/web-live/reconciler.yaml", "edited: true\n")
			s.by(t, "Bob", "Document", "docs/index.md", "# Docs\n")
			i.refreshed(t, ownership.Drifted)
			second := s.by(t, "Cid", "And more", at+"small/web-live/stray", "stray\n")
			want := "Commits that caused the drift:\n\n" + second + "\n" + first
			if diff := cmp.Diff(want, i.traced(t, settings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			i.apply(t, settings)
			i.standsStill(t, settings)
			third := s.by(t, "Dan", "Again", at+"large/README.md", "# mine\n")
			want = "Commits that caused the drift:\n\n" + third
			if diff := cmp.Diff(want, i.traced(t, settings)); diff != "" {
				t.Errorf("after the repair (-want +got):\n%s", diff)
			}
		})
	}
}

// At most ten commits are named, with so much of each as fits a line.
func TestTraceBounds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	i := &instance{server: s}
	i.apply(t, settings)
	var lines []string
	for n := range 22 {
		lines = append(lines, s.by(t, "Ann", fmt.Sprint("change ", n), "large/web-live/stray", fmt.Sprint(n)))
	}
	slices.Reverse(lines)
	want := "Commits that caused the drift:\n\n" + strings.Join(lines[:10], "\n") + "\n  and 12 earlier commits"
	if diff := cmp.Diff(want, i.traced(t, settings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.by(t, strings.Repeat("a", 61), strings.Repeat("s", 121), "large/web-live/stray", "long")
	if line := strings.Split(i.traced(t, settings), "\n")[2]; !strings.HasSuffix(line,
		" "+strings.Repeat("a", 60)+"…: "+strings.Repeat("s", 120)+"…") {
		t.Errorf("got %q", line)
	}
}

// If the history does not lead back to the applied content, a sentence says so, and the
// plan puts the drift right as usual.
func TestTraceLost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	i := &instance{server: s}
	i.apply(t, settings)
	written := s.repo.Files(t, "prod")
	s.repo.DeleteBranch(t, "prod")
	written["large/web-live/reconciler.yaml"] = "edited: true\n"
	s.edit(t, "prod", written) // as after a force push
	const want = "The commits that caused the drift are not known: the history of "
	if got := i.traced(t, settings); !strings.HasPrefix(got, want) || !strings.Contains(got, "#prod does not contain the applied content.") {
		t.Errorf("got %q", got)
	}
	i.apply(t, settings)
	i.standsStill(t, settings)
	s.repo.DeleteBranch(t, "prod")
	if got := i.traced(t, settings); !strings.Contains(got, "#prod does not exist any more") {
		t.Errorf("got %q of a branch that is gone", got)
	}
}
