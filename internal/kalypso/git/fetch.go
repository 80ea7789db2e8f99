// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// source hands out the trees and blobs of one commit, and fetches them as they
// are asked for: by id where the server allows that, otherwise more of the
// commit, up to everything where the server knows no filters.
type source struct {
	repo    *repo
	listing *listing
	used    bool // the listing's session cannot fetch again
	commit  tree.ID
	// tip is what the server is asked for: the commit, or one that has it among
	// the last so many commits of its history. A depth of 0 is all of them.
	tip   tree.ID
	depth int
	// limit is how many bytes one fetch may bring; 0 is no bound.
	limit   int64
	objects objects
	mode    fetchMode
	byID    bool
	// levels of trees below the commit have been fetched.
	levels int
}

// fetchMode is how a commit is fetched. What a server refuses, is asked for in the next mode.
type fetchMode int

const (
	byDepth    fetchMode = iota // with so many levels of trees
	commitOnly                  // alone: its trees are fetched by id
	allTrees                    // with all trees
	everything                  // with all files
)

// allLevels is more levels than a tree has.
const allLevels = 1 << 20

// newSource reads from a commit that the listing names. It fetches nothing yet.
func newSource(r *repo, l *listing, commit tree.ID) *source {
	caps := l.advertised.Capabilities
	s := &source{repo: r, listing: l, commit: commit, tip: commit, depth: 1, objects: objects{}, mode: everything}
	if caps.Supports(capability.Filter) {
		s.mode = byDepth
		s.byID = caps.Supports(capability.AllowTipSHA1InWant) && caps.Supports(capability.AllowReachableSHA1InWant)
	}
	return s
}

// root returns the root tree of the commit, and fetches that many levels of trees
// at once where the server lets us.
func (s *source) root(ctx context.Context, levels int) (*tree.Dir, error) {
	if err := s.deepen(ctx, levels); err != nil {
		return nil, err
	}
	commit, ok := s.objects[s.commit]
	if !ok || commit.kind != plumbing.CommitObject {
		return nil, s.missing(s.commit)
	}
	id, err := parseCommit(commit.data)
	if err != nil {
		return nil, err
	}
	return s.dir(ctx, 0, id)
}

// dir returns the tree of that id, which stands at that depth below the root.
func (s *source) dir(ctx context.Context, depth int, id tree.ID) (*tree.Dir, error) {
	if id == emptyDir.ID {
		return emptyDir, nil
	}
	if err := s.load(ctx, depth, id); err != nil {
		return nil, err
	}
	return s.loaded(id)
}

// emptyDir is the tree that every repository has without holding it.
var emptyDir = tree.FromEntries(nil)

// loaded returns a tree that has been fetched.
func (s *source) loaded(id tree.ID) (*tree.Dir, error) {
	o, ok := s.objects[id]
	if !ok || o.kind != plumbing.TreeObject {
		return nil, s.missing(id)
	}
	entries, err := parseTree(o.data)
	return &tree.Dir{ID: id, Entries: entries}, err
}

