// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// edit makes a new root tree out of the one that a commit has. Trees are only
// read where they are on the path; the rest is kept by id.
type edit struct {
	source *source
	before *tree.Dir
	root   *tree.Dir
	// replaced are the folders of ours that change, as they were; differ are the
	// packages in them that change, as they were.
	replaced []tree.Entry
	differ   []tree.ID
}

// open gives the folders on a path, from the root to its end; empty ones where
// they do not exist. What is not a folder is never followed.
func (e *edit) open(ctx context.Context, segments []string) ([]*tree.Dir, error) {
	chain := []*tree.Dir{e.root}
	for i, name := range segments {
		found, ok := chain[i].Find(name)
		var next *tree.Dir
		var err error
		switch {
		case !ok:
			next = emptyDir
		case !found.Mode.IsDir():
			return nil, e.notFolder(found, segments[:i+1])
		case found.Dir != nil:
			next = found.Dir
		default:
			next, err = e.source.dir(ctx, i+1, found.ID)
		}
		if err != nil {
			return nil, err
		}
		chain = append(chain, next)
	}
	return chain, nil
}

// notFolder says that something else stands where a folder has to be.
func (e *edit) notFolder(found tree.Entry, segments []string) error {
	what, special := map[tree.Mode]string{
		tree.ModeSymlink:   "a symbolic link, which is not followed",
		tree.ModeSubmodule: "a submodule",
	}[found.Mode]
	if !special {
		what = "a file"
	}
	return &Error{Kind: KindNotFolder, Message: fmt.Sprintf(
		"%s of %s has to be a folder, but is %s. Remove or rename it in the repository, or write to another path",
		strings.Join(segments, "/"), e.source.remote.name, what)}
}

// tracking sets or removes the promoted commit's file, where it is not as it has
// to be. What is no plain file is neither.
func (e *edit) tracking(ctx context.Context, change Change) error {
	if change.Tracking == nil {
		return nil
	}
	actual, err := e.source.tracking(ctx, e.before)
	if err != nil || actual == change.Tracking.wanted() {
		return err
	}
	segments := []string{trackingTop, trackingDir}
	chain, err := e.open(ctx, segments)
	if err != nil {
		return err
	}
	dir := chain[len(chain)-1]
	if old, ok := dir.Find(trackingFile); ok && !isFile(old) {
		return &Error{Kind: KindNotFolder, Message: fmt.Sprintf("%s/%s of %s has to be a file, but is something else. Remove it from the repository",
			strings.Join(segments, "/"), trackingFile, e.source.remote.name)}
	}
	entries := slices.DeleteFunc(slices.Clone(dir.Entries), func(x tree.Entry) bool { return x.Name == trackingFile })
	if content := change.Tracking.Content; content != nil {
		entries = append(entries, tree.File(trackingFile, content))
	}
	e.root = graft(chain, segments, tree.FromForeign(entries))
	return nil
}

// graft puts a new folder at the end of a path, and gives the root that follows
// from it. Folders that become empty disappear, as git keeps none.
func graft(chain []*tree.Dir, segments []string, bottom *tree.Dir) *tree.Dir {
	for i := len(segments) - 1; i >= 0; i-- {
		if bottom.ID == chain[i+1].ID {
			return chain[0] // nothing changes, so nothing changes above
		}
		name := segments[i]
		entries := slices.DeleteFunc(slices.Clone(chain[i].Entries), func(e tree.Entry) bool { return e.Name == name })
		if len(bottom.Entries) > 0 {
			entries = append(entries, tree.Subdir(name, bottom))
		}
		bottom = tree.FromForeign(entries)
	}
	return bottom
}

// compareFolders reads the entries of the folders that are replaced, which
// stand at that depth: what is there already need not be sent.
func (e *edit) compareFolders(ctx context.Context, depth int, change Change) error {
	ids := make([]tree.ID, len(e.replaced))
	for i, old := range e.replaced {
		ids[i] = old.ID
	}
	if err := e.source.load(ctx, depth, ids...); err != nil {
		return err
	}
	for _, old := range e.replaced {
		now, err := e.source.dir(ctx, depth, old.ID)
		if err != nil {
			return err
		}
		wanted := make(map[string]tree.ID, len(now.Entries))
		for _, entry := range change.Folders[old.Name].Entries {
			wanted[entry.Name] = entry.ID
		}
		for _, entry := range now.Entries {
			if id, stays := wanted[entry.Name]; stays && id != entry.ID && entry.Mode.IsDir() {
				e.differ = append(e.differ, entry.ID)
			}
		}
	}
	return nil
}

// maxCompared packages are asked for by id; beyond that, sending their files
// again is cheaper than finding out which of them the server has.
const maxCompared = 1000

// compareFiles reads which files the packages that change have, where that is
// cheap: without it, a package's unchanged files are sent once more.
func (e *edit) compareFiles(ctx context.Context) {
	if e.source.remote.stateless && len(e.differ) <= maxCompared {
		e.source.tryLoad(ctx, e.differ)
	}
}
