// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// reader reads commits of a repository. It sees the references as they were when it was made. It fetches what no reader of the client has
// fetched yet: single trees and blobs by their ids, if the server can, otherwise whole commits.
type reader struct {
	references
	// session is for the next fetch; nil if that needs a new one.
	session *session
	objects *store
	can     ability
}

// ability is what a server sends. Each ability includes those before it.
type ability int

const (
	wholeCommits ability = iota // commits with all their trees and files
	byID                        // any object by its id, without what is below it
	someLevels                  // commits with some levels of their trees
)

// newReader lists the references of the repository.
func (r *repo) newReader(ctx context.Context) (*reader, error) {
	s, err := r.open(ctx, transport.UploadPackServiceName)
	if err != nil {
		return nil, err
	}
	read := &reader{references: s.references, session: s, objects: r.client.objects(r)}
	caps := s.advertised.Capabilities
	if caps.Supports(capability.Filter) && caps.Supports(capability.AllowTipSHA1InWant) && caps.Supports(capability.AllowReachableSHA1InWant) {
		read.can = someLevels
	}
	return read, nil
}

// rest closes a session that cannot fetch again: a session over SSH fetches only once.
func (r *reader) rest() {
	if r.session != nil && !r.repo.stateless {
		r.session.close()
		r.session = nil
	}
}

// levels is the filter for commits with n levels of trees. It adds one level where a later request needs a new connection.
func (r *reader) levels(n int) packp.Filter {
	if !r.repo.stateless {
		n++
	}
	return packp.FilterTreeDepth(uint64(n)) //nolint:gosec // a small positive number.
}

// history fetches a commit and its ancestors: depth commits along each line of parents, or all if depth is 0. with is the filter for a
// server with the ability someLevels.
func (r *reader) history(ctx context.Context, tip tree.ID, depth int, with packp.Filter) error {
	q := request{wants: []tree.ID{tip}, depth: depth, filter: with}
	for can := r.can; ; can-- {
		switch can {
		case someLevels: // the filter is with
		case byID:
			q.filter = packp.FilterTreeDepth(0)
		case wholeCommits:
			q.filter = ""
		}
		_, err, isShared := r.objects.fetching.Do(fmt.Sprint(q), func() (any, error) { return nil, r.fetch(ctx, q) })
		if err != nil && isShared { // the other operation may have been canceled
			err = r.fetch(ctx, q)
		}
		if err == nil {
			r.can = can
			r.objects.note(q)
		}
		if can == wholeCommits || !declined(err) {
			return err
		}
	}
}

