// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// applies applies a configuration, and returns the messages.
func (w workspace) applies(t testing.TB, config string, args ...string) []diagnostic {
	t.Helper()
	w.write(t, "main.tf", config)
	said, ok := w.diagnostics(t, append([]string{"apply", "-auto-approve"}, args...)...)
	if !ok {
		t.Fatalf("it was not applied: %+v", said)
	}
	return said
}

// settled expects that nothing is left to do.
func (w workspace) settled(t testing.TB) {
	t.Helper()
	w.mustRun(t, "plan", "-detailed-exitcode")
}

// diagnostic is a warning or an error of the CLI.
type diagnostic struct{ Severity, Summary, Detail string }

// diagnostics runs the CLI, and returns its messages and whether it succeeded.
func (w workspace) diagnostics(t testing.TB, args ...string) (said []diagnostic, ok bool) {
	t.Helper()
	out, err := w.command(slices.Insert(slices.Clone(args), 1, "-json")...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var message struct{ Diagnostic diagnostic }
		if err := json.Unmarshal(line, &message); err != nil {
			t.Fatalf("%v: %s\n%s", err, line, out)
		}
		if message.Diagnostic.Summary != "" {
			said = append(said, message.Diagnostic)
		}
	}
	return said, err == nil
}

// expectSaid checks that a message has this beginning and contains the words.
func expectSaid(t testing.TB, said []diagnostic, severity, summary string, words ...string) {
	t.Helper()
	if !says(said, severity, summary, words...) {
		t.Errorf("no %s %q says %q, but:\n%+v", severity, summary, words, said)
	}
}

// says reports whether a message has this beginning and contains the words.
func says(said []diagnostic, severity, summary string, words ...string) bool {
	return slices.ContainsFunc(said, func(d diagnostic) bool {
		lacks := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(d.Detail, word) })
		return d.Severity == severity && strings.HasPrefix(d.Summary, summary) && !lacks
	})
}

// expectOwned checks that the branch prod has the whole fleet in a family, and that nothing is left to
// do.
func expectOwned(t *testing.T, w workspace, r gitServer, family string) {
	t.Helper()
	files := packageFiles(t, r, "prod")
	delete(files, "docs/index.md")
	if diff := cmp.Diff(slices.Sorted(slices.Values(fixtureFiles)), slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files of prod (-want +got):\n%s", diff)
	}
	if text := files["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+family) {
		t.Errorf("the branch does not hold family %s:\n%s", family, text)
	}
	w.settled(t)
}

// expectFiles checks the files of a branch, except records.
func expectFiles(t *testing.T, r gitServer, branch string, want ...string) {
	t.Helper()
	got := slices.Sorted(maps.Keys(packageFiles(t, r, branch)))
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", branch, diff)
	}
}

// expectNeverGone checks that each commit of a branch holds all of these files, from the
// first one on that does.
func expectNeverGone(t testing.TB, repo gittest.Repository, branch string, files ...string) {
	t.Helper()
	came := false
	for _, commit := range repo.Commits(t, branch) {
		held := repo.Paths(t, commit)
		gone := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return slices.Contains(held, file) })
		if came = came || len(gone) == 0; came && len(gone) > 0 {
			t.Errorf("%s are gone in %s", gone, repo.Message(t, commit))
		}
	}
	if !came {
		t.Errorf("no commit of %s holds %s", branch, files)
	}
}

// called renames the commit of a configuration.
func called(name, config string) string {
	return strings.Replace(config, `"kalypso_gitops_commit" "prod"`, fmt.Sprintf("\"kalypso_gitops_commit\" %q", name), 1)
}
