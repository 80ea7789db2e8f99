// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Release is what an environment carries: the promoted commit of the control plane, and the
// commits of the repositories that the control plane follows. The zero Release is nothing.
type Release struct {
	Commit string
	// Sources maps the name of a followed repository ("<repo>#<branch>") to its commit. Empty
	// means that the control plane reads the heads.
	Sources map[string]string
}

// Same reports whether two releases are equal: same commit, same sources.
func (r Release) Same(other Release) bool {
	return r.Commit == other.Commit && (maps.Equal(r.Sources, other.Sources) || r.Key() == other.Key())
}

// Key returns the same text for releases that are the same.
func (r Release) Key() string {
	parts := []string{r.Commit}
	for source, commit := range ByKey(r.Sources) {
		parts = append(parts, source+"\x00"+commit)
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
}

// SourceKey returns the same text for different names of one source: see remote.Key.
func SourceKey(name string) string {
	repo, branch, _ := strings.Cut(name, "#")
	return remote.Key(repo) + "#" + branch
}

// ByKey returns the commits of sources by the keys of the sources.
func ByKey(sources map[string]string) map[string]string {
	commits := make(map[string]string, len(sources))
	for name, commit := range sources {
		commits[SourceKey(name)] = commit
	}
	return commits
}

// Unread stands for the commit of a source that could not be read when the release was made.
var Unread = tree.ID{}.String()

// Known returns the release with the commits of an earlier one for the sources that could not be read.
func (r Release) Known(before Release) Release {
	known, earlier := maps.Clone(r.Sources), ByKey(before.Sources)
	for name, commit := range known {
		if commit == Unread {
			known[name] = cmp.Or(earlier[SourceKey(name)], Unread)
		}
	}
	r.Sources = known
	return r
}

// maxRelease is how many bytes the name of a release may have.
const maxRelease = 256

// AsRelease returns a text that can name the release of an environment; empty for any other
// text. One word names a commit or a release. Manifests and files may have any text there.
func AsRelease(text string) string {
	if len(text) > maxRelease || strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' }) {
		return ""
	}
	return text
}

// CheckSourceName returns an error if a release cannot have a source with this name.
func CheckSourceName(name string) error {
	repo, branch, ok := strings.Cut(name, "#")
	if !ok || repo == "" || branch == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%q is not a valid source. Write <repo>#<branch>, as the sources of kalypso_control_plane have it", name)
	}
	return nil
}

// MovedSources returns the names of the sources whose commits differ, sorted, and how many sources there are on both sides together. A
// source that could not be read has not moved.
func MovedSources(was, now map[string]string) (moved []string, all int) {
	names := map[string]string{} // by key
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(was)), slices.Sorted(maps.Keys(now))) {
		names[SourceKey(name)] = name
	}
	was, now = ByKey(was), ByKey(now)
	for key, name := range names {
		if was[key] != now[key] && now[key] != Unread {
			moved = append(moved, name)
		}
	}
	slices.Sort(moved)
	return moved, len(names)
}
