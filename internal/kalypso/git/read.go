// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Query lists what Read looks at in a branch. Paths start at the repository's root.
type Query struct {
	// Paths are the files (tree.ModeFile) and folders (tree.ModeDir) to look at, with their ids
	// at the last read; zero ids for missing paths. The entries of folders with an unchanged id
	// are not fetched.
	Paths map[string]tree.Entry
	// Content, if not nil, chooses files in the folders by their paths. Read returns the
	// content of these files.
	Content func(path string) bool
	// Unless is a commit of which the caller knows everything; zero for none. If it is the branch's head, Read looks at nothing.
	Unless tree.ID
	// Compare has the paths to compare file by file, with their expected entries; nil for no comparison.
	Compare map[string]tree.Entry
}

// Answer is the content of a branch, as far as a query asks for it.
type Answer struct {
	// Head is the branch's commit; zero if the branch does not exist.
	Head tree.ID
	// Found are the existing files and folders of the query, by path.
	Found map[string]*Found
	// Differences are the files that differ from the entries of Compare, by path. They have no content if it
	// is larger than the limit for one fetch.
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
// does not exist has no files; KindBranchNotFound if its name is that of something else. Cost: one listing of references, and the
// Git trees along the query's paths and of the changed folders.
func (c *Client) Read(ctx context.Context, branch Branch, query Query) (*Answer, error) {
	return attempt(ctx, c, branch, func(read *reader) (*Answer, error) {
		if err := read.mistaken(branch.Name); err != nil {
			return nil, err
		}
		head := read.branch(branch.Name)
		if head == query.Unless && !head.IsZero() {
			return &Answer{Head: head}, nil
		}
		_, answer, err := read.answer(ctx, head, query)
		return answer, err
	})
}

// answer answers a query about a commit, which may be zero.
func (r *reader) answer(ctx context.Context, id tree.ID, query Query) (Commit, *Answer, error) {
	a := &Answer{Head: id, Found: map[string]*Found{}}
	c, err := r.commit(ctx, id, r.levels(levels(query.Paths)))
	if err != nil {
		return c, nil, err
	}
	found, err := r.look(ctx, []tree.ID{c.root}, slices.Collect(maps.Keys(query.Paths))...)
	if err != nil {
		return c, nil, err
	}
	for name, known := range query.Paths {
		if e := sameKind(found[name][0], known.Mode); e.Mode != "" {
			a.Found[name] = &Found{Mode: known.Mode, ID: e.ID}
		}
	}
	if err = r.entries(ctx, a.Found, query); err == nil {
		a.Differences, err = r.differences(ctx, a, query.Compare)
	}
	return c, a, err
}

func levels(paths map[string]tree.Entry) int {
	levels := 1
	for name, e := range paths {
		if e.Mode == tree.ModeDir {
			levels = max(levels, len(tree.SplitPath(name)))
		}
	}
	return levels
}

func (r *reader) entries(ctx context.Context, found map[string]*Found, query Query) error {
	changed := map[string]*Found{}
	var ids []tree.ID
	for name, f := range found {
		if f.Mode == tree.ModeDir && f.ID != query.Paths[name].ID {
			changed[name], ids = f, append(ids, f.ID)
		}
	}
	dirs, err := r.dirs(ctx, ids...)
	if err != nil {
		return err
	}
	var files []*tree.Entry
	for name, f := range changed {
		f.Entries = slices.Clone(dirs[f.ID].Entries)
		for i := range f.Entries {
			if e := &f.Entries[i]; query.Content != nil && IsFile(*e) && query.Content(name+"/"+e.Name) {
				files = append(files, e)
			}
		}
	}
	return r.fill(ctx, files)
}
