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

// foldPackages writes one line for each removed package, and for each package that is renamed: it
// moves to another cluster type, or its workload has another name, and it differs in these names
// alone. foldPackages returns the other changes, too. changes are sorted by path.
func foldPackages(changes []FileChange) (rest []FileChange, removed, renamed []*fold) {
	rest, gone, come := wholePackages(changes)
	told := map[*pack]bool{}
	for _, r := range renames {
		left := map[string][]*pack{}
		for _, p := range gone {
			if !told[p] {
				left[r.stays(p)] = append(left[r.stays(p)], p)
			}
		}
		come = slices.DeleteFunc(come, func(to *pack) bool {
			key := r.stays(to)
			i := slices.IndexFunc(left[key], func(from *pack) bool { return from.becomes(to) })
			if i < 0 {
				return false
			}
			from := left[key][i]
			told[from] = true
			left[key] = slices.Delete(left[key], i, i+1)
			renamed = append(renamed, lineOf(to, fmt.Sprintf("%s -> %s, %s, differs only in the %s's name",
				quoted(from.path), quoted(to.path), wording.Count(len(to.files), "file"), r.of)))
			return true
		})
	}
	for _, to := range come {
		rest = append(rest, to.files...)
	}
	for _, p := range gone {
		if !told[p] {
			removed = append(removed, lineOf(p, fmt.Sprintf("- %s (%s)", quoted(p.path), wording.Count(len(p.files), "file"))))
		}
	}
	return sorted(rest), removed, renamed
}

// renames are the ways in which a package gets another path: which name differs, and what stays.
// A workload's name is the beginning of the target's, so the last word stays.
var renames = []struct {
	of    string
	stays func(p *pack) string
}{
	{"cluster type", func(p *pack) string { return path.Base(p.path) }},
	{"workload", func(p *pack) string { return path.Dir(p.path) + "/" + p.path[strings.LastIndexAny(p.path, "-/")+1:] }},
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

// becomes reports whether two packages are equal except for the names in which their paths differ.
func (p *pack) becomes(to *pack) bool {
	names := differingNames(p.path, to.path)
	return slices.EqualFunc(p.files, to.files, func(a, b FileChange) bool {
		if path.Base(a.Path) != path.Base(b.Path) || a.Old.Mode != b.New.Mode {
			return false
		}
		return a.Old.ID == b.New.ID || a.Old.Available() && b.New.Available() &&
			WithoutNames(string(a.Old.Content), names...) == WithoutNames(string(b.New.Content), names...)
	})
}

// differingNames returns the names in which the paths of two packages differ: those of the cluster types, or of the
// workloads.
func differingNames(was, is string) []string {
	if path.Base(was) == path.Base(is) {
		return []string{path.Base(path.Dir(was)), path.Base(path.Dir(is))}
	}
	workload := func(at string) string { return path.Base(at)[:max(0, strings.LastIndexByte(path.Base(at), '-'))] }
	return []string{workload(was), workload(is)}
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
	return &fold{FileChange: p.files[0], line: line, count: len(p.files)}
}
