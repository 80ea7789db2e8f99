// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// Report is the change that a job makes. The warning of a plan and the body of a pull request
// print it.
type Report struct {
	// Totals is the first line: "+2 ~1 -0 packages in 2 cluster types".
	Totals string
	// Clusters are lines about what the change does to clusters, and Notes are sentences about it as a whole.
	Clusters, Notes []string
	// Before and After are the digests of the packages.
	Before, After engine.Digests
	// Policies are the scheduling policies that place the packages, by their keys.
	Policies map[string][]string
	// Sources are the followed branches that the change reads at other commits.
	Sources []SourceChange
	// Files are the changed files, and FilesNote says which files cannot be shown.
	Files     []diff.FileChange
	FilesNote string
	// Run is the run that makes the change.
	Run forge.Run
}

// SourceChange is a followed branch, "<repo>#<branch>", with its commits before and after the
// change; empty for none.
type SourceChange struct{ Source, From, To string }

const (
	// maxRows and maxRow are how many lines the summary has for deployment targets, and how many bytes one of
	// them may have.
	maxRows, maxRow = 40, 400
	commitDigits    = 12
	// maxBody is how many bytes a body may have, if the forge takes as many.
	maxBody = 60_000
)

// Warning prints the report for a plan: the summary, an empty line, and the diff up to so many
// lines. Terraform wraps lines like prose unless they are indented.
func (r Report) Warning(maxLines int) string {
	text := r.Totals
	for _, line := range slices.Concat(indented(r.Clusters), r.Notes, indented(r.rows(maxRows))) {
		text += "\n" + line
	}
	shown, left := diff.Unified(r.Files, diff.Limit{Lines: maxLines, Bytes: 1 << 30})
	shown = r.FilesNote + shown
	if left != "" {
		shown += fmt.Sprintf("(left out: %s. For all, set max_diff_lines of the provider)\n", left)
	}
	if shown == "" {
		return text
	}
	return text + "\n\n" + strings.Join(indented(strings.Split(strings.TrimSuffix(shown, "\n"), "\n")), "\n")
}

func indented(lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = " " + line
	}
	return all
}

// Body prints the report for the body of a request, in at most limit bytes: the summary and the
// diff up to so many lines, each in a block of its own. The forge shows the files that are left out.
func (r Report) Body(maxLines, limit int) string {
	limit = min(limit, maxBody)
	const room = 300 // for the fences and the lines about what is left out
	lines := slices.Concat([]string{r.Totals}, r.Clusters, r.Notes, r.rows(maxRows))
	if r.Run.Name != "" {
		lines = append(lines, "(made by "+wording.Shorten(wording.Line(r.Run.Name), maxRow)+")")
	}
	fits, size := 0, room
	for ; fits < len(lines) && size+len(lines[fits]) < limit; fits++ {
		size += len(lines[fits]) + len("\n")
	}
	summary := strings.Join(lines[:fits], "\n") + "\n"
	if more := len(lines) - fits; more > 0 {
		summary += fmt.Sprintf("(left out: %s)\n", wording.Count(more, "more line"))
	}
	text := fenced(summary)
	if link := "\n<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(r.Run.URL) + ">\n"; r.Run.URL != "" && size+len(link) < limit {
		text, size = text+link, size+len(link)
	}
	if len(r.Files) == 0 || maxLines == 0 {
		return text
	}
	shown, left := diff.Unified(r.Files, diff.Limit{Lines: maxLines, Bytes: max(0, limit-size-len(r.FilesNote))})
	shown = r.FilesNote + shown
	if left != "" {
		shown += fmt.Sprintf("(left out: %s. The files of the request show the whole change)\n", left)
	}
	if block := "\n" + fenced(shown); len(text)+len(block) <= limit {
		text += block
	}
	return text
}

// fenced puts lines into a block of Markdown that none of its lines can end.
func fenced(text string) string {
	fence := "```"
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " ")
		if ticks := len(line) - len(strings.TrimLeft(line, "`")); ticks >= len(fence) {
			fence = strings.Repeat("`", ticks+1)
		}
	}
	return fence + "diff\n" + text + fence + "\n"
}

