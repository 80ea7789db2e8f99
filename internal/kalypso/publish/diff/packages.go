// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// pack is a package that is new or removed as a whole: the files of a folder.
type pack struct {
	path  string
	files []FileChange
}

// foldPackages writes one line for each removed package, and for each package that moves to another cluster type
// and differs in their names alone. foldPackages returns the other changes, too. changes are sorted by path.
func foldPackages(changes []FileChange) (rest []FileChange, removed, moved []*fold) {
	rest, gone, come := wholePackages(changes)
	left := map[string][]*pack{} // by deployment target
	for _, p := range gone {
		left[path.Base(p.path)] = append(left[path.Base(p.path)], p)
	}
	for _, to := range come {
		target := path.Base(to.path)
		i := slices.IndexFunc(left[target], func(from *pack) bool { return from.becomes(to) })
		if i < 0 {
			rest = append(rest, to.files...)
			continue
		}
		moved = append(moved, lineOf(to, fmt.Sprintf("%s -> %s, %s, differs only in the cluster type's name",
			quoted(left[target][i].path), quoted(to.path), wording.Count(len(to.files), "file"))))
		left[target] = slices.Delete(left[target], i, i+1)
	}
	for _, p := range gone {
		if slices.Contains(left[path.Base(p.path)], p) {
			removed = append(removed, lineOf(p, fmt.Sprintf("- %s (%s)", quoted(p.path), wording.Count(len(p.files), "file"))))
		}
	}
	return sorted(rest), removed, moved
}

// wholePackages returns the removed and the new packages, and the changes that belong to
// none of them.
func wholePackages(changes []FileChange) (rest []FileChange, gone, come []*pack) {
	type side struct {
		path string
		goes bool
	}
	known := map[side]*pack{}
	for _, c := range changes {
		at := side{path.Dir(c.Path), c.New == nil}
		if !c.Whole || c.Beside || cmp.Or(c.Old, c.New).Mode == tree.ModeDir {
			rest = append(rest, c)
			continue
		}
		if known[at] == nil {
			p := &pack{path: at.path}
			known[at] = p
			if at.goes {
				gone = append(gone, p)
			} else {
				come = append(come, p)
			}
		}
		known[at].files = append(known[at].files, c)
	}
	return rest, gone, come
}

// becomes reports whether two packages of one deployment target are equal except for the names of their cluster types.
func (p *pack) becomes(to *pack) bool {
	names := []string{path.Base(path.Dir(p.path)), path.Base(path.Dir(to.path))}
	return slices.EqualFunc(p.files, to.files, func(a, b FileChange) bool {
		if path.Base(a.Path) != path.Base(b.Path) || a.Old.Mode != b.New.Mode {
			return false
		}
		return a.Old.ID == b.New.ID || a.Old.Available() && b.New.Available() &&
			WithoutNames(string(a.Old.Content), names...) == WithoutNames(string(b.New.Content), names...)
	})
}

// WithoutNames returns a text with a mark in place of each of some names. Two texts that differ only in these
// names become equal. The longest name is first, because it may contain another one.
func WithoutNames(text string, names ...string) string {
	for _, name := range slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) }) {
		text = Mark(text, name, "\x00")
	}
	return text
}

// Mark returns a text with a mark in place of a name, where it is a whole word.
func Mark(text, name, mark string) string {
	var b strings.Builder
	copied := 0
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+len(name)
		at = from + 1
		if (from == 0 || !isLetter(text[from-1])) && (to == len(text) || !isLetter(text[to])) {
			if copied == 0 {
				b.Grow(len(text))
			}
			b.WriteString(text[copied:from])
			b.WriteString(mark)
			copied, at = to, to
		}
	}
	if copied == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func lineOf(p *pack, line string) *fold {
	f := &fold{FileChange: p.files[0], line: line}
	for _, other := range p.files[1:] {
		f.others = append(f.others, other.Path)
	}
	return f
}
