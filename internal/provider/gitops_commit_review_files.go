// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// envPlanDir names the folder that each plan writes its review files to.
const envPlanDir = "KALYPSO_PLAN_DIR"

// mostMarkdown is the largest size of a Markdown file, in bytes: a comment on a pull
// request has at most 65,536 characters.
const mostMarkdown = 65000

// reviewFile is the part of a plan about one resource, as in its JSON file.
type reviewFile struct {
	Environment  string   `json:"environment"`
	Repo         string   `json:"repo"`
	Branch       string   `json:"branch"`
	Path         string   `json:"path"`
	ClusterTypes []string `json:"cluster_types,omitempty"`
	Summary      string   `json:"summary"`
	// Packages is nil if nothing could be planned.
	Packages *reviewedPackages `json:"packages"`
	Files    []reviewedFile    `json:"files"`
	Errors   []reviewMessage   `json:"errors"`
	Warnings []reviewMessage   `json:"warnings"`
}

type reviewedPackages struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
	// Kept cannot be rendered, and stay as they are.
	Kept []string `json:"kept"`
}

type reviewedFile struct {
	Path string `json:"path"`
	// Change is "added", "changed" or "removed".
	Change string `json:"change"`
	Diff   string `json:"diff"`
}

type reviewMessage struct {
	Summary string `json:"summary"`
	Detail  string `json:"detail"`
}

// review contains the data for the files of one plan.
type review struct {
	environment string
	// at is the place that the plan writes to. named is the place's name in the
	// configuration.
	at, named    git.Location
	clusterTypes []string
	summary      string
	before, now  engine.Digests
	kept         []string
	changes      []diff.FileChange
	// planned is true if the change of the packages is known.
	planned bool
}

// of takes the place from a configuration. was takes the place of the last apply, if the
// configuration does not name it.
func (v *review) of(m *gitOpsCommitModel) {
	v.environment, v.at, v.named = m.Environment.ValueString(), m.location(), m.location()
	for _, name := range m.ClusterTypes.Elements() {
		if name, ok := name.(types.String); ok {
			v.clusterTypes = append(v.clusterTypes, name.ValueString())
		}
	}
	slices.Sort(v.clusterTypes)
}

func (v *review) was(applied *publish.Applied) {
	v.before = applied.Packages
	v.at.Repo = cmp.Or(v.at.Repo, applied.Location.Repo)
	v.at.Branch = cmp.Or(v.at.Branch, applied.Location.Branch)
	v.at.Path = cmp.Or(v.at.Path, applied.Location.Path)
}

// take takes the plan; nil if nothing could be planned.
func (v *review) take(planned *publish.Plan) {
	if planned == nil {
		return
	}
	if planned.LocationKnown {
		v.at = planned.Location
	}
	v.summary, v.changes, v.planned = planned.Summary, planned.Changes, true
	v.kept = planned.Broken
	v.before, v.now = planned.Before, planned.After // not from the state, whose keys may have another detail
	if !planned.Differs && planned.LocationKnown {
		v.summary = "no change"
	}
}

// write writes a plan to a folder, as Markdown and as JSON. It warns if it cannot write to
// the folder.
func (v review) write(folder string, told diag.Diagnostics) diag.Diagnostics {
	var diags diag.Diagnostics
	if folder == "" || v.environment == "" {
		return diags
	}
	file := v.file(told)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(file)
	if err == nil {
		err = os.MkdirAll(folder, 0o750)
	}
	name := filepath.Join(folder, v.name())
	if err == nil {
		err = os.WriteFile(name+".json", text.Bytes(), 0o600)
	}
	if err == nil {
		err = os.WriteFile(name+".md", []byte(file.markdown(v.changes)), 0o600)
	}
	if err != nil {
		diags.AddWarning("The plan's files cannot be written",
			visible(fmt.Sprintf("The review files of the plan could not be written to the folder %q, "+
				"which %s names. The plan itself is complete. Cause: %s.", folder, envPlanDir, err)))
	}
	return diags
}

// name is the same for each plan of a resource, even if the plan fails. It consists of the
// environment and a hash of the place in the configuration.
func (v review) name() string {
	place := append([]string{v.named.Repo, v.named.Branch, cmp.Or(v.named.Path, ".")}, v.clusterTypes...)
	hash := sha256.Sum256([]byte(strings.Join(place, "\x00")))
	environment := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, v.environment)
	return fmt.Sprintf("%s-%x", environment, hash[:4])
}

func (v review) file(told diag.Diagnostics) reviewFile {
	f := reviewFile{
		Environment: v.environment, Repo: v.at.Repo, Branch: v.at.Branch, Path: v.at.Path, ClusterTypes: v.clusterTypes, Summary: v.summary,
		Files: []reviewedFile{}, Errors: []reviewMessage{}, Warnings: []reviewMessage{},
	}
	if v.planned {
		f.Packages = v.packages()
	}
	for _, c := range v.changes {
		c.Whole = false // the file shows the diffs of removed packages too
		change := "changed"
		if c.Old == nil {
			change = "added"
		} else if c.New == nil {
			change = "removed"
		}
		f.Files = append(f.Files, reviewedFile{c.Path, change, diff.Unified([]diff.FileChange{c}, math.MaxInt)})
	}
	for _, d := range told {
		said := reviewMessage{d.Summary(), d.Detail()}
		switch {
		case d.Severity() == diag.SeverityError:
			f.Errors = append(f.Errors, said)
		case !strings.HasPrefix(said.Summary, message.PlannedChange): // Files has the diff
			f.Warnings = append(f.Warnings, said)
		}
	}
	return f
}

