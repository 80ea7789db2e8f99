// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// change is a Change that may have moved.
type change struct {
	Change
	// oldPath is where the file was; equal to Path unless it was renamed.
	oldPath string
	// similarity is how much of a renamed file stays, in per cent.
	similarity int
}

// withRenames joins each deleted file with the new file that it became, where
// there is one, and takes files apart that become something else, such as a
// symbolic link. The order by path stays.
func withRenames(changes []Change) []*change {
	var all []*change
	var deleted, added []*change
	for _, c := range changes {
		parts := []Change{c}
		if c.Old != nil && c.New != nil && isRegular(c.Old) != isRegular(c.New) {
			parts = []Change{{Path: c.Path, Old: c.Old}, {Path: c.Path, New: c.New}}
		}
		for _, part := range parts {
			p := &change{Change: part, oldPath: part.Path}
			all = append(all, p)
			switch {
			case len(parts) > 1: // git looks for no renames of these
			case part.New == nil && isRegular(part.Old):
				deleted = append(deleted, p)
			case part.Old == nil && isRegular(part.New):
				added = append(added, p)
			}
		}
	}
	gone := map[*change]bool{}
	for _, pairs := range []func(deleted, added []*change) []pair{identical, similar} {
		join(pairs(open(deleted, gone), open(added, gone)), gone)
	}
	return slices.DeleteFunc(all, func(c *change) bool { return gone[c] })
}

func isRegular(f *File) bool { return f.Mode == tree.ModeFile || f.Mode == tree.ModeExecutable }

// open gives those that are not renamed yet.
func open(changes []*change, gone map[*change]bool) []*change {
	return slices.DeleteFunc(slices.Clone(changes), func(c *change) bool { return gone[c] || c.Old != nil && c.New != nil })
}

// pair is a deleted file that a new one may have come from.
type pair struct {
	deleted, added *change
	similarity     int
	// shared is how much of the paths is equal, counted from their ends.
	shared int
}

// join makes the best pairs renames: those most similar, then those whose paths
// have most in common.
func join(pairs []pair, gone map[*change]bool) {
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(
			cmp.Compare(b.similarity, a.similarity),
			cmp.Compare(b.shared, a.shared),
			strings.Compare(a.added.Path, b.added.Path),
			strings.Compare(a.deleted.Path, b.deleted.Path),
		)
	})
	for _, p := range pairs {
		if gone[p.deleted] || p.added.Old != nil {
			continue
		}
		gone[p.deleted] = true
		p.added.Old, p.added.oldPath, p.added.similarity = p.deleted.Old, p.deleted.Path, p.similarity
	}
}

// maxPairs bounds the pairs of files that are compared with each other.
const maxPairs = 100_000

// identical pairs files of one content.
func identical(deleted, added []*change) []pair {
	byID := map[tree.ID][]*change{}
	for _, d := range deleted {
		byID[d.Old.ID] = append(byID[d.Old.ID], d)
	}
	var pairs []pair
	for _, a := range added {
		for _, d := range byID[a.New.ID] {
			if len(pairs) == maxPairs {
				return pairs
			}
			pairs = append(pairs, pair{d, a, 100, sharedEnd(d.Path, a.Path)})
		}
	}
	return pairs
}

// minSimilarity is from where on git takes two files for one that was renamed.
const minSimilarity = 50

// similar pairs files of one base name that have at least half of their content
// in common. Where there are too many to compare, it pairs none.
func similar(deleted, added []*change) []pair {
	byName := map[string][]*change{}
	for _, d := range deleted {
		byName[path.Base(d.Path)] = append(byName[path.Base(d.Path)], d)
	}
	candidates := 0
	for _, a := range added {
		candidates += len(byName[path.Base(a.Path)])
	}
	if candidates > maxPairs {
		return nil
	}
	chunks := map[*File]map[string]int{}
	var pairs []pair
	for _, a := range added {
		for _, d := range byName[path.Base(a.Path)] {
			if s := similarity(chunks, d.Old, a.New); s >= minSimilarity {
				pairs = append(pairs, pair{d, a, s, sharedEnd(d.Path, a.Path)})
			}
		}
	}
	return pairs
}

// similarity gives how much of the larger file stands in the other too, in per
// cent of bytes, counted by lines as git does.
func similarity(chunks map[*File]map[string]int, a, b *File) int {
	smaller, larger := min(len(a.Content), len(b.Content)), max(len(a.Content), len(b.Content))
	if smaller*100 < larger*minSimilarity || larger == 0 {
		return 0
	}
	other := chunksOf(chunks, b)
	common := 0
	for chunk, bytes := range chunksOf(chunks, a) {
		common += min(bytes, other[chunk])
	}
	return common * 100 / larger
}

// chunkSize is where git cuts long lines to compare them.
const chunkSize = 64

// chunksOf gives the distinct lines of a file with the bytes that they take.
func chunksOf(known map[*File]map[string]int, f *File) map[string]int {
	if chunks, ok := known[f]; ok {
		return chunks
	}
	chunks := map[string]int{}
	for line := range strings.Lines(string(f.Content)) {
		for len(line) > 0 {
			chunk := line[:min(len(line), chunkSize)]
			chunks[chunk] += len(chunk)
			line = line[len(chunk):]
		}
	}
	known[f] = chunks
	return chunks
}

func sharedEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
