// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// Description is the description of a change in a request's body.
type Description struct {
	// Summary is one line: "+2 ~1 -0 packages in 2 cluster types".
	Summary string
	// Packages are the added, changed and removed packages.
	Packages []PackageChange
	// Sources are the followed branches that the change reads at other commits.
	Sources []SourceChange
	// Unassigned are the deployment targets of the environment that no policy places.
	Unassigned []string
	// Run is the run that made the request.
	Run Run
}

// maxPolicies is how many policies of a package the body names. shownDigits is how many digits
// of a commit it shows.
const (
	maxPolicies = 20
	shownDigits = 12
)

// ChangeKind is the kind of a change of a package or a placement.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Changed ChangeKind = "changed"
	Removed ChangeKind = "removed"
)

// PackageChange is a changed package, and the scheduling policies that place it. A removed
// package has no policies.
type PackageChange struct {
	ClusterType, Package string
	Kind                 ChangeKind
	Policies             []string
}

// SourceChange is a followed branch, "<repo>#<branch>", with its commits before and after the
// change; empty for none.
type SourceChange struct{ Source, From, To string }

// Markdown renders the change for a reviewer, in at most limit bytes. Rows that do not fit are
// left out, and a line shows their number. Cost: linear in the change.
func (d Description) Markdown(limit int) string {
	blocks := []block{d.packages(), d.sources(), d.unassigned(), d.picture()}
	if line := d.Run.markdown(); line != "" {
		blocks = slices.Insert(blocks, 0, block{head: line})
	}
	if d.Summary != "" {
		blocks = slices.Insert(blocks, 0, block{head: markdown.Code(d.Summary)})
	}
	return assemble(blocks, limit)
}

func (d Description) packages() block {
	rows := slices.SortedStableFunc(slices.Values(d.Packages), func(a, b PackageChange) int {
		return cmp.Or(cmp.Compare(a.ClusterType, b.ClusterType), cmp.Compare(a.Package, b.Package))
	})
	if len(rows) == 0 {
		return block{}
	}
	b := block{head: "### Packages\n\n| Cluster type | Package | Change | Policies |\n|---|---|---|---|"}
	for _, p := range rows {
		b.rows = append(b.rows, markdown.Row(markdown.Code(p.ClusterType), markdown.Code(p.Package), string(p.Kind),
			markdown.Codes(p.Policies, maxPolicies)))
	}
	return b
}

func (d Description) sources() block {
	if len(d.Sources) == 0 {
		return block{}
	}
	commit := func(id string) string {
		if id == "" {
			return "–"
		}
		return markdown.Code(id[:min(len(id), shownDigits)])
	}
	b := block{head: "### Commits of the followed repositories\n\n| Repository and branch | Before | After |\n|---|---|---|"}
	for _, s := range d.Sources {
		b.rows = append(b.rows, markdown.Row(markdown.Code(s.Source), commit(s.From), commit(s.To)))
	}
	return b
}

func (d Description) unassigned() block {
	if len(d.Unassigned) == 0 {
		return block{}
	}
	b := block{head: "### Deployment targets that no policy places\n"}
	for _, target := range slices.Sorted(slices.Values(d.Unassigned)) {
		b.rows = append(b.rows, "- "+markdown.Code(target))
	}
	return b
}

// block is a part of a body: a head and rows. Single rows may be left out. The zero block is
// empty.
type block struct {
	head string
	rows []string
	// whole says that either all rows are written or none.
	whole bool
}

// assemble writes blocks in order while they fit into the limit.
func assemble(blocks []block, limit int) string {
	room := limit - len(leftOut(1<<30))
	var b strings.Builder
	left := 0
	for _, block := range blocks {
		left += block.write(&b, room)
	}
	if left > 0 {
		b.WriteString(leftOut(left))
	}
	return strings.TrimSpace(b.String())
}

// write appends the lines that fit, and returns the number of lines that it leaves out.
func (k block) write(b *strings.Builder, room int) (left int) {
	if k.head == "" {
		return 0
	}
	first := len(k.head) + len("\n\n")
	if k.whole {
		for _, row := range k.rows {
			first += len(row) + len("\n")
		}
	} else if len(k.rows) > 0 {
		first += len(k.rows[0]) + len("\n")
	}
	if b.Len()+first > room {
		return max(1, len(k.rows))
	}
	b.WriteString(k.head + "\n")
	for i, row := range k.rows {
		if b.Len()+len(row)+len("\n\n") > room {
			left = len(k.rows) - i
			break
		}
		b.WriteString(row + "\n")
	}
	b.WriteString("\n")
	return left
}

// leftOut is the line that says how many lines of the body are missing.
func leftOut(lines int) string {
	return fmt.Sprintf("> **This description is cut to the length that the forge takes: %d lines are left out.** The files of the "+
		"request show the whole change.\n", lines)
}

// picture draws the changed packages. The block is empty without packages or with too many.
func (d Description) picture() block {
	edges := slices.SortedStableFunc(slices.Values(d.Packages), func(a, b PackageChange) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.ClusterType, b.ClusterType))
	})
	var drawing markdown.Flowchart
	for _, p := range edges {
		drawing.Edge(p.Package, p.ClusterType, string(p.Kind), p.Kind == Removed)
	}
	if drawing.Empty() {
		return block{}
	}
	return block{head: "### Placements\n", rows: drawing.Lines(), whole: true}
}
