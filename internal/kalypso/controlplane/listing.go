// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Bounds of a source, so that a hostile one holds nobody up.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
	// maxEntries is how many names are looked at to find the files.
	maxEntries = 1_000_000
	// maxPath is how long a path may get, and so how deep folders may nest.
	maxPath = 4096
	// maxIgnoreBytes is how much all ignore files may hold together.
	maxIgnoreBytes = 64 << 10
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
	// Walk shows all that is below a folder to visit, until that gives an error.
	Walk(folder string, visit func(path string, e tree.Entry) error) error
	// fetch gets the contents of files, and fails where they are too large together.
	fetch(ctx context.Context, files []entry) error
	// content returns what fetch has got.
	content(file entry) ([]byte, error)
}

// listing has the files of a source that are read.
type listing struct {
	tree fileTree
	// wanted are the YAML files that are not ignored, by path.
	wanted []entry
	// unreadable are files that we cannot read as Flux does, with the reason.
	unreadable []unreadable
}

type unreadable struct {
	path   string
	reason problem.Problem
}

// found is what a walk comes by.
type found struct{ yaml, symlinks, kustomizations, ignoreFiles []entry }

// list finds the files of a folder. The error says why the folder cannot be read.
func list(ctx context.Context, t fileTree, folder string) (*listing, error) {
	above, err := checkFolder(t, folder)
	if err != nil {
		return nil, err
	}
	all, err := walk(ctx, t, folder)
	if err != nil {
		return nil, err
	}
	ignored := newIgnores()
	if err := loadIgnores(ctx, t, ignored, append(above, all.ignoreFiles...)); err != nil {
		return nil, err
	}
	if ignored.work(all.yaml, all.symlinks, all.kustomizations) > maxMatching {
		return nil, faultf("its %s files have too many patterns for so many files. Write fewer patterns, "+
			"or name a folder further down", ignoreFile)
	}
	ignore := func(e entry) bool { return ctx.Err() == nil && ignored.match(e.path) }
	there := len(all.yaml)
	l := &listing{tree: t, wanted: slices.DeleteFunc(all.yaml, ignore)}
	if there > 0 && len(l.wanted) == 0 && folder != "." {
		return nil, faultf("every YAML file in it is excluded, by %s or as Flux does by default, so Flux would not find it either. "+
			"Include the folder, or name another", ignoreFile)
	}
	slices.SortFunc(l.wanted, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	if len(l.wanted) > maxFiles {
		return nil, faultf("it holds %d YAML files, and %d may be read. Name a folder further down, or exclude what is not needed by %s",
			len(l.wanted), maxFiles, ignoreFile)
	}
	for _, e := range slices.DeleteFunc(all.symlinks, ignore) {
		l.unreadable = append(l.unreadable, unreadable{e.path, problem.Problem{
			Summary: "Symbolic link",
			Detail:  fmt.Sprintf("The file is a symbolic link, which is not followed. Put the file itself there, or exclude it by %s.", ignoreFile),
		}})
	}
	for _, e := range slices.DeleteFunc(all.kustomizations, ignore) {
		l.unreadable = append(l.unreadable, unreadable{e.path, problem.Problem{
			Summary: "Kustomization",
			Detail: fmt.Sprintf("Flux builds this folder with kustomize, which is not done here, and without it the fleet could come out "+
				"differently. Run kustomize build yourself and pass its output in manifests, or exclude the folder by %s.", ignoreFile),
		}})
	}
	return l, ctx.Err()
}

// checkFolder makes sure that the folder is one, reached through no symbolic
// link, and returns the ignore files above it.
func checkFolder(t fileTree, folder string) ([]entry, error) {
	var above []entry
	at := ""
	for _, name := range tree.SplitPath(folder) {
		file := path.Join(at, ignoreFile)
		if e, ok, err := t.Find(file); err != nil {
			return nil, err
		} else if ok && e.Mode == tree.ModeFile {
			above = append(above, entry{file, e.ID})
		}
		at = path.Join(at, name)
		e, ok, err := t.Find(at)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, fmt.Errorf("there is no folder %q in it. Check the path", at)
		case e.Mode == tree.ModeSymlink:
			return nil, faultf("%q is a symbolic link, which is not followed. Name the folder that it points to", at)
		case e.Mode != tree.ModeDir:
			return nil, faultf("%q is not a folder. Name the folder that has the file", at)
		}
	}
	return above, nil
}

