// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page_test

import (
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/page"
)

// everywhere is a fleet of two environments with texts in every place.
func everywhere(a, b string) inventory.Fleet {
	environment := func(name, text string) inventory.Environment {
		change := inventory.Change{
			Commit: text, Author: text, Subject: text, Time: text, Releases: []string{text}, Added: []string{text}, Changed: []string{text},
			Removed: []string{text}, Run: text,
		}
		health := inventory.Health{State: inventory.Unhealthy, Reason: text}
		return inventory.Environment{
			Name: name, Head: "c" + text, Time: text, Releases: []string{text}, Health: health, History: []inventory.Change{change},
			Unreadable: []string{text}, Clusters: []inventory.Cluster{{Name: text, ClusterType: text, Health: health}},
			Packages: []inventory.Package{{
				ClusterType: text, DeploymentTarget: name, Workload: text, Workspace: text, Namespace: text,
				Sources: []inventory.Source{{Kind: text, Repo: text, Ref: text, Path: text}},
				Values:  map[string]string{text: text}, Version: text, Build: text, Commit: text, Health: health,
				Changed:    &inventory.LastChange{Commit: text, Author: text, Subject: text, Time: text},
				Unreadable: []string{text},
			}},
		}
	}
	return inventory.Fleet{
		Environments: []inventory.Environment{environment(a, b), environment(b, a)},
		Comparisons: []inventory.Comparison{{Left: a, Right: b, Rows: []inventory.Row{
			{Workload: a, ClusterType: b, What: a, Left: b, Right: a}, {Workload: b, What: b, Left: a, Right: b},
		}}},
	}
}

// No text of a fleet becomes an element of the page.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{
		"<script>x</script>", "</script><script>x</script>", "<!--", "-->", "]]>", "{{data}}", "{{script}}", "&lt;b&#62; &amp;",
		"javascript:alert(1)", "http://\x80", "\x00\x1b[31m\u202e", "\xff", "\u2028",
	} {
		f.Add(seed, "shop")
		f.Add("dev", seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkPage(t, page.Page(everywhere(a, b)))
	})
}

// checkPage expects that a page equals an empty page, except for the data.
func checkPage(t *testing.T, html string) {
	t.Helper()
	got, want := elements(t, html), elements(t, page.Page(inventory.Fleet{}))
	if !slices.Equal(got, want) {
		t.Fatalf("the page has the elements %q, not %q", got, want)
	}
}

// elements returns the elements of a page with their attributes and texts, without the data.
func elements(t *testing.T, html string) []string {
	t.Helper()
	var all []string
	tokens, isData := nethtml.NewTokenizer(strings.NewReader(html)), false
	for kind := tokens.Next(); kind != nethtml.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		if !isData {
			all = append(all, token.String())
		}
		isData = kind == nethtml.StartTagToken && slices.Contains(token.Attr, nethtml.Attribute{Key: "id", Val: "data"})
	}
	return all
}
