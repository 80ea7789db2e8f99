// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// ReadRequest says what to look at below a location.
type ReadRequest struct {
	// Head is where the branch pointed when it was last read: while it still
	// does, nothing else is read. Zero reads in any case.
	Head tree.ID
	// Known are the ids of folders that were read before: the entries of
	// folders that still have them are not fetched.
	Known map[string]tree.ID
	// Names are the folders to look at; All adds every one that does not start with a dot.
	Names []string
	All   bool
	// Blobs are the names of files in those folders whose content is wanted.
	Blobs []string
	// KnownTracking is the blob that the promoted commit's file had, zero for
	// none; nil where that does not matter.
	KnownTracking *tree.ID
	// Rendered gives the folders as they were rendered, so that files that differ
	// are read; nil looks for none. It is called where something is not as known.
	Rendered func() map[string]*tree.Dir
}

// State is what was found below a location.
type State struct {
	// Head is the branch's commit; zero where the branch does not exist.
	Head tree.ID
	// Unchanged tells that it is the request's, so that the rest is left empty.
	Unchanged bool
	// Folders are the folders asked for that exist, by name.
	Folders map[string]*Folder
	// Tracking is the blob of .github/tracking/Promoted_Commit_Id at the
	// repository's root; zero where there is none.
	Tracking tree.ID
	// Differences are the files that are not as rendered; nil where everything is
	// as known, or nobody asked.
	Differences *Differences
}

// Folder is a folder below a location. Entries are there where the id is not
// the known one; of files asked for with Blobs they have the content.
type Folder struct {
	ID      tree.ID
	Entries []tree.Entry
}

// The tracking file stands below the repository's root, wherever the location's path is.
const (
	trackingTop  = ".github"
	trackingDir  = "tracking"
	trackingFile = "Promoted_Commit_Id"
)

// Read looks at folders below a location. It never writes, and needs no more
// than the right to read. A branch or path that does not exist holds no
// folders. Cost: one listing of references, and where the branch has moved, the
// trees on the path and the folders that are not as known.
func (c *Client) Read(ctx context.Context, loc Location, request ReadRequest) (*State, error) {
	r, err := c.remote(loc)
	if err != nil {
		return nil, err
	}
	var state *State
	err = c.retry(ctx, loc, func() error {
		state, err = r.read(ctx, loc, request)
		return err
	})
	return state, err
}

func (r *remote) read(ctx context.Context, loc Location, request ReadRequest) (*State, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	state := &State{Head: l.branch(loc.Branch), Folders: map[string]*Folder{}}
	if state.Head.IsZero() {
		return state, nil
	}
	if state.Head == request.Head {
		state.Unchanged = true
		return state, nil
	}
	segments := tree.SplitPath(loc.Path)
	s := newSource(r, l, state.Head)
	root, err := s.root(ctx, len(segments)+1)
	if err != nil {
		return nil, err
	}
	dir, err := s.below(ctx, root, segments)
	if err != nil {
		return nil, err
	}
	for _, e := range dir.Entries {
		if e.Mode.IsDir() && request.wants(e.Name) {
			state.Folders[e.Name] = &Folder{ID: e.ID}
		}
	}
	if err := s.readEntries(ctx, state.Folders, len(segments)+1, request); err != nil {
		return nil, err
	}
	if state.Tracking, err = s.tracking(ctx, root); err != nil || request.Rendered == nil || !request.differs(state) {
		return state, err
	}
	state.Differences, err = s.differences(ctx, state, request.Rendered(), len(segments)+1)
	return state, err
}

// differs tells whether something is not as known.
func (q ReadRequest) differs(state *State) bool {
	if q.KnownTracking != nil && *q.KnownTracking != state.Tracking {
		return true
	}
	for name, id := range q.Known {
		if folder := state.Folders[name]; folder == nil && !id.IsZero() || folder != nil && folder.ID != id {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(state.Folders)), func(name string) bool {
		_, known := q.Known[name]
		return !known
	})
}

func (q ReadRequest) wants(name string) bool {
	return q.All && !strings.HasPrefix(name, ".") || slices.Contains(q.Names, name)
}

// below gives the folder at a path; an empty one where there is none.
func (s *source) below(ctx context.Context, dir *tree.Dir, segments []string) (*tree.Dir, error) {
	for i, name := range segments {
		e, ok := dir.Find(name)
		if !ok || !e.Mode.IsDir() {
			return emptyDir, nil
		}
		var err error
		if dir, err = s.dir(ctx, i+1, e.ID); err != nil {
			return nil, err
		}
	}
	return dir, nil
}

// readEntries fills in the entries of the folders that are not as known.
func (s *source) readEntries(ctx context.Context, folders map[string]*Folder, depth int, request ReadRequest) error {
	var changed []*Folder
	var ids []tree.ID
	for name, folder := range folders {
		if folder.ID != request.Known[name] {
			changed = append(changed, folder)
			ids = append(ids, folder.ID)
		}
	}
	if err := s.load(ctx, depth, ids...); err != nil {
		return err
	}
	var blobs []*tree.Entry
	for _, folder := range changed {
		dir, err := s.dir(ctx, depth, folder.ID)
		if err != nil {
			return err
		}
		folder.Entries = dir.Entries
		for i := range folder.Entries {
			if e := &folder.Entries[i]; isFile(*e) && slices.Contains(request.Blobs, e.Name) {
				blobs = append(blobs, e)
			}
		}
	}
	return s.readBlobs(ctx, blobs)
}

// readBlobs fills in the content of files.
func (s *source) readBlobs(ctx context.Context, files []*tree.Entry) error {
	ids := make([]tree.ID, len(files))
	for i, e := range files {
		ids[i] = e.ID
	}
	if err := s.loadBlobs(ctx, ids...); err != nil {
		return err
	}
	for _, e := range files {
		o, ok := s.objects[e.ID]
		if !ok {
			return s.missing(e.ID)
		}
		e.Content = o.data
	}
	return nil
}

// tracking gives the blob of the promoted commit's file.
func (s *source) tracking(ctx context.Context, root *tree.Dir) (tree.ID, error) {
	dir, err := s.below(ctx, root, []string{trackingTop, trackingDir})
	if err != nil {
		return tree.ID{}, err
	}
	if e, ok := dir.Find(trackingFile); ok && isFile(e) {
		return e.ID, nil
	}
	return tree.ID{}, nil
}

func isFile(e tree.Entry) bool {
	return e.Mode == tree.ModeFile || e.Mode == tree.ModeExecutable || e.Mode == "100664"
}