// kustomizations are the names by which kustomize knows its files.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// walk looks at everything below a folder.
func walk(ctx context.Context, t fileTree, folder string) (found, error) {
	var all found
	entries := 0
	err := t.Walk(folder, func(p string, e tree.Entry) error {
		if entries++; entries > maxEntries || len(p) > maxPath {
			return faultf("it holds more than %d files and folders, or paths longer than %d bytes. Name a folder further down", maxEntries,
				maxPath)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, file := path.Base(p), entry{p, e.ID}
		yaml := strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
		switch {
		case e.Mode == tree.ModeSymlink && yaml:
			all.symlinks = append(all.symlinks, file)
		case e.Mode != tree.ModeFile:
		case slices.Contains(kustomizations, name):
			all.kustomizations = append(all.kustomizations, file)
		case name == ignoreFile:
			all.ignoreFiles = append(all.ignoreFiles, file)
		case yaml:
			all.yaml = append(all.yaml, file)
		}
		return nil
	})
	return all, err
}

func loadIgnores(ctx context.Context, t fileTree, ignored *ignores, files []entry) error {
	if len(files) == 0 {
		return nil
	}
	slices.SortStableFunc(files, func(a, b entry) int { return strings.Count(a.path, "/") - strings.Count(b.path, "/") })
	if err := t.fetch(ctx, files); err != nil {
		return err
	}
	size := 0
	for _, f := range files {
		text, err := t.content(f)
		if err != nil {
			return err
		}
		if size += len(text); size > maxIgnoreBytes {
			return faultf("its %s files hold more than %d bytes", ignoreFile, maxIgnoreBytes)
		}
		folder := tree.SplitPath(path.Dir(f.path))
		ignored.add(folder, string(text))
	}
	return nil
}

// contents returns the text of the wanted files, which have been fetched.
func (l *listing) contents() ([][]byte, error) {
	texts := make([][]byte, len(l.wanted))
	size := 0
	for i, f := range l.wanted {
		text, err := l.tree.content(f)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxBytes {
			return nil, faultf("its YAML files are larger than %d MiB together. Name a folder further down, or exclude what is not needed "+
				"by %s", maxBytes>>20, ignoreFile)
		}
		texts[i] = text
	}
	return texts, nil
}

// fault is what is wrong with the content of a source that can be reached. Its team has to
// fix it.
type fault struct{ error }

func faultf(format string, args ...any) error { return fault{fmt.Errorf(format, args...)} }

// ignoreFile names the files that exclude others, in gitignore's language.
const ignoreFile = ".sourceignore"

// defaultExcludes is what Flux's source-controller leaves out of every source.
var defaultExcludes = []string{
	".git/", ".gitignore", ".gitmodules", ".gitattributes",
	"*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip",
	".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml", "codeship-services.yml",
	"codeship-steps.yml",
	"**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml",
}

// ignores decides about files as source-controller does: each file by its whole
// path, the last pattern that matches decides. So an excluded folder may hold a
// file that is included again.
type ignores struct {
	patterns []gitignore.Pattern
	// parts is how many names the patterns of ignore files are made of. A long one counts as
	// many: the characters of a class are compared one by one.
	parts int
}

// maxMatching bounds how much the ignore files of a source may ask for: parts of patterns times
// bytes of paths. A hundred patterns for the 20,000 files of a source are a tenth of it.
const maxMatching = 1 << 30

// partLength is how many bytes of a pattern count as one part more.
const partLength = 8

// work returns how much it is to match the files.
func (i *ignores) work(files ...[]entry) int64 {
	size := 0
	for _, f := range slices.Concat(files...) {
		size += len(f.path)
	}
	return int64(i.parts) * int64(size)
}

// newIgnores starts with the default exclusions.
func newIgnores() *ignores {
	i := &ignores{}
	for _, pattern := range defaultExcludes {
		i.patterns = append(i.patterns, gitignore.ParsePattern(pattern, nil))
	}
	return i
}

// add takes the patterns of an ignore file in that folder. Those of a folder
// have to come before those of the folders in it.
func (i *ignores) add(folder []string, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			i.patterns = append(i.patterns, gitignore.ParsePattern(line, folder))
			i.parts += 1 + strings.Count(line, "/") + len(line)/partLength
		}
	}
}

// match reports whether the file at that path is excluded.
func (i *ignores) match(path string) bool {
	return gitignore.NewMatcher(i.patterns).Match(strings.Split(path, "/"), false)
}