// change is a line of the summary: what happens to the packages of one deployment target that the
// same policies place.
type change struct {
	sign     byte
	target   string
	from, to []string // cluster types
	policies []string
}

// rows are the lines of the summary below its notes: removed, moved, added and changed deployment targets,
// at most so many, and then the sources.
func (r Report) rows(most int) (lines []string) {
	changes := r.changes()
	for _, c := range changes[:min(len(changes), most)] {
		lines = append(lines, c.String())
	}
	if more := len(changes) - most; more > 0 {
		lines = append(lines, "and "+wording.Count(more, "more deployment target"))
	}
	short := func(commit string) string { return cmp.Or(commit[:min(len(commit), commitDigits)], "none") }
	for _, s := range r.Sources[:min(len(r.Sources), wording.MaxListed)] {
		lines = append(lines, line("~ source %s: %s -> %s", s.Source, short(s.From), short(s.To)))
	}
	if more := len(r.Sources) - wording.MaxListed; more > 0 {
		lines = append(lines, "and "+wording.Count(more, "more source"))
	}
	return lines
}

// Changes are the first rows of some changed packages, indented, for an error. The report has more.
func Changes(before, after engine.Digests, keys []string) string {
	only := func(digests engine.Digests) engine.Digests {
		some := engine.Digests{}
		for _, key := range keys {
			if digest, ok := digests[key]; ok {
				some[key] = digest
			}
		}
		return some
	}
	return strings.Join(indented(Report{Before: only(before), After: only(after)}.rows(wording.MaxListed)), "\n")
}

func line(format string, values ...any) string {
	return wording.Shorten(wording.Line(fmt.Sprintf(format, values...)), maxRow)
}

// String is the line: "+ web-live on edge, cloud, by policy web".
func (c change) String() string {
	from, to := wording.First(c.from, wording.MaxListed), wording.First(c.to, wording.MaxListed)
	text := fmt.Sprintf("%c %s on %s", c.sign, c.target, cmp.Or(to, from))
	if c.sign == '>' {
		text = fmt.Sprintf("> %s: %s -> %s", c.target, from, to)
	}
	switch len(c.policies) {
	case 0:
	case 1:
		text += ", by policy " + c.policies[0]
	default:
		text += ", by policies " + wording.First(c.policies, wording.MaxListed)
	}
	return line("%s", text)
}

// changes are the changed packages by deployment target. A target that leaves some cluster types and
// comes to others moves.
func (r Report) changes() []*change {
	known := map[string]*change{}
	var all []*change
	find := func(sign byte, target string, policies []string) *change {
		key := fmt.Sprintf("%c %q %q", sign, target, policies)
		if known[key] == nil {
			known[key] = &change{sign: sign, target: target, policies: policies}
			all = append(all, known[key])
		}
		return known[key]
	}
	leaves, comes := map[string][]string{}, map[string][]string{} // cluster types by target
	for _, key := range r.Before.Differing(r.After) {
		clusterType, target, _ := strings.Cut(key, "/")
		switch {
		case !engine.IsPackage(key):
		case r.After[key] == "":
			leaves[target] = append(leaves[target], clusterType)
		case r.Before[key] == "":
			comes[target] = append(comes[target], clusterType)
		default:
			changed := find('~', target, nil)
			changed.to = append(changed.to, clusterType)
		}
	}
	for target, from := range leaves {
		sign := byte('-')
		if len(comes[target]) > 0 {
			sign = '>'
		}
		gone := find(sign, target, nil)
		gone.from, gone.to = from, comes[target]
		for _, clusterType := range gone.to {
			gone.policies = wording.Sorted(append(gone.policies, r.Policies[clusterType+"/"+target]...))
		}
	}
	for target, to := range comes {
		for _, clusterType := range to {
			if leaves[target] == nil {
				added := find('+', target, r.Policies[clusterType+"/"+target])
				added.to = append(added.to, clusterType)
			}
		}
	}
	slices.SortFunc(all, func(a, b *change) int {
		const order = "->+~"
		return cmp.Or(cmp.Compare(strings.IndexByte(order, a.sign), strings.IndexByte(order, b.sign)), cmp.Compare(a.target, b.target),
			slices.Compare(a.policies, b.policies))
	})
	return all
}
