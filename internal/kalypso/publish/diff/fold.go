// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// fold is a change, and the other files in which the same lines change. Or it is a removed package.
type fold struct {
	FileChange
	others []string
	brief  bool // the fold is one line, with the names of its files
}

const (
	namedOthers = 3
	// namedFolders is how many folders a fold names, before the number of the other folders.
	namedFolders = 20
)

// text returns the change, and a line that names the other files.
func (f *fold) text() string {
	if f.isRemovedPackage() {
		return fmt.Sprintf("- %s (%s)\n", quoted(path.Dir(f.Path)), wording.Count(1+len(f.others), "file"))
	}
	if f.brief {
		return fmt.Sprintf("(folded: %s)\n", wording.First(quotedAll(append([]string{f.Path}, f.others...)), namedOthers))
	}
	text := f.FileChange.text()
	if len(f.others) > 0 {
		text += f.textOfOthers()
	}
	return text
}

// textOfOthers names the files that change in the same way.
func (f *fold) textOfOthers() string {
	names, folders := quotedAll(f.others), []string(nil)
	for _, other := range f.others {
		folders = append(folders, quoted(path.Dir(path.Dir(other))))
	}
	slices.Sort(folders)
	what := "the same lines"
	if f.isNewPackage() {
		what = "the same file, except for names of the package,"
	}
	return fmt.Sprintf("(%s in %s: %s; below %s)\n", what, wording.Count(len(names), "other file"),
		wording.First(names, namedOthers), wording.First(slices.Compact(folders), namedFolders))
}

func quotedAll(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = quoted(path)
	}
	return all
}

// folded combines changes of the same lines, at the position of the first of them, and the files of removed packages. If brief is
// true, files beside the packages are one line for each name of a file.
func folded(changes []FileChange, brief bool) []*fold {
	all := make([]*fold, 0, len(changes))
	known := map[string]*fold{}
	for _, c := range changes {
		f := &fold{FileChange: c, brief: c.Beside && brief}
		var lines string
		switch {
		case c.isRemovedPackage():
			lines = "package " + path.Dir(c.Path)
		case f.brief:
			lines = "beside " + path.Base(c.Path)
		default:
			lines = c.changedLines()
		}
		if same := known[lines]; same != nil && lines != "" {
			same.others = append(same.others, c.Path)
			continue
		}
		known[lines] = f
		all = append(all, f)
	}
	return all
}

// changedLines returns the effect of a change, without the name of the file and the numbers
// of lines: whether the file is new or deleted, or its removed and new lines with their
// context. It returns "" if no line changes. It reads the lines of the files, even if the diff hides some: equal lines have equal diffs.
func (c *FileChange) changedLines() string {
	old, now := contentOf(c.Old), contentOf(c.New)
	switch {
	case c.isOpaque(), bytes.Equal(old, now):
		return ""
	case c.Old == nil:
		return fmt.Sprintf("new %s %s", c.New.Mode, c.newLines())
	case c.New == nil:
		return fmt.Sprintf("deleted %s %s", c.Old.Mode, c.Old.ID)
	}
	var b strings.Builder
	if c.Old.Mode != c.New.Mode {
		b.WriteString(string(c.New.Mode))
	}
	for _, h := range hunksOf(string(old), string(now)) {
		h.writeChanged(&b)
	}
	return b.String()
}

// newLines returns the lines of a new file. In a package, the names of its target and its cluster type do not count, and
// neither does its namespace, which contains both.
func (c *FileChange) newLines() string {
	text := string(c.New.Content)
	if !c.isNewPackage() {
		return text
	}
	target := path.Dir(c.Path)
	return path.Base(c.Path) + "\n" + wording.WithoutNames(text, path.Base(target), path.Base(path.Dir(target)))
}

// isRemovedPackage reports whether a file belongs to a package that is removed as a whole.
func (c *FileChange) isRemovedPackage() bool {
	return c.New == nil && c.Whole && !c.Beside && c.Old.Mode != tree.ModeDir
}

// isNewPackage reports whether a file belongs to a package that is new as a whole.
func (c *FileChange) isNewPackage() bool { return c.Old == nil && c.Whole && !c.Beside }

// writeChanged writes the changed lines of a hunk, each run after the outer lines that it
// may belong to.
func (h hunk) writeChanged(b *strings.Builder) {
	above := []string{heading(h.before)}
	for _, line := range h.lines {
		if line.sign == ' ' {
			above = append(outside(above, line.text), line.text)
			continue
		}
		for _, owner := range outside(above, line.text) {
			b.WriteString(owner)
		}
		b.WriteByte(line.sign)
		b.WriteString(line.text)
	}
}

// outside returns the lines of a hunk that are indented less than a line, and always the
// first line, which is the heading of the hunk.
func outside(above []string, line string) []string {
	depth := indentOf(line)
	for len(above) > 1 && indentOf(above[len(above)-1]) >= depth {
		above = above[:len(above)-1]
	}
	return above
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
