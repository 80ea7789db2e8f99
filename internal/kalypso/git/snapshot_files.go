// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Commit is the commit's id.
func (s *Snapshot) Commit() tree.ID { return s.source.commit }

// Find returns the entry at a path, and whether it exists. Errors: the path leads out of
// the opened folders.
func (s *Snapshot) Find(path string) (tree.Entry, bool, error) {
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	root, err := s.source.rootID()
	if err != nil {
		return tree.Entry{}, false, err
	}
	found := tree.Entry{Mode: tree.ModeDir, ID: root}
	for _, name := range tree.SplitPath(path) {
		if found.Mode != tree.ModeDir {
			return tree.Entry{}, false, nil
		}
		dir, err := s.source.loaded(found.ID)
		if err != nil {
			return tree.Entry{}, false, err
		}
		e, ok := dir.Find(name)
		if !ok {
			return tree.Entry{}, false, nil
		}
		found = normal(e)
	}
	return found, true, nil
}

// Walk shows everything below a folder to visit: the paths from the repository's
// root, in git's order. It ends with the first error of visit.
func (s *Snapshot) Walk(folder string, visit func(path string, e tree.Entry) error) error {
	start, ok, err := s.Find(folder)
	if err != nil || !ok {
		return err
	}
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	prefix := ""
	for _, name := range tree.SplitPath(folder) {
		prefix += name + "/"
	}
	return s.walk(prefix, start.ID, visit)
}

func (s *Snapshot) walk(prefix string, id tree.ID, visit func(path string, e tree.Entry) error) error {
	dir, err := s.source.loaded(id)
	if err != nil {
		return err
	}
	for _, e := range dir.Entries {
		e = normal(e)
		path := prefix + e.Name
		if err := visit(path, e); err != nil {
			return err
		}
		if e.Mode == tree.ModeDir {
			if err := s.walk(path+"/", e.ID, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fetch fetches the blobs of files, as far as they are not there yet, at once.
// Errors: as Open has them; remote.KindTooLarge if these files are too large together.
func (s *Snapshot) Fetch(ctx context.Context, blobs ...tree.ID) error {
	return s.run.online(ctx, s.repository, s.revision, func() error {
		defer s.source.rest()
		return s.source.loadBlobs(ctx, blobs...)
	})
}

// Blob returns the content of a file that was fetched.
func (s *Snapshot) Blob(id tree.ID) ([]byte, error) {
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	o, ok := s.source.objects[id]
	if !ok {
		return nil, s.source.missing(id)
	}
	return o.data, nil
}

// normal returns an entry with a mode that git writes today.
func normal(e tree.Entry) tree.Entry {
	switch {
	case e.Mode.IsDir():
		e.Mode = tree.ModeDir
	case IsFile(e):
		e.Mode = tree.ModeFile
	}
	return e
}
