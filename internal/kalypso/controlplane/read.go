// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// read reads those of the sources that have not been read: each revision at
// once, and the revisions at the same time. What they hold is decoded after
// that, in the order of the sources.
func (r *run) read(ctx context.Context, wave []*source) {
	groups := map[address][]*source{} // by place without path
	var unread []*source
	for _, s := range wave {
		if !s.read {
			s.read = true
			key := address{directory: s.directory, revision: s.revision}
			groups[key] = append(groups[key], s)
			unread = append(unread, s)
		}
	}
	results := make(map[*source]*contents, len(unread))
	for _, s := range unread {
		results[s] = &contents{}
	}
	var readers sync.WaitGroup
	for key, sources := range groups {
		readers.Go(func() {
			if key.directory != "" {
				r.readDirectory(ctx, sources[0], results)
			} else {
				r.readRevision(ctx, key.revision, sources, results)
			}
		})
	}
	readers.Wait()
	for _, s := range unread {
		r.take(s, results[s])
	}
}

// contents is what a reader has found of a source; each has its own, so that
// they can work at the same time.
type contents struct {
	commit  string
	listing *listing
	texts   [][]byte
	err     error
}

// readDirectory reads a folder of this machine.
func (r *run) readDirectory(ctx context.Context, s *source, results map[*source]*contents) {
	c := results[s]
	root, err := os.OpenRoot(s.directory)
	if err != nil {
		c.err = fmt.Errorf("the folder cannot be opened: %w", cause(err))
		return
	}
	defer func() { _ = root.Close() }()
	d := directory{root}
	if c.listing, c.err = list(ctx, d, s.path); c.err != nil {
		return
	}
	if c.err = d.fetch(ctx, c.listing.wanted); c.err == nil {
		c.texts, c.err = c.listing.contents()
	}
}

// errOffline stands for the Loader's reason why it cannot read repositories.
var errOffline = errors.New("repositories cannot be read yet")

// readRevision reads folders of one commit. All their files are fetched at once. If they are
// all of other teams, that may take half of the time that the run has left: a server that does
// not answer leaves the rest for others.
func (r *run) readRevision(ctx context.Context, at git.Revision, sources []*source, results map[*source]*contents) {
	if deadline, ok := ctx.Deadline(); ok && !slices.ContainsFunc(sources, r.trusts) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	snapshot, err := r.open(ctx, at, sources)
	if err != nil {
		for _, s := range sources {
			results[s].err = err
		}
		return
	}
	var all []entry
	var listed []*contents
	for _, s := range sources {
		c := results[s]
		c.commit = snapshot.Commit().String()
		c.listing, c.err = list(ctx, commit{snapshot}, s.path)
		if c.err == nil {
			listed = append(listed, c)
			all = append(all, c.listing.wanted...)
		}
	}
	err = commit{snapshot}.fetch(ctx, all)
	for _, c := range listed {
		if c.err = err; err == nil {
			c.texts, c.err = c.listing.contents()
		}
	}
}

func (r *run) open(ctx context.Context, at git.Revision, sources []*source) (*git.Snapshot, error) {
	if r.loader.Snapshots == nil {
		return nil, errOffline
	}
	folders := make([]string, len(sources))
	for i, s := range sources {
		folders[i] = s.path
	}
	if _, commit := r.promoted(at); commit != "" {
		at.Commit, at.InBranch = commit, true
	}
	return r.loader.Snapshots.Open(ctx, at, folders...)
}

// take decodes what was found of a source.
func (r *run) take(s *source, c *contents) {
	s.commit, s.unreachable = c.commit, c.err
	if c.err != nil {
		return
	}
	for _, u := range c.listing.unreadable {
		f, _ := r.file(s, u.path)
		u.reason.Where = f.name
		f.problems.Add(u.reason)
	}
	for i, e := range c.listing.wanted {
		if f, isNew := r.file(s, e.path); isNew {
			r.decode(f, string(c.texts[i]))
		}
	}
}

// file returns the file at a path of a source, and whether it is a new one.
func (r *run) file(s *source, path string) (f *file, isNew bool) {
	key := fileKey{s.root(), path}
	f, known := r.files[key]
	if !known {
		f = &file{key: key, where: s.where(path), name: s.name(s.commit, path)}
		r.files[key] = f
		if strings.ContainsFunc(f.where, manifest.IsHidden) {
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
	return repository(s.revision.Repo) + " " + s.commit
}

func (r *run) decode(f *file, text string) {
	switch {
	case len(f.problems) > 0: // its name is not valid
	case !utf8.ValidString(text):
		f.problems.Add(problem.Problem{Summary: "Invalid YAML", Where: f.name, Detail: "The file is not valid UTF-8. Save it as UTF-8."})
	default:
		documents, foreign, err := manifest.Documents(manifest.Text{Name: f.name, Text: text})
		f.documents, r.foreign = documents, append(r.foreign, foreign...)
		f.problems.AddErr("Invalid YAML", err)
		r.pin(f.documents)
	}
}

const maxNamed = 10

// reportForeign warns of documents that are left out because they are not objects.
func (r *run) reportForeign() {
	if len(r.foreign) == 0 {
		return
	}
	names := make([]string, len(r.foreign))
	for i, at := range r.foreign {
		names[i] = at.String()
	}
	r.warnings = append(r.warnings, problem.Problem{
		Summary: "No Kubernetes objects",
		Detail: fmt.Sprintf("These documents are not Kubernetes objects, so they are left out: %s. If one is meant to be an object, "+
			"add apiVersion, kind and metadata. To silence this warning, exclude the file by %s.",
			wording.First(names, maxNamed), ignoreFile),
	})
}

// pin has base repositories be at the commits that are asked for.
func (r *run) pin(documents []manifest.Document) {
	for i, d := range documents {
		m := d.Object.Metadata()
		if commit, asked := r.request.BaseCommits[m.Name]; asked && m.Kind == manifest.KindBaseRepo {
			documents[i] = d.WithCommit(commit)
		}
	}
}

// where names a file in manifests: the same for every commit, and on every machine.
func (s *source) where(file string) string {
	if s.directory == "" {
		branch := s.revision.Branch
		if branch == "" {
			branch = s.revision.Commit
		}
		return git.Location{Repo: s.revision.Repo, Branch: branch, Path: file}.String()
	}
	folder := s.directory
	if filepath.IsAbs(folder) {
		folder = filepath.Base(folder)
	}
	return path.Join(filepath.ToSlash(folder), file)
}

func (s *source) name(commit, file string) string {
	if s.directory != "" {
		return filepath.Join(s.directory, filepath.FromSlash(file))
	}
	id, err := tree.ParseID(commit)
	if err != nil {
		return s.where(file)
	}
	return s.where(file) + ", commit " + id.Short()
}
