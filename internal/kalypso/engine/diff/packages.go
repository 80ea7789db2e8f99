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

// foldPackages writes one line for each removed package, and for each package that moves to
// another cluster type and differs only in the name of the cluster type. It returns the
// other changes, too. changes are sorted by path.
func foldPackages(changes []FileChange) (rest []FileChange, removed, moved []*fold) {
	rest, gone, come := wholePackages(changes)
	left := map[string][]*pack{} // by target
	for _, p := range gone {
		left[path.Base(p.path)] = append(left[path.Base(p.path)], p)
	}
	told := map[*pack]bool{}
	unlike := map[string]int{} // how many new packages of a target have other differences
	for _, to := range come {
		target := path.Base(to.path)
		i := slices.IndexFunc(left[target], func(from *pack) bool { return from.becomes(to) })
		if i < 0 {
			unlike[target]++
			rest = append(rest, to.files...)
			continue
		}
		from := left[target][i]
		told[from] = true
		left[target] = slices.Delete(left[target], i, i+1)
		moved = append(moved, lineOf(to, fmt.Sprintf("%s -> %s, %s, differs only in the cluster type's name",
			quoted(from.path), quoted(to.path), wording.Count(len(to.files), "file"))))
	}
	for _, p := range gone {
		target := path.Base(p.path)
		switch {
		case told[p]:
		case unlike[target] > 0: // it becomes one of these packages
			unlike[target]--
			rest = append(rest, p.files...)
		default:
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

// becomes reports whether two packages are equal except for the name of the cluster type.
func (p *pack) becomes(to *pack) bool {
	was, is := path.Base(path.Dir(p.path)), path.Base(path.Dir(to.path))
	return slices.EqualFunc(p.files, to.files, func(a, b FileChange) bool {
		if path.Base(a.Path) != path.Base(b.Path) || a.Old.Mode != b.New.Mode {
			return false
		}
		return a.Old.ID == b.New.ID || a.Old.available() && b.New.available() &&
			withoutNames(string(a.Old.Content), was, is) == withoutNames(string(b.New.Content), was, is)
	})
}

// withoutNames returns a text with a mark in place of each of some names, where it is a whole word.
// Two texts that differ only in these names become equal.
func withoutNames(text string, names ...string) string {
	var b strings.Builder
	for before := byte(0); text != ""; {
		i := slices.IndexFunc(names, func(name string) bool { return startsWord(text, name, before) })
		if i < 0 {
			before = text[0]
			b.WriteByte(before)
			text = text[1:]
			continue
		}
		b.WriteByte(0)
		text, before = text[len(names[i]):], 'x'
	}
	return b.String()
}

// startsWord reports whether a text starts with a whole word. before is the character in
// front of the text.
func startsWord(text, word string, before byte) bool {
	after, starts := strings.CutPrefix(text, word)
	return starts && word != "" && !isLetter(before) && (after == "" || !isLetter(after[0]))
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func lineOf(p *pack, line string) *fold {
	return &fold{change: &change{FileChange: p.files[0]}, line: line, count: len(p.files)}
}
