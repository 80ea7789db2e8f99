// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Query lists what Read looks at in a branch. Paths start at the repository's root.
type Query struct {
	// Head is the branch's commit at the last read. If the branch is still at this commit,
	// nothing else is read. Zero always reads.
	Head tree.ID
	// Paths are the files (tree.ModeFile) and folders (tree.ModeDir) to look at, with their ids
	// at the last read; zero ids for missing paths. The entries of folders with an unchanged id
	// are not fetched.
	Paths map[string]tree.Entry
	// Others, if not nil, chooses further folders in Folder by their names.
	Folder string
	Others func(name string) bool
	// Content, if not nil, chooses files in the folders by their paths. Read returns the
	// content of these files.
	Content func(path string) bool
	// StartFrom is the branch from which a missing branch would start.
	StartFrom string
	// Compare returns the paths to compare file by file, with their expected entries; nil for
	// no comparison. Read calls Compare only if a path differs from Paths.
	Compare func(*Answer) map[string]tree.Entry
}

// Answer is the content of a branch, as far as a query asks for it.
type Answer struct {
	// Head is the branch's commit; zero if the branch does not exist.
	Head tree.ID
	// NotWritable is the reason why the branch cannot be written, or a missing one be created, as far as
	// a reader sees it; nil for none.
	NotWritable error
	// Unchanged says that Head is the query's Head. The other fields are then empty.
	Unchanged bool
	// Found are the existing files and folders of the query, by path.
	Found map[string]*Found
	// Differences are the files that differ from the entries of Compare, by path. If too many
	// files differ, some of those in folders are left out.
	Differences []Difference
}

// ID returns the id of the entry at a path; zero if the path does not exist.
func (s *Answer) ID(path string) tree.ID {
	if found := s.Found[path]; found != nil {
		return found.ID
	}
	return tree.ID{}
}

// Found is a file or folder. Entries is filled if the folder's id differs from the id in the
// query. The files that Content chooses have their content.
type Found struct {
	Mode    tree.Mode
	ID      tree.ID
	Entries []tree.Entry
}

// Read looks at files and folders of a branch. It needs only the right to read. A branch that
// does not exist has no files. Cost: one listing of references. If the branch has a new
// commit since the last read: also the Git trees along the query's paths and of the changed
// folders.
func (c *Client) Read(ctx context.Context, branch Branch, query Query) (*Answer, error) {
	if err := tree.CheckPath(query.Folder); err != nil {
		return nil, err
	}
	return attempt(ctx, c, branch, func(r *repo) (*Answer, error) { return r.read(ctx, branch, query) })
}

func (r *repo) read(ctx context.Context, branch Branch, query Query) (*Answer, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	state := &Answer{Head: l.branch(branch.Name), Found: map[string]*Found{}}
	if state.Head.IsZero() {
		if state.NotWritable = l.checkNew(branch.Name); state.NotWritable == nil {
			_, state.NotWritable = r.start(l, query.StartFrom)
		}
		return state, nil
	}
	state.NotWritable = l.checkCheckout(branch.Name)
	if state.Head == query.Head {
		state.Unchanged = true
		return state, nil
	}
	s := newSource(r, l, state.Head)
	if err := s.answer(ctx, state, query); err != nil {
		return nil, err
	}
	return state, nil
}

// answer fills in the entries at the paths, the further folders, and the differences.
func (s *source) answer(ctx context.Context, state *Answer, query Query) error {
	root, err := s.root(ctx, query.levels())
	if err != nil {
		return err
	}
	roots := []tree.ID{root.ID}
	found, err := s.look(ctx, roots, slices.Collect(maps.Keys(query.Paths))...)
	if err != nil {
		return err
	}
	for name, there := range found {
		if e := sameKind(there[0], query.Paths[name].Mode); e.Mode != "" {
			state.Found[name] = &Found{Mode: query.Paths[name].Mode, ID: e.ID}
		}
	}
	if query.Others != nil {
		if err := s.others(ctx, state, roots, query); err != nil {
			return err
		}
	}
	if err := s.readEntries(ctx, state.Found, query); err != nil || query.Compare == nil || !query.differs(state) {
		return err
	}
	state.Differences, err = s.differences(ctx, state, query.Compare(state))
	return err
}

// others fills in the further folders, without their entries.
func (s *source) others(ctx context.Context, state *Answer, roots []tree.ID, query Query) error {
	folder := path.Join(tree.SplitPath(query.Folder)...)
	dirs, err := s.folders(ctx, roots, folder)
	if err != nil {
		return err
	}
	for _, e := range dirs[folder][0].Entries {
		at := path.Join(folder, e.Name)
		if e.Mode.IsDir() && state.Found[at] == nil && query.Others(e.Name) {
			state.Found[at] = &Found{Mode: tree.ModeDir, ID: e.ID}
		}
	}
	return nil
}

// levels returns how many levels of trees lead to the folders of the query.
func (q Query) levels() int {
	levels := 1
	if q.Others != nil {
		levels += len(tree.SplitPath(q.Folder))
	}
	for name, known := range q.Paths {
		if known.Mode == tree.ModeDir {
			levels = max(levels, len(tree.SplitPath(name)))
		}
	}
	return levels
}

func (q Query) differs(state *Answer) bool {
	for name, known := range q.Paths {
		if state.ID(name) != known.ID {
			return true
		}
	}
	for name := range state.Found {
		if _, known := q.Paths[name]; !known {
			return true
		}
	}
	return false
}

// readEntries fills in the entries of the changed folders.
func (s *source) readEntries(ctx context.Context, found map[string]*Found, query Query) error {
	var changed []string
	var ids []tree.ID
	for name, f := range found {
		if f.Mode == tree.ModeDir && f.ID != query.Paths[name].ID {
			changed, ids = append(changed, name), append(ids, f.ID)
		}
	}
	dirs, err := s.dirs(ctx, ids...)
	if err != nil {
		return err
	}
	var files []*tree.Entry
	for _, name := range changed {
		f := found[name]
		f.Entries = slices.Clone(dirs[f.ID].Entries)
		for i := range f.Entries {
			if e := &f.Entries[i]; query.Content != nil && IsFile(*e) && query.Content(name+"/"+e.Name) {
				files = append(files, e)
			}
		}
	}
	return s.readBlobs(ctx, files)
}
