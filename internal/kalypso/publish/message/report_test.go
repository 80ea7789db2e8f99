// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// newFile is the change that adds a file.
func newFile(path, content string) diff.FileChange {
	return diff.FileChange{Path: path, New: &diff.File{Mode: tree.ModeFile, ID: tree.File("", []byte(content)).ID, Content: []byte(content)}}
}

// example is a report with something of everything.
func example() message.Report {
	r := message.Report{
		Totals:   "+23 ~5 -2 packages in 24 cluster types",
		Clusters: []string{"STOPS on cluster type hub: Job a (template jobs)"},
		Notes:    []string{"The fleet is unchanged."},
		Before:   engine.Digests{"cloud/shop-live": "1", "cloud/search-live": "1", "cloud/README.md": "1"},
		After:    engine.Digests{"edge/shop-live": "1", "cloud/README.md": "2", "edge/pay-test": "1", "hub/pay-test": "1"},
		Policies: map[string][]string{"edge/shop-live": {"edge-shops"}, "edge/pay-test": {"pay"}, "hub/pay-test": {"all", "hubs"},
			"cloud/pay-live": {"pay"}},
		Sources:   []message.SourceChange{{Source: "https://github.com/octo/hello#main", To: strings.Repeat("2b", 20)}},
		Files:     []diff.FileChange{newFile("edge/pay-test/a.yaml", "a: 1\n")},
		FilesNote: "(The files of folders that exist already are not shown.)\n",
		Run:       forge.Run{Name: "GitHub Actions run 7", URL: "https://ci.example/7?<x>"},
	}
	for i := range 20 {
		key := fmt.Sprintf("site-%02d/billing-web", i)
		r.After[key], r.Policies[key] = "1", []string{"billing-web"}
	}
	for i := range 5 {
		key := fmt.Sprintf("site-%02d/pay-live", i)
		r.Before[key], r.After[key] = "1", "2"
	}
	for i := range 4 {
		r.Sources = append(r.Sources, message.SourceChange{Source: fmt.Sprint("s", i), From: strings.Repeat("1a", 20)})
	}
	return r
}

// The plan's warning: a summary without an empty line, an empty line, and the diff.
func TestWarning(t *testing.T) {
	t.Parallel()
	const summary = `+23 ~5 -2 packages in 24 cluster types
 STOPS on cluster type hub: Job a (template jobs)
The fleet is unchanged.
 - search-live on cloud
 > shop-live: cloud -> edge, by policy edge-shops
 + billing-web on site-00, site-01, site-02 and 17 more, by policy billing-web
 + pay-test on hub, by policies all, hubs
 + pay-test on edge, by policy pay
 ~ pay-live on site-00, site-01, site-02 and 2 more
 ~ source https://github.com/octo/hello#main: none -> 2b2b2b2b2b2b
 ~ source s0: 1a1a1a1a1a1a -> none
 ~ source s1: 1a1a1a1a1a1a -> none
 and 2 more sources

 (The files of folders that exist already are not shown.)
 diff --git a/edge/pay-test/a.yaml b/edge/pay-test/a.yaml
 new file mode 100644
`
	const rest = ` index 0000000..a8926a5
 --- /dev/null
 +++ b/edge/pay-test/a.yaml
 @@ -0,0 +1 @@
 +a: 1`
	for lines, want := range map[int]string{
		100: summary + rest,
		2:   summary + " (left out: 5 lines of edge/pay-test/a.yaml. For all, set max_diff_lines of the provider)",
	} {
		got := example().Warning(lines)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d lines (-want +got):\n%s", lines, diff)
		}
	}
	if got := (message.Report{Totals: "no package changes"}).Warning(100); got != "no package changes" {
		t.Errorf("a report without files is %q", got)
	}
}

// The body has the same lines in blocks that Markdown shows unchanged.
func TestBody(t *testing.T) {
	t.Parallel()
	unindented := strings.ReplaceAll("\n"+example().Warning(100), "\n ", "\n")[1:]
	summary, files, _ := strings.Cut(unindented, "\n\n")
	want := "```diff\n" + summary + "\n(made by GitHub Actions run 7)\n```\n\n<https://ci.example/7?%3Cx%3E>\n\n```diff\n" + files + "\n```\n"
	if diff := cmp.Diff(want, example().Body(100, 1<<20)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := example().Body(0, 1<<20); !strings.HasSuffix(got, "<https://ci.example/7?%3Cx%3E>\n") {
		t.Errorf("max_diff_lines = 0 shows a diff:\n%s", got)
	}
}

// A change of thousands of packages has a short summary, and a body that the forge takes. It is cut
// between lines and files, and says how much is missing.
func TestReportOfMassChange(t *testing.T) {
	t.Parallel()
	r := message.Report{Totals: "+0 ~3000 -0 packages in 12 cluster types", Before: engine.Digests{}, After: engine.Digests{},
		Run: forge.Run{Name: "x", URL: "https://ci.example/" + strings.Repeat("x", 1000)}}
	for i := range 252 {
		for j := range 12 {
			key := fmt.Sprintf("site-%02d/größe-%03d", j, i)
			r.Before[key], r.After[key] = "1", "2"
			r.Files = append(r.Files, newFile(key+"/a.yaml", strings.Repeat(fmt.Sprintf("%s: %d\n", key, i), 20)))
		}
	}
	warning, _, _ := strings.Cut(r.Warning(100), "\n\n")
	if lines := strings.Split(warning, "\n"); len(lines) != 42 || lines[41] != " and 212 more deployment targets" {
		t.Errorf("the summary has %d lines:\n%s", len(lines), warning)
	}
	for limit := 400; limit < 200_000; limit += limit/4 + 7 {
		body := r.Body(100_000, limit)
		switch {
		case len(body) > min(limit, 60_000):
			t.Errorf("limit %d: %d bytes", limit, len(body))
		case !utf8.ValidString(body):
			t.Errorf("limit %d: not valid UTF-8", limit)
		case strings.Count(body, "```")%2 != 0:
			t.Errorf("limit %d: a fence is open", limit)
		case !strings.Contains(body, "(left out: "):
			t.Errorf("limit %d: does not say that it is cut: …%s", limit, body[max(0, len(body)-200):])
		}
	}
}

// Nothing that a fleet holds ends a block: everything is text in it.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{"a|b", "```", "````\n# h", "```\n```diff",
		"<script>", "<!-- x -->", "@octocat #1", "a\nb", "~~~", "\xff\u202e", "   ```"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		text := message.Report{
			Totals: "+1", Before: engine.Digests{}, After: engine.Digests{"edge/" + a: "1"}, Policies: map[string][]string{"edge/" + a: {b}},
			Sources: []message.SourceChange{{Source: b}}, Files: []diff.FileChange{newFile("edge/a", a+"\n ```\n"+b),
				{Path: "edge/b", Old: newFile("", "1\n"+a+"\n"+b+"\n").New, New: newFile("", "2\n"+a+"\n"+b+"\n").New}},
			Run: forge.Run{Name: a},
		}.Body(1000, 1<<20)
		var page bytes.Buffer
		forge := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
		if err := forge.Convert([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		outside := page.String()
		for range 2 {
			_, after, isBlock := strings.Cut(outside, `<pre><code class="language-diff">`)
			_, outside, _ = strings.Cut(after, "</code></pre>\n")
			if !isBlock {
				t.Fatalf("a block is missing in\n%s\nrendered from\n%s", page.String(), text)
			}
		}
		if outside != "" {
			t.Fatalf("there is %q outside of the blocks of\n%s", outside, text)
		}
	})
}
