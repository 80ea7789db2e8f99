// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

type entry struct {
	path string
	id   tree.ID
}

// fileTree is the files of a commit, or of a folder on this machine. Paths are
// slash-separated and start at its root.
type fileTree interface {
	// Find returns the entry at a path, and whether it exists.
	Find(path string) (tree.Entry, bool, error)
	// Walk calls visit for everything below a folder. It stops at the first error of visit.
	Walk(folder string, visit func(path string, e tree.Entry) error) error
	// read returns the contents of files, by path. It returns an error if they are too large together.
	read(ctx context.Context, files []entry) (map[string][]byte, error)
}

// listing has the files of a source.
type listing struct {
	// wanted are the YAML files that are not ignored, by path.
	wanted []entry
	// unreadable are files that cannot be read as Flux reads them.
	unreadable []unreadable
	// ignoreFiles are those in the folder, and above it.
	ignoreFiles []entry
}

type unreadable struct {
	path   string
	reason problem.Problem
}

// list finds the files of a folder. The error says why the folder cannot be read.
func list(ctx context.Context, t fileTree, folder string) (listing, error) {
	var l listing
	if err := l.enter(t, folder); err != nil {
		return l, err
	}
	if err := l.walk(ctx, t, folder); err != nil {
		return l, err
	}
	ignored, err := l.ignores(ctx, t)
	if err != nil {
		return l, err
	}
	there := len(l.wanted)
	l.wanted = slices.DeleteFunc(l.wanted, func(e entry) bool { return ctx.Err() == nil && ignored.match(e.path) })
	l.unreadable = slices.DeleteFunc(l.unreadable, func(u unreadable) bool { return ctx.Err() == nil && ignored.match(u.path) })
	if there > 0 && len(l.wanted) == 0 && folder != "." {
		return l, fmt.Errorf("every YAML file in it is excluded, by %s or as Flux does by default, so Flux would not find it either. "+
			"Include the folder, or name another", ignoreFile)
	}
	if len(l.wanted) > maxFiles {
		return l, fmt.Errorf("it holds %d YAML files, and %d may be read. Name a folder further down, or exclude what is not needed by %s",
			len(l.wanted), maxFiles, ignoreFile)
	}
	slices.SortFunc(l.wanted, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return l, ctx.Err()
}

// enter checks that a path is a folder without symbolic links on the way, and finds the ignore files
// above it.
func (l *listing) enter(t fileTree, folder string) error {
	at := ""
	for _, name := range tree.SplitPath(folder) {
		file := path.Join(at, ignoreFile)
		if e, ok, err := t.Find(file); err != nil {
			return err
		} else if ok && e.Mode == tree.ModeFile {
			l.ignoreFiles = append(l.ignoreFiles, entry{file, e.ID})
		}
		at = path.Join(at, name)
		e, ok, err := t.Find(at)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("there is no folder %q in it. Check the path", at)
		case e.Mode == tree.ModeSymlink:
			return fmt.Errorf("%q is a symbolic link, which is not followed. Name the folder that it points to", at)
		case e.Mode != tree.ModeDir:
			return fmt.Errorf("%q is not a folder. Name the folder that has the file", at)
		}
	}
	return nil
}

// The reasons why files cannot be read.
var (
	isSymlink = problem.Problem{Summary: "Symbolic link",
		Detail: "The file is a symbolic link, which is not followed. Put the file itself there, or exclude it by " + ignoreFile + "."}
	isKustomization = problem.Problem{Summary: "Kustomization",
		Detail: "Flux builds this folder with kustomize, which is not done here, and without it the fleet could come out differently. Run " +
			"kustomize build yourself and pass its output in manifests, or exclude the folder by " + ignoreFile + "."}
)

func (l *listing) walk(ctx context.Context, t fileTree, folder string) error {
	return t.Walk(folder, func(p string, e tree.Entry) error {
		name := path.Base(p)
		yaml := strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
		switch {
		case e.Mode == tree.ModeSymlink && yaml:
			l.unreadable = append(l.unreadable, unreadable{p, isSymlink})
		case e.Mode != tree.ModeFile:
		case slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, name):
			l.unreadable = append(l.unreadable, unreadable{p, isKustomization})
		case name == ignoreFile:
			l.ignoreFiles = append(l.ignoreFiles, entry{p, e.ID})
		case yaml:
			l.wanted = append(l.wanted, entry{p, e.ID})
		}
		return ctx.Err()
	})
}

func (l *listing) ignores(ctx context.Context, t fileTree) (*ignores, error) {
	ignored := newIgnores()
	slices.SortStableFunc(l.ignoreFiles, func(a, b entry) int { return strings.Count(a.path, "/") - strings.Count(b.path, "/") })
	texts, err := t.read(ctx, l.ignoreFiles)
	for _, f := range l.ignoreFiles {
		ignored.add(tree.SplitPath(path.Dir(f.path)), string(texts[f.path]))
	}
	return ignored, err
}

// checkSize returns an error if the texts of the wanted files are too large together.
func (l listing) checkSize(texts map[string][]byte) error {
	size := 0
	for _, f := range l.wanted {
		size += len(texts[f.path])
	}
	if size > maxBytes {
		return fmt.Errorf("its YAML files are larger than %d MiB together. Name a folder further down, or exclude what is not needed "+
			"by %s", maxBytes>>20, ignoreFile)
	}
	return nil
}
