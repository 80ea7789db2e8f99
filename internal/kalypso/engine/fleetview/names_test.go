// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetview_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// everywhere is a fleet of two environments with texts in every place.
func everywhere(a, b string) deployments.Fleet {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	environment := func(name, text string) deployments.Environment {
		change := deployments.Change{
			Commit: text, Author: text, Subject: text, Time: at, PromotedCommits: []string{text}, Added: []string{text}, Changed: []string{text},
			Removed: []string{text}, Run: text,
		}
		health := deployments.Health{State: deployments.Unhealthy, Reason: text}
		return deployments.Environment{
			Name: name, Head: "c" + text, Time: at, PromotedCommits: []string{text}, Health: health, History: []deployments.Change{change},
			Unreadable: []string{text},
			Packages: []deployments.Package{{
				ClusterType: text, DeploymentTarget: name, Workload: text, Workspace: text, Namespace: text,
				Sources: []deployments.Source{{Kind: text, Repo: text, Ref: text, Path: text, Commit: text}},
				Values:  map[string]string{text: text}, Version: text, Build: text, Commit: text, Changed: change, Health: health,
				Unreadable: []string{text},
			}},
		}
	}
	return deployments.Fleet{
		Environments: []deployments.Environment{environment(a, b), environment(b, a)},
		Discrepancies: []deployments.Discrepancy{
			{Kind: deployments.OtherValue, Workload: a, ClusterType: b, Key: a, Left: a, Right: b, LeftValue: b, RightValue: a, Text: a},
			{Kind: deployments.DiscrepancyKind(a), Workload: b, Left: a, Right: b, LeftValue: a, RightValue: b, Text: b},
		},
	}
}

var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	expected = regexp.MustCompile(`^</?(p|h[123]|table|thead|tbody|tr|th|td|code|pre|ul|li)>$|^<code class="language-mermaid">$|^<a href="https?://[^"]*">$|^</a>$`)
	drawing  = regexp.MustCompile(`^  ([tc]\d+[(\[]"[^"]*"[)\]]|t\d+ (-->|-\.->) c\d+)$`)
)

// No text of a fleet becomes structure, a link, a mention or a script, in Markdown or on
// the page.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{
		"a|b", "a\\|b", "`code`", "``", "a\nb", "| a |\n|---|", "<script>x</script>", "</script><script>x</script>", "<!--", "-->", "]]>",
		"{{data}}", "{{script}}",
		"@octocat #1 https://example.com www.example.com a@example.com", "*b* _i_ ~~s~~ [l](https://e.com) ![i](x)", "&lt;b&#62; &amp;",
		"javascript:alert(1)", "https://e.com/a|b", "https://e.com/<x>)", "http://\x80",
		"# h", "- x", "1. x", "> q", "```mermaid", `"]; click x "https://e.com"`, "end", "\x00\x1b[31m\u202e", "\xff", "   ", "$x$ \\(y\\)",
		"---", "===", "\u2028",
	} {
		f.Add(seed, "shop")
		f.Add("dev", seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		fleet := everywhere(a, b)
		text := fleetview.Markdown(fleet)
		checkMarkdown(t, text, strings.HasPrefix(a, "http") || strings.HasPrefix(b, "http"))
		checkPage(t, fleetview.Page(fleet))
	})
}

func checkMarkdown(t *testing.T, text string, links bool) {
	t.Helper()
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(text),
		&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, tag := range tags.FindAllString(page, -1) {
		if !expected.MatchString(tag) || !links && tag == "</a>" {
			t.Fatalf("there is a tag %s in\n%s\nrendered from\n%s", tag, page, text)
		}
	}
	if got := strings.Count(page, "<h1>") + 10*strings.Count(page, "<h2>"); got != 31 || !utf8.ValidString(text) {
		t.Fatalf("the headings are others in\n%s\nrendered from\n%s", page, text)
	}
	for picture := range strings.SplitSeq(text, "flowchart LR\n") {
		if strings.HasPrefix(picture, "# ") {
			continue
		}
		picture, _, _ = strings.Cut(picture, "\n```")
		for line := range strings.SplitSeq(picture, "\n") {
			if !drawing.MatchString(line) {
				t.Fatalf("the picture has a line %q", line)
			}
		}
	}
}

// checkPage expects that a page equals an empty page, except for the data.
func checkPage(t *testing.T, page string) {
	t.Helper()
	got, want := elements(t, page), elements(t, fleetview.Page(deployments.Fleet{}))
	if !slices.Equal(got, want) {
		t.Fatalf("the page has the elements %q, not %q", got, want)
	}
}

// elements returns the elements of a page with their attributes and texts, without the data.
func elements(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	tokens, isData := nethtml.NewTokenizer(strings.NewReader(page)), false
	for kind := tokens.Next(); kind != nethtml.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		if !isData {
			all = append(all, token.String())
		}
		isData = kind == nethtml.StartTagToken && slices.Contains(token.Attr, nethtml.Attribute{Key: "id", Val: "data"})
	}
	return all
}

// The same fleet gives the same output, for any order of its discrepancies.
func TestOrder(t *testing.T) {
	t.Parallel()
	fleet := deployed.Fleet(60)
	page, text := fleetview.Page(fleet), fleetview.Markdown(fleet)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(fleet.Discrepancies), func(i, j int) {
		fleet.Discrepancies[i], fleet.Discrepancies[j] = fleet.Discrepancies[j], fleet.Discrepancies[i]
	})
	shuffled := slices.Clone(fleet.Discrepancies)
	if fleetview.Page(fleet) != page || fleetview.Markdown(fleet) != text {
		t.Error("the order shows")
	}
	if !slices.Equal(fleet.Discrepancies, shuffled) {
		t.Error("the fleet itself has changed")
	}
}
