// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Release is what an environment carries: a commit of the source, and the commits of the other
// repositories that its control plane read.
type Release struct {
	Commit  string
	Sources Sources
}

// Sources are commits by the repository and the branch, "<repo>#<branch>". Empty means unknown.
type Sources map[string]string

// agree reports whether all that both name is at the same commit.
func (s Sources) agree(other Sources) bool {
	_, agreed := s.compare(other)
	return agreed
}

// compare is agree, with the number of sources that it compared.
func (s Sources) compare(other Sources) (done int, agreed bool) {
	if len(other) < len(s) {
		s, other = other, s
	}
	for name, commit := range s {
		done++
		if is, both := other[name]; both && is != commit {
			return done, false
		}
	}
	return done, true
}

// meet reports whether both name a source.
func (s Sources) meet(other Sources) bool {
	for name := range s {
		if _, both := other[name]; both {
			return true
		}
	}
	return false
}

// has reports whether s names all that others name.
func (s Sources) has(others Sources) bool {
	for name := range others {
		if _, is := s[name]; !is {
			return false
		}
	}
	return true
}

// and returns what s or another names; what both name, as s has it. It does not change s.
func (s Sources) and(other Sources) Sources {
	switch {
	case len(s) == 0:
		return other
	case s.has(other):
		return s
	}
	both := maps.Clone(other)
	maps.Copy(both, s)
	return both
}

// named is the short name of a source, such as web#main for https://github.com/contoso/web.git#main.
// It is the whole name if another source has the same short name.
func (s Sources) named(name string) string {
	is := lastOf(name)
	for other := range s {
		if other != name && lastOf(other) == is {
			return shown(name)
		}
	}
	return shown(is)
}

// lastOf returns the last part of a repository, without .git, and the branch.
func lastOf(name string) string {
	repo, branch, hasBranch := strings.Cut(name, "#")
	repo = strings.TrimSuffix(strings.TrimRight(repo, "/"), ".git")
	repo = repo[strings.LastIndexAny(repo, "/:")+1:]
	if !hasBranch {
		return repo
	}
	return repo + "#" + branch
}

// unlike names the commits that are not those of another release: " with web#main at 1a2b3c4".
func (s Sources) unlike(other Sources) string {
	var moved []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if was, both := other[name]; both && was != s[name] {
			moved = append(moved, fmt.Sprintf("%s at %s", s.named(name), short(s[name])))
		}
	}
	if len(moved) == 0 {
		return ""
	}
	return " with " + wording.First(moved, maxListed)
}