// named fetches objects by their ids. If the server does not send them, named fetches what was fetched before as whole commits.
func (r *reader) named(ctx context.Context, ids []tree.ID, filter packp.Filter) error {
	if len(ids) == 0 || r.can == wholeCommits {
		return nil
	}
	if err := r.fetch(ctx, request{wants: ids, filter: filter}); !declined(err) {
		return err
	}
	r.can = wholeCommits
	for _, q := range r.objects.noted() {
		q.filter = ""
		if err := r.fetch(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// declined reports whether the server understood a request and refused it. It is false if the server failed or cannot be reached.
func declined(err error) bool {
	var e *remote.Error
	return errors.As(err, &e) && e.Kind == remote.KindServer && !isStatus(err)
}

// missing returns the error that the server has not sent a requested object; otherwise err.
func (r *reader) missing(id tree.ID, err error) error {
	if !errors.Is(err, plumbing.ErrObjectNotFound) {
		return err
	}
	return remote.Errorf(remote.KindServer, "%s did not send the object %s. The repository may be damaged: run git fsck on the server",
		r.repo.name, id)
}

// commit returns a commit; the zero commit, which is empty, for the zero id. with is that of history. Cost: one fetch if the commit was
// not fetched before.
func (r *reader) commit(ctx context.Context, id tree.ID, with packp.Filter) (Commit, error) {
	if id.IsZero() {
		return Commit{root: emptyDir.ID}, nil
	}
	if !r.objects.has(id) {
		if err := r.history(ctx, id, 1, with); err != nil {
			return Commit{}, err
		}
	}
	c, err := r.objects.commit(id)
	return c, r.missing(id, err)
}

// log returns the newest commits of a branch along first parents, at most so many, the newest first. with is that of history. Cost: one
// fetch if one of them was not fetched before.
func (r *reader) log(ctx context.Context, tip tree.ID, most int, with packp.Filter) ([]Commit, error) {
	var commits []Commit
	for next, isNew := tip, true; len(commits) < most && !next.IsZero(); {
		if !r.objects.has(next) && isNew {
			isNew = false
			if err := r.history(ctx, tip, most, with); err != nil {
				return nil, err
			}
		}
		c, err := r.objects.commit(next)
		if err != nil {
			return nil, r.missing(next, err)
		}
		commits = append(commits, c)
		if len(c.Parents) == 0 || slices.Contains(r.advertised.Shallows, plumbing.Hash(next)) {
			break
		}
		next = c.Parents[0]
	}
	return commits, nil
}

// dirs returns trees by their ids. Cost: one fetch of the missing ones.
func (r *reader) dirs(ctx context.Context, ids ...tree.ID) (map[tree.ID]*tree.Dir, error) {
	// A filter does not apply to objects that the request names, so the server sends only these trees.
	if err := r.named(ctx, r.objects.absent(ids), packp.FilterTreeDepth(0)); err != nil {
		return nil, err
	}
	dirs := make(map[tree.ID]*tree.Dir, len(ids))
	for _, id := range ids {
		if dirs[id] != nil {
			continue
		}
		dir, err := r.objects.dir(id)
		if err != nil {
			return nil, r.missing(id, err)
		}
		dirs[id] = dir
	}
	return dirs, nil
}

// blobs returns the content of files by their ids. Cost: one fetch of the missing ones.
func (r *reader) blobs(ctx context.Context, ids ...tree.ID) (map[tree.ID][]byte, error) {
	if err := r.named(ctx, r.objects.absent(ids), ""); err != nil {
		return nil, err
	}
	contents := make(map[tree.ID][]byte, len(ids))
	for _, id := range ids {
		content, err := r.objects.content(plumbing.BlobObject, id)
		if err != nil {
			return nil, r.missing(id, err)
		}
		contents[id] = content
	}
	return contents, nil
}

func (r *reader) fill(ctx context.Context, files []*tree.Entry) error {
	ids := make([]tree.ID, len(files))
	for i, e := range files {
		ids[i] = e.ID
	}
	contents, err := r.blobs(ctx, ids...)
	for _, e := range files {
		e.Content = contents[e.ID]
	}
	return err
}

// everything fetches all trees below some folders of a commit.
func (r *reader) everything(ctx context.Context, c Commit, folders []string) error {
	if r.can == wholeCommits {
		return nil
	}
	found, err := r.folders(ctx, []tree.ID{c.root}, folders...)
	if err != nil {
		return err
	}
	var missing []tree.ID
	for _, folder := range folders {
		if dir := found[plain(folder)][0]; !r.objects.hasAll(dir.ID, map[tree.ID]bool{}) {
			missing = append(missing, dir.ID)
		}
	}
	return r.named(ctx, missing, packp.FilterBlobNone())
}

// allTrees is the filter for commits with all trees.
var allTrees = packp.FilterBlobNone()

// resolve finds the commit of a revision. with is that of history.
func (r *reader) resolve(ctx context.Context, at Revision, with packp.Filter) (Commit, error) {
	tip := r.branch(at.Branch)
	if (at.Commit == "" || at.InBranch) && tip.IsZero() {
		if err := r.mistaken(at.Branch); err != nil {
			return Commit{}, err
		}
		return Commit{}, remote.Errorf(remote.KindBranchNotFound, "%s has no branch %q. Check the name, and that the branch has not been "+
			"deleted", r.repo.name, at.Branch)
	}
	if at.Commit == "" {
		return r.commit(ctx, tip, with)
	}
	id, err := tree.ParseID(at.Commit)
	switch {
	case err != nil:
		return Commit{}, err
	case id == tip:
		return r.commit(ctx, tip, with)
	case !at.InBranch && r.serves(id):
		if c, err := r.commit(ctx, id, with); err == nil || !declined(err) {
			return c, err
		}
	}
	if tip.IsZero() {
		return Commit{}, remote.Errorf(remote.KindCommitNotFound, "%s does not send the commit %s. Check the id, and name the branch that "+
			"has this commit in its history", r.repo.name, id)
	}
	for _, depth := range historyDepths {
		if r.reaches(tip, id) {
			break
		}
		if err := r.history(ctx, tip, depth, packp.FilterTreeDepth(0)); err != nil {
			return Commit{}, err
		}
	}
	if !r.reaches(tip, id) {
		return Commit{}, remote.Errorf(remote.KindCommitNotFound, "there is no commit %s in the history of the branch %q of %s. Check the id; "+
			"a commit that was removed by a force push cannot be read any more", id, at.Branch, r.repo.name)
	}
	return r.objects.commit(id)
}

// serves reports whether the server's capabilities allow a fetch of the commit by its id.
func (r *reader) serves(id tree.ID) bool {
	isHead := func(head plumbing.Hash) bool { return tree.ID(head) == id }
	return r.advertised.Capabilities.Supports(capability.AllowReachableSHA1InWant) ||
		slices.ContainsFunc(slices.Collect(maps.Values(r.advertised.References)), isHead)
}

// historyDepths are the depths in which resolve looks for a commit, one after the other; 0 is the whole history.
var historyDepths = []int{20, 1000, 0}

// reaches reports whether a commit is in the fetched part of the history of a tip.
func (r *reader) reaches(tip, id tree.ID) bool {
	seen := map[tree.ID]bool{tip: true}
	for next := []tree.ID{tip}; len(next) > 0; next = next[1:] {
		c, err := r.objects.commit(next[0])
		if err != nil {
			continue // not fetched
		}
		if c.ID == id {
			return true
		}
		for _, parent := range c.Parents {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return false
}
