// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// modelBranch is a branch as git reads and writes it, without git: its root trees, the
// last one being the present.
type modelBranch struct{ roots []*tree.Dir }

func (b *modelBranch) root() *tree.Dir { return b.roots[len(b.roots)-1] }

// head is the id of the present commit.
func (b *modelBranch) head() tree.ID {
	return tree.File("", fmt.Appendf(nil, "commit %d", len(b.roots))).ID
}

// find returns what stands at a path of a tree.
func find(dir *tree.Dir, path string) tree.Entry {
	var e tree.Entry
	for _, name := range tree.SplitPath(path) {
		if dir == nil {
			return tree.Entry{}
		}
		e, _ = dir.Find(name)
		dir = e.Dir
	}
	return e
}

func sameKind(e tree.Entry, mode tree.Mode) bool { return e.Mode == mode }

// read is git.Client.Read.
func (b *modelBranch) read(q git.Query) *git.State {
	state := &git.State{Head: b.head(), Found: map[string]*git.Found{}}
	if state.Head == q.Head {
		state.Unchanged = true
		return state
	}
	for path, known := range q.Paths {
		if e := find(b.root(), path); sameKind(e, known.Mode) {
			state.Found[path] = &git.Found{Mode: e.Mode, ID: e.ID}
		}
	}
	if q.Others != nil {
		dir := b.root()
		if len(tree.SplitPath(q.Folder)) > 0 {
			dir = find(b.root(), q.Folder).Dir
		}
		for at, e := range entries(q.Folder, dir) {
			if e.Mode == tree.ModeDir && q.Others(e.Name) && state.Found[at] == nil {
				state.Found[at] = &git.Found{Mode: e.Mode, ID: e.ID}
			}
		}
	}
	for path, f := range state.Found {
		if f.Mode != tree.ModeDir || f.ID == q.Paths[path].ID {
			continue
		}
		for at, e := range entries(path, find(b.root(), path).Dir) {
			seen := tree.Entry{Name: e.Name, Mode: e.Mode, ID: e.ID}
			if q.Content != nil && e.Mode == tree.ModeFile && q.Content(at) {
				seen.Content = e.Content
			}
			f.Entries = append(f.Entries, seen)
		}
		slices.SortFunc(f.Entries, func(a, b tree.Entry) int { return strings.Compare(a.Name, b.Name) })
	}
	return state
}

// entries are those of a folder by their paths.
func entries(folder string, dir *tree.Dir) map[string]tree.Entry {
	all := map[string]tree.Entry{}
	if dir != nil {
		for _, e := range dir.Entries {
			all[git.Location{Path: folder}.Join(e.Name)] = e
		}
	}
	return all
}

// apply is git.Client.Apply.
func (b *modelBranch) apply(job git.Job) error {
	change, err := job.Decide(b.read(job.Look))
	if err != nil {
		return err
	}
	changes := map[string]tree.Entry{}
	for path, edit := range change.Edits {
		there := find(b.root(), path)
		if !sameKind(there, edit.Want.Mode) {
			if there.Mode != "" && edit.Writes() {
				return fmt.Errorf("%s is occupied", path)
			}
			there = tree.Entry{}
		}
		asExpected := edit.Unchecked || there.ID == edit.Expected || there.ID == edit.Want.ID || !there.ID.IsZero() && there.ID == edit.Also
		switch {
		case !asExpected:
			return fmt.Errorf("%s is not as expected", path)
		case edit.Writes():
			changes[path] = edit.Want
		case there.Mode != "":
			changes[path] = tree.Entry{}
		}
		for other := range change.Edits {
			if strings.HasPrefix(other, path+"/") {
				return errNested
			}
		}
	}
	b.commit(b.root().With(changes))
	return nil
}

var errNested = errors.New("two edits lie in each other")

// commit makes a root tree the present one.
func (b *modelBranch) commit(root *tree.Dir) {
	if root.ID != b.root().ID {
		b.roots = append(b.roots, root)
	}
}

// arrivals is git.Client.Arrivals for the records.
func (b *modelBranch) arrivals(names []string) map[string]int {
	arrived := map[string]int{}
	for _, name := range names {
		since := len(b.roots) - 1
		now := find(b.root(), recordPath(name)).ID
		for since > 0 && find(b.roots[since-1], recordPath(name)).ID == now {
			since--
		}
		if !now.IsZero() {
			arrived[name] = len(b.roots) - 1 - since
		}
	}
	return arrived
}

// records are those that count, as somebody who knows nothing reads them.
func (b *modelBranch) records(branch string) Records {
	state := b.read(git.Query{Paths: map[string]tree.Entry{RecordsFolder: {Mode: tree.ModeDir}}, Content: tellsOwners})
	records, err := ReadRecords(state.Found[RecordsFolder], branch)
	if err != nil {
		panic(err)
	}
	return records
}

// files are all files of a tree by their paths.
func files(dir *tree.Dir) map[string]tree.Entry {
	all := map[string]tree.Entry{}
	for _, e := range dir.Entries {
		if e.Dir == nil {
			all[e.Name] = e
			continue
		}
		for path, file := range files(e.Dir) {
			all[e.Name+"/"+path] = file
		}
	}
	return all
}

// merge brings in what a tree has changed since an earlier one, file by file, unless
// somebody else has changed the same since; it reports whether it did.
func (b *modelBranch) merge(base, proposed *tree.Dir) bool {
	before, now, then := files(base), files(b.root()), files(proposed)
	changes := map[string]tree.Entry{}
	for path := range before {
		if _, stays := then[path]; !stays {
			changes[path] = tree.Entry{}
		}
	}
	for path, e := range then {
		if e.ID != before[path].ID {
			changes[path] = e
		}
	}
	for path, e := range changes {
		if id := now[path].ID; id != before[path].ID && id != e.ID {
			return false
		}
		for other := range now {
			if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
				return false
			}
		}
	}
	b.commit(b.root().With(changes))
	return true
}
