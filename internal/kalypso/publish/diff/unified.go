// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Unified returns the changes as `git diff` prints them, but in the order of their
// importance: removed packages, deleted files, changed files, new files, and then the files
// outside of packages.
//
// A package that is removed is one line. A digest replaces each document
// with a Kubernetes Secret and each other credential, so that changes show and values do not.
// Files in which the same lines change are shown once, with a line that names the others.
//
// Unified shows whole files up to the limit. If the first file alone is longer, Unified cuts
// this file. left says how much is missing: "3 more files"; it is empty if nothing is missing.
// Cost: linear in the changes and the shown lines.
func Unified(changes []FileChange, most Limit) (text, left string) {
	var told strings.Builder
	lines := 0
	folds := foldsOf(changes)
	for ; len(folds) > 0; folds = folds[1:] {
		one := strings.ToValidUTF8(folds[0].text(), "\uFFFD")
		n := strings.Count(one, "\n")
		if lines+n <= most.Lines && told.Len()+len(one) <= most.Bytes {
			told.WriteString(one)
			lines += n
			continue
		}
		if files := filesIn(folds); lines > 0 {
			return told.String(), wording.Count(files, "more file")
		}
		shown := most.cut(one)
		left = wording.Count(n-strings.Count(shown, "\n"), "line") + " of " + quoted(folds[0].Path)
		if files := filesIn(folds) - 1; files > 0 {
			left += ", and " + wording.Count(files, "more file")
		}
		return shown, left
	}
	return told.String(), ""
}

// Limit is how much of a diff is shown.
type Limit struct{ Lines, Bytes int }

func (most Limit) cut(text string) string {
	end, lines := 0, 0
	for line := range strings.Lines(text) {
		if lines++; lines > most.Lines || end+len(line) > most.Bytes {
			break
		}
		end += len(line)
	}
	return text[:end]
}

// foldsOf returns the changes as they are shown, in the order of their importance.
func foldsOf(changes []FileChange) []*fold {
	brief := slices.ContainsFunc(changes, func(c FileChange) bool { return !c.Beside })
	changes = sorted(slices.Clone(changes))
	slices.SortStableFunc(changes, func(a, b FileChange) int { return cmp.Compare(a.rank(), b.rank()) })
	return folded(changes, brief)
}

// rank is the position of a change in the diff: the lowest rank comes first.
func (c *FileChange) rank() int {
	switch {
	case c.Beside && strings.HasPrefix(c.Path, ".github/"): // the promoted commit's file
		return 5
	case c.Beside:
		return 4
	case c.isRemovedPackage():
		return 0
	case c.New == nil:
		return 1
	case c.Old == nil:
		return 3
	}
	return 2
}

func filesIn(folds []*fold) int {
	n := 0
	for _, f := range folds {
		n += 1 + len(f.others)
	}
	return n
}

func (c *FileChange) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", quoted("a/"+c.Path), quoted("b/"+c.Path))
	old, now := c.Old, c.New
	switch {
	case old == nil:
		fmt.Fprintf(&b, "new file mode %s\n", now.Mode)
	case now == nil:
		fmt.Fprintf(&b, "deleted file mode %s\n", old.Mode)
	case old.Mode != now.Mode:
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", old.Mode, now.Mode)
	}
	if old != nil && now != nil && old.ID == now.ID {
		return b.String()
	}
	shownOld, hidesOld := shown(old)
	shownNow, hidesNow := shown(now)
	if !hidesOld && !hidesNow { // the id of the whole file would allow to guess a hidden value
		fmt.Fprintf(&b, "index %s..%s", abbreviated(old), abbreviated(now))
		if old != nil && now != nil && old.Mode == now.Mode {
			fmt.Fprintf(&b, " %s", now.Mode)
		}
		b.WriteByte('\n')
	}
	c.writeContent(&b, shownOld, shownNow)
	return b.String()
}

// writeContent writes the hunks between both sides in their visible form, or why hunks are
// missing.
func (c *FileChange) writeContent(b *strings.Builder, shownOld, shownNow string) {
	from, to := quoted("a/"+c.Path), quoted("b/"+c.Path)
	if c.Old == nil {
		from = "/dev/null"
	} else if c.New == nil {
		to = "/dev/null"
	}
	switch {
	case c.Old != nil && !c.Old.Available():
		fmt.Fprintf(b, "The content of %s is not available, only its id.\n", from)
	case c.New != nil && !c.New.Available():
		fmt.Fprintf(b, "The content of %s is not available, only its id.\n", to)
	case c.isOpaque():
		fmt.Fprintf(b, "Binary files %s and %s differ\n", from, to)
	case shownOld != shownNow: // an empty file has no lines
		fmt.Fprintf(b, "--- %s\n+++ %s\n", spaced(from), spaced(to))
		for _, h := range hunksOf(shownOld, shownNow) {
			h.write(b)
		}
	}
}

// shown returns the visible part of a file, and whether the file has hidden parts.
func shown(f *File) (text string, hides bool) {
	content := contentOf(f)
	redacted := redact(content)
	return string(redacted), !bytes.Equal(redacted, content)
}

// contentOf returns the content that git compares.
func contentOf(f *File) []byte {
	switch {
	case f == nil:
		return nil
	case f.Mode == tree.ModeSubmodule:
		return []byte("Subproject commit " + f.ID.String() + "\n")
	}
	return f.Content
}

// isOpaque reports whether the lines of a side are unknown.
func (c *FileChange) isOpaque() bool {
	for _, f := range []*File{c.Old, c.New} {
		if f != nil && (!f.Available() || bytes.IndexByte(f.Content[:min(len(f.Content), sniffed)], 0) >= 0) {
			return true
		}
	}
	return false
}

// sniffed is how many bytes git reads to distinguish binary files from text.
const sniffed = 8000

// abbreviatedDigits is how many digits of an id git shows in a small repository.
const abbreviatedDigits = 7

func abbreviated(f *File) string {
	var id tree.ID
	if f != nil {
		id = f.ID
	}
	return id.String()[:abbreviatedDigits]
}

// quoted writes a path like git with core.quotePath=false, in quotes and with escapes if it contains quotes, backslashes
// or characters that do not print. The escapes of the latter are Go's.
func quoted(path string) string {
	if text := strconv.Quote(path); text != `"`+path+`"` {
		return text
	}
	return path
}

// spaced adds a tab to a path with a space, so that tools find the end of the path.
func spaced(path string) string {
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}
