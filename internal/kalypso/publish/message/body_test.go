// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// maxBody is how many bytes most forges accept.
const maxBody = 65536

// example is a change with something of everything.
var example = Description{
	Summary: "+1 ~1 -1 packages in 2 cluster types",
	Packages: []PackageChange{
		{ClusterType: "large", Package: "hello-world-app-uat-test", Kind: Removed, Policies: []string{"uat-test-policy"}},
		{ClusterType: "drone", Package: "hello-world-app-functional-test", Kind: Added,
			Policies: []string{"edge-policy", "functional-test-policy"}},
		{ClusterType: "large", Package: "hello-world-app-functional-test", Kind: Changed},
	},
	Sources: []SourceChange{
		{Source: "https://github.com/octo/hello-world#main", From: strings.Repeat("1a", 20), To: strings.Repeat("2b", 20)},
		{Source: "https://github.com/octo/new-app#main", To: strings.Repeat("3c", 20)},
	},
	Unassigned: []string{"hello-world-app-performance-test"},
	Run:        Run{Name: "HCP Terraform run run-abc", URL: "https://app.terraform.io/app/octo/workspaces/dev/runs/run-abc"},
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join("testdata", "request.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), example.Markdown(maxBody)+"\n"); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (Description{}).Markdown(maxBody); got != "" {
		t.Errorf("no change renders as %q", got)
	}
}

// A picture of many edges would be no picture.
func TestMarkdownManyEdges(t *testing.T) {
	t.Parallel()
	for edges, drawn := range map[int]bool{markdown.MaxEdges: true, markdown.MaxEdges + 1: false} {
		var c Description
		for i := range edges {
			c.Packages = append(c.Packages, PackageChange{Package: fmt.Sprint("t", i), ClusterType: "drone", Kind: Added})
		}
		if got := c.Markdown(maxBody); strings.Contains(got, "mermaid") != drawn {
			t.Errorf("%d edges render as %q", edges, got)
		}
	}
}

// A body is never longer than the forge takes, and says what is missing.
func TestMarkdownLimit(t *testing.T) {
	t.Parallel()
	c := example
	c.Packages = nil
	for i := range 2000 {
		c.Packages = append(c.Packages, PackageChange{ClusterType: fmt.Sprintf("cluster-type-%04d", i), Package: "größe", Kind: Changed,
			Policies: []string{"p"}})
	}
	whole := c.Markdown(1 << 30)
	if strings.Contains(whole, "left out") {
		t.Error("a body that fits says that it is cut")
	}
	for limit := 300; limit < len(whole)+9973; limit += 9973 {
		got := c.Markdown(limit)
		switch {
		case len(got) > limit:
			t.Errorf("limit %d: %d bytes", limit, len(got))
		case !utf8.ValidString(got):
			t.Errorf("limit %d: not valid UTF-8", limit)
		case strings.Count(got, "```")%2 != 0:
			t.Errorf("limit %d: a fence is open", limit)
		case got != whole && !regexp.MustCompile(`\d+ lines are left out`).MatchString(got):
			t.Errorf("limit %d: does not say that it is cut: …%s", limit, got[max(0, len(got)-200):])
		}
	}
	if got := c.Markdown(maxBody); !strings.Contains(got, "cluster-type-0001`") || strings.Contains(got, "cluster-type-1999`") {
		t.Error("the beginning is not what is kept")
	}
}

// render renders Markdown as forges do: with tables, links that nobody wrote as
// such, and HTML.
func render(t testing.TB, markdown string) string {
	t.Helper()
	var out bytes.Buffer
	forge := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := forge.Convert([]byte(markdown), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	expected = regexp.MustCompile(`^</?(p|h3|table|thead|tbody|tr|th|td|code|pre|ul|li|strong|blockquote)>$|^<code class="language-mermaid">$`)
	drawing  = regexp.MustCompile(`^  ([tc]\d+[(\[]"[^"]*"[)\]]|t\d+ (-->|-\.->)\|(added|changed|removed)\| c\d+)$`)
)

// Nothing that a fleet holds becomes structure, a link, a mention or a comment.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"a|b", "a\\|b", "`code`", "``", "a\nb", "| a |\n|---|", "<script>x</script>", "<!-- terraform-provider-kalypso {} -->", "-->",
		"@octocat #1 https://example.com www.example.com a@example.com", "*b* _i_ ~~s~~ [l](https://e.com) ![i](x)", "&lt;b&#62; &amp;",
		"# h", "- x", "1. x", "> q", "```mermaid", `"]; click x "https://e.com"`, "end", "\x00\x1b[31m\u202e", "\xff", "   ", "$x$ \\(y\\)",
		"---", "===",
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		c := Description{
			Summary: a,
			Packages: []PackageChange{{ClusterType: a, Package: b, Kind: Added, Policies: []string{a, b}},
				{ClusterType: b, Package: a, Kind: Removed}},
			Unassigned: []string{a, b},
			Run:        Run{Name: a},
		}
		text := c.Markdown(maxBody)
		page := render(t, text)
		for _, tag := range tags.FindAllString(page, -1) {
			if !expected.MatchString(tag) {
				t.Fatalf("there is a tag %s in\n%s\nrendered from\n%s", tag, page, text)
			}
		}
		for tag, want := range map[string]int{"<tr>": 3, "<td>": 2 * 4, "<th>": 4, "<h3>": 3, "<li>": 2, "<table>": 1, "<pre>": 1} {
			if got := strings.Count(page, tag); got != want {
				t.Fatalf("there are %d %s, not %d, in\n%s\nrendered from\n%s", got, tag, want, page, text)
			}
		}
		if strings.Contains(text, "<!--") || !utf8.ValidString(text) {
			t.Fatalf("a comment or broken text in\n%s", text)
		}
		_, picture, _ := strings.Cut(text, "flowchart LR\n")
		picture, _, _ = strings.Cut(picture, "\n```")
		for line := range strings.SplitSeq(picture, "\n") {
			if !drawing.MatchString(line) {
				t.Fatalf("the picture has a line %q", line)
			}
		}
	})
}
