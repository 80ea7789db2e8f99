// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// read reads the sources that were not read before: all folders of a revision together, and all
// revisions at the same time. Then it decodes their files in the order of the sources.
func (r *run) read(ctx context.Context, wave []*source) {
	groups := map[address][]*source{} // by address without path
	var unread []*source
	for _, s := range wave {
		if !s.read {
			s.read = true
			root := address{directory: s.directory, revision: s.revision}
			groups[root] = append(groups[root], s)
			unread = append(unread, s)
		}
	}
	var readers sync.WaitGroup
	for root, sources := range groups {
		readers.Go(func() {
			var err error
			if root.directory != "" {
				err = readDirectory(ctx, root.directory, sources)
			} else {
				err = r.readRevision(ctx, root.revision, sources)
			}
			for _, s := range sources {
				s.unreachable = cmp.Or(s.unreachable, err)
			}
		})
	}
	readers.Wait()
	for _, s := range unread {
		r.take(s)
	}
}

func readDirectory(ctx context.Context, folder string, sources []*source) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("the folder cannot be opened: %w", cause(err))
	}
	defer func() { _ = root.Close() }()
	return readTree(ctx, directory{root}, sources)
}

// errOffline says that the Loader cannot read repositories; its text has the reason.
var errOffline = errors.New("repositories cannot be read yet")

// readRevision reads folders of one commit. If all of them belong to other teams, their server has limited time.
func (r *run) readRevision(ctx context.Context, at git.Revision, sources []*source) error {
	switch {
	case r.loader.Snapshots == nil:
		return errOffline
	case at.Commit == record.Unread:
		return errors.New("the release has no commit of it, because it could not be read when the release was made. Promote a newer release")
	}
	if !slices.ContainsFunc(sources, func(s *source) bool { return s.platform }) {
		at.Patience = cmp.Or(r.loader.sourceTime, sourceTime)
	}
	folders := make([]string, len(sources))
	for i, s := range sources {
		folders[i] = s.path
	}
	snapshot, err := r.loader.Snapshots.Open(ctx, at, folders...)
	if err != nil {
		return err
	}
	for _, s := range sources {
		s.commit = snapshot.Commit().String()
	}
	return readTree(ctx, commit{snapshot}, sources)
}

// readTree reads folders of a tree, with one fetch for all their files. It returns the error of the
// fetch. The error of one folder is in its source.
func readTree(ctx context.Context, t fileTree, sources []*source) error {
	var all []entry
	for _, s := range sources {
		if s.listing, s.unreachable = list(ctx, t, s.path); s.unreachable == nil {
			all = append(all, s.listing.wanted...)
		}
	}
	texts, err := t.read(ctx, all)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if s.unreachable == nil {
			s.texts, s.unreachable = texts, s.listing.checkSize(texts)
		}
	}
	return nil
}

// take decodes what was read of a source.
func (r *run) take(s *source) {
	if s.unreachable != nil {
		return
	}
	for _, u := range s.listing.unreadable {
		f, _ := r.file(s, u.path)
		u.reason.Where = f.name
		f.problems.Add(u.reason)
	}
	for _, e := range s.listing.wanted {
		if f, isNew := r.file(s, e.path); isNew {
			r.decode(f, string(s.texts[e.path]))
			if s == r.root {
				r.pin(f.objects)
			}
		}
	}
	s.listing, s.texts = listing{}, nil
}

// file returns the file at a path of a source, and whether it is a new one.
func (r *run) file(s *source, path string) (f *file, isNew bool) {
	key := fileKey{s.root(), path}
	f, known := r.files[key]
	if !known {
		f = &file{where: s.where(path), name: s.name(path)}
		r.files[key] = f
		if wording.Line(f.where) != f.where {
			f.where, f.name = fmt.Sprintf("%q", f.where), fmt.Sprintf("%q", f.name)
			f.problems.Add(problem.Problem{Summary: "Invalid file name", Where: f.name,
				Detail: "The file's path holds a character that a reader cannot see, or is not valid UTF-8. Rename the file."})
		}
	}
	s.files = append(s.files, f)
	return f, !known
}

// root identifies the root of paths: a commit of a repository, or a folder of this machine.
func (s *source) root() string {
	if s.directory != "" {
		return s.directory
	}
	return remote.Key(s.revision.Repo) + " " + s.commit
}

func (r *run) decode(f *file, text string) {
	switch {
	case len(f.problems) > 0: // its name is not valid
	case !utf8.ValidString(text):
		f.problems.Add(problem.Problem{Summary: "Invalid YAML", Where: f.name, Detail: "The file is not valid UTF-8. Save it as UTF-8."})
	default:
		objects, foreign, err := manifest.Objects(manifest.Text{Name: f.name, Text: text})
		f.objects = objects
		for _, at := range foreign {
			r.foreign = append(r.foreign, at.String())
		}
		f.problems.AddErr("Invalid YAML", err)
	}
}

// where names a file in manifests: the same for every commit, and on every machine.
func (s *source) where(file string) string {
	if s.directory == "" {
		return git.Location{Repo: s.revision.Repo, Branch: cmp.Or(s.revision.Branch, s.revision.Commit), Path: file}.String()
	}
	folder := s.directory
	if filepath.IsAbs(folder) {
		folder = filepath.Base(folder)
	}
	return path.Join(filepath.ToSlash(folder), file)
}

// name names a file in messages.
func (s *source) name(file string) string {
	if s.directory != "" {
		return filepath.Join(s.directory, filepath.FromSlash(file))
	}
	return s.where(file) + ", commit " + s.commit[:12]
}
