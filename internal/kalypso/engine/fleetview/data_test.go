// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetview_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// The page has all facts of a fleet, except facts that it has in another form.
func TestPageHasAll(t *testing.T) {
	t.Parallel()
	full := deployed.Full()
	page, missing := fleetview.Page(full), map[string]bool{}
	for field, texts := range deployed.Texts(full) {
		for _, text := range texts {
			if !strings.Contains(page, `"`+text+`"`) {
				missing[field] = true
			}
		}
	}
	const ofPackage = ".Environments.Packages"
	want := []string{".Discrepancies.Kind", ".Discrepancies.Text"} // it has the kind's name
	for _, field := range []string{"Added", "Changed", "PromotedCommits", "Removed", "Run", "Subject"} {
		want = append(want, ofPackage+".Changed."+field)
	}
	want = append(want, ofPackage+".ID")
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(missing))); diff != "" {
		t.Errorf("what is missing (-want +got):\n%s", diff)
	}
}

// No text contains invisible characters or reverses the text beside it, and long texts are
// cut.
func TestPageTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x00\x1b[31mb\x7f":                 `"a[31mb"`,
		"a\u202eb\u2066c\u200bd\ufeff":       `"abcd"`,
		"a\n\tb":                             `"a\n\tb"`,
		"a\xffb":                             "\"a\ufffdb\"",
		strings.Repeat("x", 4000):            `"` + strings.Repeat("x", 4000) + `"`,
		strings.Repeat("x", 4001):            `"` + strings.Repeat("x", 4000) + `…"`,
		"</script><script>alert(1)</script>": `"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e"`,
	} {
		page := fleetview.Page(deployments.Fleet{Environments: []deployments.Environment{{Name: "dev", Head: text}}})
		if !strings.Contains(page, want) {
			t.Errorf("%.40q: the page lacks %.40q", text, want)
		}
	}
}

// A list that is cut says so.
func TestMarkdownUnreadable(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"a.yaml: no YAML"}, 51)
	for n, want := range map[int]string{50: "", 51: "- and 1 more\n"} {
		text := fleetview.Markdown(deployments.Fleet{Environments: []deployments.Environment{{Name: "dev", Unreadable: lines[:n-1],
			Packages: []deployments.Package{{ClusterType: "large", DeploymentTarget: "web", Unreadable: lines[:1]}}}}})
		if got := strings.Count(text, "no YAML"); got != 50 || strings.Contains(text, "- and") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("of %d lines there are %d: %s", n, got, text)
		}
	}
}