// packages returns the keys of the packages, or of whole cluster types, that differ.
func (v review) packages() *reviewedPackages {
	p := &reviewedPackages{Added: []string{}, Changed: []string{}, Removed: []string{}, Kept: append([]string{}, v.kept...)}
	for _, key := range v.before.Differing(v.now) {
		_, was := v.before[key]
		_, is := v.now[key]
		switch {
		case !engine.IsPackage(key):
		case !was:
			p.Added = append(p.Added, key)
		case !is:
			p.Removed = append(p.Removed, key)
		default:
			p.Changed = append(p.Changed, key)
		}
	}
	return p
}

// markdown returns the Markdown file: errors, warnings, and as much of the diff as fits.
func (f reviewFile) markdown(changes []diff.FileChange) string {
	at := git.Location{Repo: f.Repo, Branch: f.Branch, Path: f.Path}.String()
	if f.Repo == "" {
		at = "a place that is known after the apply"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s in %s\n\n", markdown.Text(f.Environment), markdown.Code(at))
	switch {
	case len(f.Errors) > 0:
		b.WriteString("**The plan failed. Nothing can be applied.**\n")
		if f.Packages != nil && f.Summary != "" {
			b.WriteString("\nThe planned change: " + markdown.Code(f.Summary) + "\n")
		}
	case f.Packages == nil:
		b.WriteString("**The changes are known only after the apply.**\n")
	default:
		b.WriteString(markdown.Code(f.Summary) + "\n")
	}
	if f.Packages != nil {
		f.Packages.leave(&b)
	}
	const mostMessages = mostMarkdown / 3
	for _, m := range f.Errors {
		section(&b, "Error", m.Summary, m.Detail, mostMessages)
	}
	for _, m := range f.Warnings {
		section(&b, "Warning", m.Summary, m.Detail, 2*mostMessages)
	}
	if len(changes) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", wording.Count(len(changes), "file")+" of the repository")
		b.WriteString(fencedDiff(diff.Unified(changes, math.MaxInt), mostMarkdown-b.Len()-200))
		b.WriteString("\n</details>\n")
	}
	return b.String()
}

// leave lists the packages that are kept, those that are removed, and those that move to
// another cluster type.
func (p *reviewedPackages) leave(b *strings.Builder) {
	if len(p.Kept) > 0 {
		section(b, "Kept", wording.Count(len(p.Kept), "package"), limits.List(p.Kept, math.MaxInt), mostMarkdown/6)
	}
	if len(p.Removed) > 0 && !strings.Contains(p.Removed[0], "/") {
		section(b, "Removed", wording.Count(len(p.Removed), "cluster type"), limits.List(p.Removed, math.MaxInt), mostMarkdown/4)
		return
	}
	change := limits.Compare(digests(p.Removed), digests(p.Added))
	if len(change.Removed) > 0 {
		section(b, "Removed", wording.Count(len(change.Removed), "package"), limits.List(change.Removed, math.MaxInt), mostMarkdown/5)
	}
	if len(change.Moved) > 0 {
		section(b, "Moved", wording.Count(len(change.Moved), "package"), change.Moves(math.MaxInt), mostMarkdown/4)
	}
}

// digests returns packages with these keys and empty digests.
func digests(keys []string) engine.Digests {
	d := engine.Digests{}
	for _, key := range keys {
		d[key] = ""
	}
	return d
}

// section adds a message, and cuts it so that the file is not longer than most.
func section(b *strings.Builder, sort, title, detail string, most int) {
	room := most - b.Len() - len(title) - 100
	if room < 0 {
		return
	}
	fmt.Fprintf(b, "\n#### %s: %s\n\n%s\n", sort, markdown.Text(title), markdown.Fenced(cut(fenceable(detail), room)))
}

func fencedDiff(text string, most int) string {
	fenced := markdown.Fenced(strings.TrimSuffix(cut(fenceable(text), most), "\n"))
	fence := fenced[:strings.IndexByte(fenced, '\n')]
	return fence + "diff" + fenced[len(fence):]
}

// fenceable returns a text whose fence is short. In a text with a long run of backticks,
// it replaces them with quotes.
func fenceable(text string) string {
	if strings.Contains(text, strings.Repeat("`", 20)) {
		return strings.ReplaceAll(text, "`", "'")
	}
	return text
}

// cut returns the first lines of a text, of at most so many bytes, and the number of
// omitted lines.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[:strings.LastIndexByte(text[:max(most, 0)], '\n')+1]
	return fmt.Sprintf("%s(%s more: see the JSON file)", kept, wording.Count(strings.Count(text[len(kept):], "\n")+1, "line"))
}
