// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// docs is a foreign file, which no test may lose.
var docs = map[string][]byte{"docs/index.md": []byte("# Docs\n")}

var (
	applying   = []string{"apply", "-auto-approve"}
	planning   = []string{"plan"}
	destroying = []string{"destroy", "-auto-approve"}
)

// A replacement, asked for or triggered, takes nothing out of the branch in between. Before it is
// destroyed, it cannot be created in the same place.
func TestAccCLI_replaceWithoutGap(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(family string, createFirst bool) string {
		return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("on_destroy = \"delete\"\n  lifecycle {\n    "+
			"replace_triggered_by = [kalypso_workload.web]\n    create_before_destroy = %t\n  }", createFirst)})
	}
	w := newWorkspace(t, "")
	w.applies(t, config("blue", false))
	w.applies(t, config("blue", false), "-replace="+theCommit)
	w.applies(t, config("green", false))
	w.mustRun(t, "taint", theCommit)
	w.applies(t, config("green", false))
	expectOwned(t, w, r, "green")
	w.write(t, "main.tf", config("green", true))
	w.isRefused(t, r.repo, "apply -auto-approve -replace="+theCommit, "The GitOps repository was",
		"has folders large, small as owned")
	expectOwned(t, w, r, "green")
	expectNeverGone(t, r.repo, "prod", fixtureFiles...)
}

// With create_before_destroy, a change of path writes the new place before the old one is
// emptied. A value of on_destroy that no apply has written yet does not count.
func TestAccCLI_moveEmpties(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(path string, createFirst bool) string {
		return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("path = %q\n  on_destroy = \"empty\"\n  lifecycle {\n    "+
			"create_before_destroy = %t\n  }", path, createFirst)})
	}
	w := newWorkspace(t, "")
	w.applies(t, config("a", true))
	w.applies(t, config("b", true))
	w.settled(t)
	expectFiles(t, r, "prod", append(below("b", fixtureFiles), "a/large/README.md", "a/small/README.md")...)
	expectNeverGone(t, r.repo, "prod", below("b", fixtureFiles)...)
	both := false
	for _, commit := range r.repo.Commits(t, "prod") {
		paths := r.repo.Paths(t, commit)
		both = both || slices.Contains(paths, "a/large/web-live/reconciler.yaml") && slices.Contains(paths, "b/large/web-live/reconciler.yaml")
	}
	if !both {
		t.Error("no commit has the packages in both places")
	}
	w.applies(t, config("c", false)) // destroys first: it only releases
	expectNeverGone(t, r.repo, "prod", below("b", fixtureFiles)...)
	w.mustRun(t, destroying...)
	expectFiles(t, r, "prod", append(below("b", fixtureFiles), "a/large/README.md", "a/small/README.md", "c/large/README.md",
		"c/small/README.md")...)
}

// A destroy that failed leaves nothing behind: a later change of path does not empty the old
// place, even with on_destroy = "empty".
func TestAccCLI_failedDestroyThenMove(t *testing.T) {
	t.Parallel()
	r := newHTTP(t)
	w := newPlainWorkspace(t, r.gitServer)
	config := func(path string) string {
		return plainFleet("blue", "large small", "prod") +
			plainCommit("prod", "prod", "prod", fmt.Sprintf("path = %q\n  on_destroy = \"empty\"", path))
	}
	w.applies(t, config("a"))
	held := slices.Sorted(maps.Keys(packageFiles(t, r.gitServer, "prod")))
	w.write(t, "server.tf", fmt.Sprintf("%s\nlocals {\n  repo = %q\n}\n", r.reading(), r.url))
	w.fails(t, destroying, "The GitOps repository was")
	w.plainly(t, r.gitServer)
	w.applies(t, config("b"))
	w.settled(t)
	expectNeverGone(t, r.repo, "prod", held...)
}

// isRefused runs the CLI, and expects an error that begins so and holds the words, and that
// nothing is written.
func (w workspace) isRefused(t testing.TB, repo gittest.Repository, command, summary string, words ...string) {
	t.Helper()
	before := repo.Branches(t)
	said, ok := w.diagnostics(t, strings.Fields(command)...)
	if after := repo.Branches(t); ok || !maps.Equal(after, before) {
		t.Errorf("%s: it went well: %t; branches %s after %s", command, ok, after, before)
	}
	expectSaid(t, said, "error", summary, words...)
}
