// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func baseRepo(name, commit string) string {
	return "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata:\n  name: " + name +
		"\nspec:\n  repo: https://git.example/fleet\n  branch: main\n  path: .\n" + commit
}

const (
	pinned   = "5523a85f37d12c0c7c10ab6616644db089fcd6f7"
	newer    = "d190bca015ecc13327d599b62c43ecffa8aad5aa"
	atPinned = "  commit: " + pinned + "\n"
	atNewer  = "  commit: " + newer + "\n"
)

// commitsOf are the commits of the BaseRepos of a text, by their names.
func commitsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	objects, err := manifest.Decode(inputs(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	all := map[string]string{}
	for _, b := range manifest.Of[*manifest.BaseRepo](objects) {
		all[b.Name] = b.Commit
	}
	return all
}

// A changed document keeps its content, except the commit.
func TestWithCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"another commit": {"# Ours\n" + baseRepo("main", atPinned), baseRepo("main", atNewer)},
		"none":           {baseRepo("main", ""), baseRepo("main", atNewer)},
		"just that":      {"# Ours\n" + baseRepo("main", atNewer), "# Ours\n" + baseRepo("main", atNewer)},
		"with an end":    {baseRepo("main", atPinned) + "...\n", baseRepo("main", atNewer)},
		"a workload":     {workload("metadata: {name: main}\n"), workload("metadata: {name: main}\n")},
	} {
		d := documentsOf(t, test.text)[0].WithCommit(newer)
		if diff := cmp.Diff("# Source: x, line 1\n"+test.want, d.Excerpt("x")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if b, ok := d.Object.(*manifest.BaseRepo); ok && b.Commit != newer {
			t.Errorf("%s: the object is at %q", name, b.Commit)
		}
	}
	second := documentsOf(t, workload("metadata: {name: w}\n")+"---\n"+baseRepo("main", atPinned))[1].WithCommit(newer)
	if got, want := second.Excerpt("x"), "# Source: x, line 5\n---\n"+baseRepo("main", atNewer); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A changed input keeps its objects and its origin. Other inputs do not change.
func TestTextWithCommit(t *testing.T) {
	t.Parallel()
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: main}\n"
	before := workload("metadata: {name: w}\n") + "---\n" + secret + "---\n"
	both := before + baseRepo("main", atPinned) + "---\n" + baseRepo("other", atPinned)
	for name, text := range map[string]string{
		"others": before + baseRepo("other", atPinned), "at it": "# Mine\n" + baseRepo("main", atNewer), "broken": baseRepo("main", "commit: ["),
		"nothing": "",
	} {
		if got := (manifest.Text{Text: text}).WithCommit(newer).Text; got != text {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	got := manifest.Text{Text: both}.WithCommit(newer).Text
	if diff := cmp.Diff(map[string]string{"main": newer, "other": pinned}, commitsOf(t, got)); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	if objects, err := manifest.Decode(inputs(got)); err != nil || len(objects) != 3 || strings.Contains(got, "Secret") {
		t.Errorf("%d objects, error %v:\n%s", len(objects), err, got)
	}
	read := "# Source: https://git.example/fleet#dev:main.yaml, line 7\n---\n" + baseRepo("main", "")
	if got, want := (manifest.Text{Text: read}).WithCommit(newer).Text,
		"# Source: https://git.example/fleet#dev:main.yaml, line 7\n"+baseRepo("main", atNewer); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	list := "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: scheduler.kalypso.io/v1alpha1, kind: BaseRepo, metadata: {name: main}, " +
		"spec: {repo: https://git.example/fleet, branch: main, path: .}}\n"
	if diff := cmp.Diff(map[string]string{"main": newer}, commitsOf(t, manifest.Text{Text: list}.WithCommit(newer).Text)); diff != "" {
		t.Errorf("a list (-want +got):\n%s", diff)
	}
}
