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
// alone. A last line says what clusters do with renamed packages. foldPackages returns the other
// changes, too. changes are sorted by path.
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
	unlike := map[string]int{} // how many new packages of a target have other differences
	for _, to := range come {
		unlike[path.Base(to.path)]++
		rest = append(rest, to.files...)
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
	if len(renamed) > 0 {
		renamed = append(renamed, &fold{change: renamed[0].change, line: effectOfRename})
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

// effectOfRename is the line below renamed packages.
const effectOfRename = "(Clusters delete the old namespaces with everything in them, and create the new ones. To copy first, see Rename " +
	"in the guide Folders.)"

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
			equalExcept(string(a.Old.Content), string(b.New.Content), names)
	})
}

// differingNames returns the names in which the paths of two packages differ: those of the cluster
// types, or the different words of the targets, such as the workloads' names.
func differingNames(was, is string) []string {
	if path.Base(was) == path.Base(is) {
		return []string{path.Base(path.Dir(was)), path.Base(path.Dir(is))}
	}
	a, b := strings.Split(path.Base(was), "-"), strings.Split(path.Base(is), "-")
	for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return []string{strings.Join(a, "-"), strings.Join(b, "-")}
}

// equalExcept reports whether two texts are equal except for some names. It stops at the first line
// that differs.
func equalExcept(a, b string, names []string) bool {
	for a != "" && b != "" {
		endA, endB := endOfLine(a), endOfLine(b)
		if a[:endA] != b[:endB] && WithoutNames(a[:endA], names...) != WithoutNames(b[:endB], names...) {
			return false
		}
		a, b = a[endA:], b[endB:]
	}
	return a == b
}

func endOfLine(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
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
	return &fold{change: &change{FileChange: p.files[0]}, line: line, count: len(p.files)}
}
