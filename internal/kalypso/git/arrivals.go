// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// maxArrivals commits of a branch are looked through for when files came into it.
const maxArrivals = 500

// Arrivals tells when files of a folder came into a branch as they are now: how many
// steps along first parents lead from its head to the commit that brought each of
// them. Those that are so for longer than we look, or are not there, are left out.
// Cost: one fetch of commits with the trees that lead to the folder, or one for each level
// of them.
func (c *Client) Arrivals(ctx context.Context, branch Branch, folder string, names []string) (map[string]int, error) {
	r, err := c.open(ctx, branch)
	if err != nil {
		return nil, err
	}
	var found map[string]int
	err = c.retry(ctx, branch, func() error {
		found, err = r.arrivals(ctx, branch, folder, names)
		return err
	})
	return found, err
}

func (r *repo) arrivals(ctx context.Context, branch Branch, folder string, names []string) (map[string]int, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s := newSource(r, l, l.branch(branch.Name))
	if s.commit.IsZero() {
		return nil, nil
	}
	s.depth = maxArrivals
	folders, complete, err := s.folderOverTime(ctx, folder)
	if err != nil {
		return nil, err
	}
	found := map[string]int{}
	for _, name := range names {
		now, there := folders[0].Find(name)
		if !there {
			continue
		}
		since := 0
		for since+1 < len(folders) {
			if before, _ := folders[since+1].Find(name); before.ID != now.ID {
				break
			}
			since++
		}
		if since+1 < len(folders) || complete {
			found[name] = since
		}
	}
	return found, nil
}

// folderOverTime returns a folder as it was in the source's commit and in those before
// it along first parents, and whether they are all that there are.
func (s *source) folderOverTime(ctx context.Context, folder string) (folders []*tree.Dir, complete bool, err error) {
	if err := s.deepen(ctx, len(tree.SplitPath(folder))+1); err != nil {
		return nil, false, err
	}
	roots, complete, err := s.rootsOverTime()
	if err != nil {
		return nil, false, err
	}
	folders, err = s.dirsOverTime(ctx, roots, folder)
	return folders, complete, err
}

// rootsOverTime returns the root trees of the source's commit and of those before it
// along first parents that were fetched with it, and whether they are all that there are.
func (s *source) rootsOverTime() (roots []tree.ID, complete bool, err error) {
	for commit := s.commit; ; {
		o, ok := s.objects[commit]
		if !ok && len(roots) == 0 {
			return nil, false, s.missing(commit)
		}
		if !ok {
			return roots, false, nil
		}
		root, err := parseCommit(o.data)
		if err != nil {
			return nil, false, err
		}
		roots = append(roots, root)
		parents := parentsOf(o.data)
		if len(parents) == 0 {
			return roots, true, nil
		}
		commit = parents[0]
	}
}
