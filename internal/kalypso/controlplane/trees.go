// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// directory is a folder on this machine. Links that lead out of it are not followed.
type directory struct{ root *os.Root }

// Find returns the entry at a path.
func (d directory) Find(path string) (tree.Entry, bool, error) {
	info, err := d.root.Lstat(filepath.FromSlash(path))
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Entry{}, false, nil
	}
	if err != nil {
		return tree.Entry{}, false, fmt.Errorf("%q cannot be read: %w", path, cause(err))
	}
	return entryOf(info.Name(), info.Mode()), true, nil
}

// notSources are folders beside a source that are not part of it, whatever an ignore file
// says: Git's own folder, and Terraform's.
var notSources = []string{".git", ".terraform"}

// Walk shows everything below a folder, sorted by name.
func (d directory) Walk(folder string, visit func(path string, e tree.Entry) error) error {
	return fs.WalkDir(d.root.FS(), folder, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%q cannot be read: %w", at, cause(err))
		case at == folder:
			return nil
		case e.IsDir() && slices.Contains(notSources, e.Name()):
			return fs.SkipDir
		}
		return visit(at, entryOf(e.Name(), e.Type()))
	})
}

// entryOf returns an entry with git's mode; without a mode for pipes and devices, which are not read.
func entryOf(name string, mode fs.FileMode) tree.Entry {
	switch {
	case mode.IsDir():
		return tree.Entry{Name: name, Mode: tree.ModeDir}
	case mode.IsRegular():
		return tree.Entry{Name: name, Mode: tree.ModeFile}
	case mode&fs.ModeSymlink != 0:
		return tree.Entry{Name: name, Mode: tree.ModeSymlink}
	}
	return tree.Entry{Name: name}
}

func (d directory) read(_ context.Context, files []entry) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, f := range files {
		text, err := d.root.ReadFile(filepath.FromSlash(f.path))
		if err != nil {
			return nil, fmt.Errorf("%q cannot be read: %w", f.path, cause(err))
		}
		texts[f.path] = text
	}
	return texts, nil
}

// cause removes the path from an error: the message has it already.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

type commit struct{ *git.Snapshot }

func (c commit) read(ctx context.Context, files []entry) (map[string][]byte, error) {
	ids, texts := make([]tree.ID, len(files)), map[string][]byte{}
	for i, f := range files {
		ids[i] = f.id
	}
	contents, err := c.Blobs(ctx, ids)
	for _, f := range files {
		texts[f.path] = contents[f.id]
	}
	return texts, err
}
