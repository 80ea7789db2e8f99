// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// plan is one fetch: the request to the server, and which objects of the answer are kept. The
// client limits the answer.
type plan struct {
	// wants are the ids in the request.
	wants []tree.ID
	// depth is how many commits of a history the server sends; 0 for all.
	depth int
	// filter says which objects the server leaves out.
	filter packp.Filter
	// blobs, if not nil, keeps only these blobs. Otherwise, the source keeps commits and trees.
	blobs map[tree.ID]bool
	// commits keeps only commits.
	commits bool
	// needs are the abilities that the server must have.
	needs ability
	// levels is how many levels of trees the server sends with a commit.
	levels int
}

// keeps reports whether the source keeps an object of the answer.
func (p plan) keeps(kind plumbing.ObjectType, id tree.ID) bool {
	switch {
	case p.blobs != nil:
		return p.blobs[id]
	case p.commits:
		return kind == plumbing.CommitObject
	}
	return kind == plumbing.CommitObject || kind == plumbing.TreeObject
}

// fetch carries out a plan, and adds the kept objects to the source's objects.
func (s *source) fetch(ctx context.Context, p plan) error {
	if err := s.reconnect(ctx); err != nil {
		return err
	}
	request := s.request(p)
	transfer, abort := context.WithCancel(ctx)
	defer abort()
	allowance := s.listing.allowance
	allowance.Allow("what comes before a pack", maxPreamble)
	response, err := s.listing.session.UploadPack(allowance.With(transfer), request)
	if err != nil {
		return s.failed(ctx, allowance.Explain(err))
	}
	taken, most := allowance.Taken(), s.repo.client.maxFetch
	allowance.Allow("a pack", most+most/8+2*maxBeside) // a pack in packets, with progress beside it
	// A connection is reused only if the answer was read to its end. If the server sends more
	// than the allowance, canceling the context ends the read.
	kept, err := unpack(demultiplex(request, response), most, p.keeps)
	if err != nil {
		abort()
	}
	_, restErr := io.Copy(io.Discard, response)
	err = cmp.Or(err, restErr, response.Close())
	s.repo.client.log(ctx, "fetched objects", map[string]any{"repo": s.repo.name, "wanted": len(p.wants), "filter": string(p.filter),
		"bytes": taken + allowance.Taken()})
	if err != nil {
		return s.failed(ctx, allowance.Explain(err))
	}
	maps.Copy(s.objects, kept)
	return nil
}

func (s *source) request(p plan) *packp.UploadPackRequest {
	caps := s.listing.advertised.Capabilities
	request := packp.NewUploadPackRequest()
	want := func(c capability.Capability) bool {
		if !caps.Supports(c) {
			return false
		}
		_ = request.Capabilities.Set(c) // fails for capabilities with arguments only
		return true
	}
	// Every server offers this capability, go-git's list lacks it, and Azure DevOps needs it.
	// Without a negotiation it has no effect.
	_ = request.Capabilities.Set(capability.MultiACK)
	if !want(capability.Sideband64k) {
		want(capability.Sideband)
	}
	want(capability.NoProgress)
	if caps.Supports(capability.Agent) {
		_ = request.Capabilities.Set(capability.Agent, capability.DefaultAgent())
	}
	if p.depth > 0 && want(capability.Shallow) {
		request.Depth = packp.DepthCommits(p.depth)
	}
	if p.filter != "" && want(capability.Filter) {
		request.Filter = p.filter
	}
	for _, id := range p.wants {
		request.Wants = append(request.Wants, plumbing.Hash(id))
	}
	return request
}

// reconnect opens a new session if the present session is used up: a session over SSH fetches
// only once.
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
	*s.listing = *fresh
	return nil
}

// rest closes a session that cannot fetch again.
func (s *source) rest() {
	if !s.repo.stateless {
		s.listing.close()
		s.used = true
	}
}

// failed explains why a fetch failed. The likeliest cause of an unknown error is that the
// branch was replaced after the references were listed.
func (s *source) failed(ctx context.Context, err error) error {
	if err := s.tooMuch(err); err != nil {
		return err
	}
	var local *fs.PathError
	if errors.As(err, &local) {
		return err
	}
	explained := s.repo.explain(ctx, err)
	var e *remote.Error
	if errors.As(explained, &e) && e.Kind == remote.KindServer {
		e.Passing = true
		if strings.Contains(e.Message, "not our ref") {
			e.Message += ". The server no longer has the commit: somebody replaced the branch meanwhile. Plan again"
		}
	}
	return explained
}

func demultiplex(request *packp.UploadPackRequest, r io.Reader) io.Reader {
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case request.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}
