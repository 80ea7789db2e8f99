// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Limits for the answers of a server. SECURITY.md has these numbers too.
const (
	// DefaultMaxFetch is how many bytes one fetch may have, unpacked.
	DefaultMaxFetch = 1 << 30
	// maxBeside is how many bytes an answer may have beside objects: a list of about a million references, progress, and headers of
	// packets.
	maxBeside = 64 << 20
)

type request struct {
	wants []tree.ID
	// depth is how many commits of a history the server sends; 0 for all.
	depth int
	// filter says which objects the server leaves out; empty for none.
	filter packp.Filter
}

// fetch carries out a request, and adds the objects to those of the reader.
func (r *reader) fetch(ctx context.Context, q request) error {
	if r.session == nil {
		fresh, err := r.repo.open(ctx, transport.UploadPackServiceName)
		if err != nil {
			return err
		}
		r.session = fresh
	}
	defer r.rest()
	message, allowance := q.message(r.session.advertised.Capabilities), r.session.allowance
	transfer, abort := context.WithCancel(ctx)
	defer abort()
	allowance.Begin()
	upload := r.session.Session.(transport.UploadPackSession) //nolint:errcheck,forcetypeassert // open has made it.
	response, err := upload.UploadPack(allowance.With(transfer), message)
	if err != nil {
		return r.failed(ctx, allowance.Explain(err))
	}
	// A connection is reused only if the answer was read to its end. If the server sends more
	// than the allowance, canceling the context ends the read.
	err = r.objects.unpack(demultiplex(message, response), r.repo.client.options.MaxFetch)
	if err != nil {
		abort()
	}
	_, restErr := io.Copy(io.Discard, response)
	err = cmp.Or(err, restErr, response.Close())
	r.repo.client.options.Logger(ctx, "fetched objects", map[string]any{"repo": r.repo.name, "wanted": len(q.wants),
		"filter": string(q.filter), "bytes": allowance.Taken()})
	return r.failed(ctx, allowance.Explain(err))
}

// message returns the message for a server with some abilities.
func (q request) message(offered *capability.List) *packp.UploadPackRequest {
	m := packp.NewUploadPackRequestFromCapabilities(offered)
	// Every server offers this capability, go-git's list lacks it, and Azure DevOps needs it.
	// Without a negotiation it has no effect.
	_ = m.Capabilities.Set(capability.MultiACK) // fails for capabilities with arguments only, as below
	if offered.Supports(capability.NoProgress) {
		_ = m.Capabilities.Set(capability.NoProgress)
	}
	if q.depth > 0 && offered.Supports(capability.Shallow) {
		_ = m.Capabilities.Set(capability.Shallow)
		m.Depth = packp.DepthCommits(q.depth)
	}
	if q.filter != "" && offered.Supports(capability.Filter) {
		_ = m.Capabilities.Set(capability.Filter)
		m.Filter = q.filter
	}
	for _, id := range q.wants {
		m.Wants = append(m.Wants, plumbing.Hash(id))
	}
	return m
}

// failed explains why a fetch failed. The likeliest cause of an unknown error is that the
// branch moved after the references were listed.
func (r *reader) failed(ctx context.Context, err error) error {
	if errors.Is(err, errMaxFetch) {
		return &remote.Error{Kind: remote.KindTooLarge, Cause: err, Message: fmt.Sprintf("%s sends more than %s for one fetch, unpacked. "+
			"A server without partial fetches sends the whole commit, not only the requested part. Raise max_fetch_mib of the provider, "+
			"turn on partial fetches (uploadpack.allowFilter), or move the requested content to a separate repository",
			r.repo.name, remote.Size(r.repo.client.options.MaxFetch))}
	}
	explained := r.repo.explain(ctx, err)
	var e *remote.Error
	if errors.As(explained, &e) && e.Kind == remote.KindServer {
		e.Passing = true
		if strings.Contains(e.Message, "not our ref") {
			e.Message += ". The server does not offer the commit any more: somebody changed the branch meanwhile, or the repository " +
				"is damaged. Plan again. If that fails, too, run git fsck in the repository"
		}
	}
	return explained
}

func demultiplex(message *packp.UploadPackRequest, r io.Reader) io.Reader {
	switch {
	case message.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case message.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}
