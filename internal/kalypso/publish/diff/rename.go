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
	// oldPath is the previous path of the file; equal to Path unless the file was renamed.
	oldPath string
	// similarity is how much of a renamed file is unchanged, in per cent.
	similarity int
}

// withRenames joins each deleted file with the new file that it became, if a deployment
// target moved to another cluster type. It splits a file whose type changes, for example to
// a symbolic link. It never joins files of different deployment targets, because a cluster
// deletes one object and creates another. The order by path stays. Cost: linear.
func withRenames(changes []FileChange) []*change {
	var all, added []*change
	deleted := map[string][]*change{}
	for _, c := range changes {
		whole := &change{FileChange: c, oldPath: c.Path}
		switch {
		case c.Old != nil && c.New != nil && isRegular(c.Old) != isRegular(c.New):
			gone, come := *whole, *whole // git finds no renames of these
			gone.New, come.Old = nil, nil
			all = append(all, &gone, &come)
			continue
		case c.New == nil && isRegular(c.Old):
			deleted[inPackage(c.Path)] = append(deleted[inPackage(c.Path)], whole)
		case c.Old == nil && isRegular(c.New):
			added = append(added, whole)
		}
		all = append(all, whole)
	}
	moved := map[*change]bool{}
	for _, a := range added {
		candidates := deleted[inPackage(a.Path)]
		if len(candidates) == 0 {
			continue
		}
		d := candidates[0]
		if s := similarity(d.Old, a.New); s >= minSimilarity {
			a.Old, a.oldPath, a.similarity = d.Old, d.Path, s
			moved[d] = true
			deleted[inPackage(a.Path)] = candidates[1:]
		}
	}
	return slices.DeleteFunc(all, func(c *change) bool { return moved[c] })
}

func isRegular(f *File) bool { return f.Mode == tree.ModeFile || f.Mode == tree.ModeExecutable }

// inPackage returns <deployment target>/<file>, which stays the same when the target moves
// to another cluster type.
func inPackage(file string) string { return path.Join(path.Base(path.Dir(file)), path.Base(file)) }

// minSimilarity is the similarity from which git reports a rename.
const minSimilarity = 50

// similarity returns how much of the larger file the other file contains, in per cent of
// bytes. It counts by lines, like git.
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
