// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// change is a FileChange that may have moved.
type change struct {
	FileChange
	// oldPath is where the file was; equal to Path unless it was renamed.
	oldPath string
	// similarity is how much of a renamed file stays, in per cent.
	similarity int
}

// withRenames joins each deleted file with the new file that it became, where
// there is one, and takes files apart that become something else, such as a
// symbolic link. The order by path stays. Cost: linear.
func withRenames(changes []FileChange) []*change {
	var all, deleted, added []*change
	for _, c := range changes {
		whole := &change{FileChange: c, oldPath: c.Path}
		switch {
		case c.Old != nil && c.New != nil && isRegular(c.Old) != isRegular(c.New):
			gone, come := *whole, *whole // git looks for no renames of these
			gone.New, come.Old = nil, nil
			all = append(all, &gone, &come)
			continue
		case c.New == nil && isRegular(c.Old):
			deleted = append(deleted, whole)
		case c.Old == nil && isRegular(c.New):
			added = append(added, whole)
		}
		all = append(all, whole)
	}
	moved := map[*change]bool{}
	for _, l := range likenesses {
		join(deleted, added, moved, l)
	}
	return slices.DeleteFunc(all, func(c *change) bool { return moved[c] })
}

func isRegular(f *File) bool { return f.Mode == tree.ModeFile || f.Mode == tree.ModeExecutable }

// likenesses are what a file and the one that it became have in common, the
// surest first: <deployment target>/<file>, which stays when a target moves to
// another cluster type; the content; the name alone, which says little, since each package
// has the same files: one application in the place of another is no rename.
var likenesses = []likeness{
	{func(file string, _ *File) string { return path.Join(path.Base(path.Dir(file)), path.Base(file)) }, minSimilarity},
	{func(_ string, f *File) string { return f.ID.String() }, minSimilarity},
	{func(file string, _ *File) string { return path.Base(file) }, minSimilarityByName},
}

// likeness is what two files have in common, and how similar they have to be besides, in
// per cent.
type likeness struct {
	key   func(file string, f *File) string
	least int
}

// join makes each new file the rename of the first deleted one that is like it,
// unless they have too little in common, and notes which have moved.
func join(deleted, added []*change, moved map[*change]bool, like likeness) {
	candidates := map[string][]*change{}
	for _, d := range deleted {
		if key := like.key(d.Path, d.Old); !moved[d] {
			candidates[key] = append(candidates[key], d)
		}
	}
	for _, a := range added {
		key := like.key(a.Path, a.New)
		if a.Old != nil || len(candidates[key]) == 0 {
			continue
		}
		d := candidates[key][0]
		if s := similarity(d.Old, a.New); s >= like.least {
			a.Old, a.oldPath, a.similarity = d.Old, d.Path, s
			moved[d] = true
			candidates[key] = candidates[key][1:]
		}
	}
}

// minSimilarity is from where on git takes two files for one that was renamed.
const minSimilarity = 50

// minSimilarityByName is that of two files which have nothing but the name in common.
const minSimilarityByName = 80

// similarity returns how much of the larger file stands in the other too, in per
// cent of bytes, counted by lines as git does.
func similarity(a, b *File) int {
	if a.ID == b.ID {
		return 100
	}
	left := map[string]int{}
	for line := range strings.Lines(string(a.Content)) {
		left[line]++
	}
	common := 0
	for line := range strings.Lines(string(b.Content)) {
		if left[line] > 0 {
			left[line]--
			common += len(line)
		}
	}
	return common * 100 / max(len(a.Content), len(b.Content), 1)
}