// load fetches those trees that are not there yet, at once. They stand at that
// depth below the root.
func (s *source) load(ctx context.Context, depth int, ids ...tree.ID) error {
	var wanted []tree.ID
	for _, id := range ids {
		if _, ok := s.objects[id]; !ok && id != emptyDir.ID {
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if s.byID {
		// A filter does not count the trees that are asked for themselves.
		err := s.fetch(ctx, wanted, packp.FilterTreeDepth(0), unpackOptions{})
		if err == nil || !declined(err) {
			return err
		}
		s.withoutIDs() // the server promised more than it does
	}
	return s.deepen(ctx, depth+1)
}

// loadBlobs fetches the blobs of those ids.
func (s *source) loadBlobs(ctx context.Context, ids ...tree.ID) error {
	if len(ids) == 0 {
		return nil
	}
	if s.byID {
		err := s.fetch(ctx, ids, "", unpackOptions{blobs: true})
		if err == nil || !declined(err) {
			return err
		}
		s.withoutIDs()
	}
	wanted := make(map[tree.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	return s.fetch(ctx, []tree.ID{s.tip}, "", unpackOptions{blobs: true, wanted: wanted})
}

func (s *source) withoutIDs() {
	s.byID = false
	if s.mode == commitOnly {
		s.mode = allTrees
	}
}

// deepen fetches the commit with at least that many levels of trees, or alone
// where its trees can be had by id.
func (s *source) deepen(ctx context.Context, levels int) error {
	for {
		if _, ok := s.objects[s.commit]; ok && (levels <= s.levels || s.mode == commitOnly) {
			return nil
		}
		filter, got := s.mode.filter(levels)
		err := s.fetch(ctx, []tree.ID{s.tip}, filter, unpackOptions{})
		if err == nil {
			s.levels = got
			continue
		}
		if s.mode == everything || !declined(err) {
			return err
		}
		if s.mode++; s.mode == commitOnly && !s.byID {
			s.mode = allTrees
		}
	}
}

// filter returns what to ask for, and how many levels come of it.
func (m fetchMode) filter(levels int) (packp.Filter, int) {
	switch m {
	case byDepth:
		return packp.FilterTreeDepth(uint64(levels)), levels //nolint:gosec // a small positive number.
	case commitOnly:
		return packp.FilterTreeDepth(0), 0
	case allTrees:
		return packp.FilterBlobNone(), allLevels
	case everything:
	}
	return "", allLevels
}

// declined tells that the server understood a request and does not serve it,
// unlike one that fails or cannot be reached.
func declined(err error) bool {
	var e *remote.Error
	var status *githttp.Err
	return errors.As(err, &e) && e.Kind == remote.KindServer && !errors.As(err, &status)
}

// tryLoad loads trees that the server may have, and gives up silently.
func (s *source) tryLoad(ctx context.Context, ids []tree.ID) {
	if s.byID && len(ids) > 0 {
		_ = s.fetch(ctx, ids, packp.FilterTreeDepth(0), unpackOptions{})
	}
}

// known returns the ids that the server has for sure: what was fetched, and what that names.
func (s *source) known() map[tree.ID]bool {
	ids := make(map[tree.ID]bool, len(s.objects))
	for id, o := range s.objects {
		ids[id] = true
		if o.kind != plumbing.TreeObject {
			continue
		}
		entries, err := parseTree(o.data)
		if err != nil {
			continue // a tree that was not needed
		}
		for _, e := range entries {
			ids[e.ID] = true
		}
	}
	return ids
}

// missing says that the server has not sent what it was asked for.
func (s *source) missing(id tree.ID) error {
	return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf(
		"%s did not send the object %s of its commit %s. The repository may be damaged: run git fsck on the server", s.repo.name, id, s.commit)}
}

// fetch asks for objects and adds to objects what the options keep of those that come.
func (s *source) fetch(ctx context.Context, ids []tree.ID, filter packp.Filter, in unpackOptions) error {
	if err := s.reconnect(ctx); err != nil {
		return err
	}
	request := s.request(ids, filter)
	transfer, abort := context.WithCancel(ctx)
	defer abort()
	response, err := s.listing.session.UploadPack(transfer, request)
	if err != nil {
		return s.failed(ctx, err)
	}
	counted := &countingReader{r: response}
	in.limit = s.limit
	err = s.objects.unpack(demultiplex(request, counted), in)
	// A connection is used again only when it is read to its end. A server that
	// has more to say than we take stops when a read notices the end of ctx.
	if err != nil {
		abort()
	}
	if _, restErr := io.Copy(io.Discard, response); err == nil {
		err = restErr
	}
	if closeErr := response.Close(); err == nil {
		err = closeErr
	}
	s.repo.client.log(ctx, "fetched objects", map[string]any{"repo": s.repo.name, "wanted": len(ids), "filter": string(filter), "bytes": counted.n})
	if err != nil {
		return s.failed(ctx, err)
	}
	return nil
}

// request asks for a commit with as much of its history as was said, or for trees and blobs.
func (s *source) request(ids []tree.ID, filter packp.Filter) *packp.UploadPackRequest {
	caps := s.listing.advertised.Capabilities
	request := packp.NewUploadPackRequest()
	want := func(c capability.Capability) bool {
		if !caps.Supports(c) {
			return false
		}
		_ = request.Capabilities.Set(c) // fails for capabilities with arguments only
		return true
	}
	// Offered by every server, left out of go-git's list, and asked for by
	// Azure DevOps; without anything to negotiate it changes nothing.
	_ = request.Capabilities.Set(capability.MultiACK)
	if !want(capability.Sideband64k) {
		want(capability.Sideband)
	}
	want(capability.NoProgress)
	if caps.Supports(capability.Agent) {
		_ = request.Capabilities.Set(capability.Agent, capability.DefaultAgent())
	}
	if len(ids) == 1 && ids[0] == s.tip && s.depth > 0 && want(capability.Shallow) {
		request.Depth = packp.DepthCommits(s.depth)
	}
	if filter != "" && want(capability.Filter) {
		request.Filter = filter
	}
	for _, id := range ids {
		request.Wants = append(request.Wants, plumbing.Hash(id))
	}
	return request
}

// reconnect opens a new session where the one we have is used up: over SSH and
// file:// a session fetches once.
func (s *source) reconnect(ctx context.Context) error {
	if !s.used {
		s.used = !s.repo.stateless
		return nil
	}
	s.listing.close()
	fresh, err := s.repo.list(ctx)
	if err != nil {
		return err
	}
	s.listing.session, s.listing.advertised = fresh.session, fresh.advertised
	return nil
}

// failed explains why a fetch failed. The likeliest cause of an unknown error
// is that the branch was replaced since the references were listed.
func (s *source) failed(ctx context.Context, err error) error {
	if errors.Is(err, errTooMuch) {
		return s.tooLarge()
	}
	explained := s.repo.explain(ctx, err)
	var e *remote.Error
	if errors.As(explained, &e) && e.Kind == remote.KindServer {
		e.Passing = true
	}
	return explained
}

// demultiplex takes the pack out of the response.
func demultiplex(request *packp.UploadPackRequest, r io.Reader) io.Reader {
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case request.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
