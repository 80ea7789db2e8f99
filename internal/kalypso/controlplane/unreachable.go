// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// reportUnreachable reports every source that could not be read, once for each object that
// names the source. A source of others is a broken file if the request asks for that, or if its
// content is at fault. If the run itself ended, nothing is known about the source, so this is an
// error.
func (r *run) reportUnreachable(ctx context.Context, sources []*source) {
	for _, s := range sources {
		if s.unreachable == nil {
			continue
		}
		if s == r.start {
			r.problems.Add(r.unreachable(manifest.Meta{}, s))
		}
		ended := ctx.Err() != nil || errors.Is(s.unreachable, errOffline)
		kept := !ended && (r.request.KeepUnreachable || r.isFaulty(s)) && !r.trusts(s)
		broken := &file{where: s.String(), name: s.String()}
		for _, l := range s.links {
			p := r.unreachable(l.object.Metadata(), s)
			switch {
			case !ended && !r.trusts(l.from):
				l.file.problems.Add(p)
			case kept:
				p.Where = "" // it has a commit
				broken.problems.Add(p)
			default:
				r.problems.Add(p)
			}
		}
		if len(broken.problems) > 0 {
			s.files = append(s.files, broken)
		}
	}
}

// isFaulty reports whether the content of a source is why it cannot be read.
func (r *run) isFaulty(s *source) bool {
	var f fault
	return errors.As(s.unreachable, &f) || remote.Is(s.unreachable, remote.KindTooLarge) || r.lostCommit(s) != ""
}

// lostCommit returns the promoted commit of a source if the branch does not have it any more: its
// team has rewritten the branch.
func (r *run) lostCommit(s *source) string {
	if _, commit := r.promoted(s.revision); remote.Is(s.unreachable, remote.KindCommitNotFound) {
		return commit
	}
	return ""
}

// unreachable says that the source cannot be read which an object names.
func (r *run) unreachable(m manifest.Meta, s *source) problem.Problem {
	p := problem.Problem{Summary: "The control plane cannot be read"}
	if m.Name != "" {
		p = problem.Problem{Summary: "A source cannot be read", Subject: m.ID(), Where: m.Source.String()}
	}
	why := s.unreachable.Error()
	if errors.Is(s.unreachable, errOffline) {
		why = r.loader.Offline
	}
	p.Detail = fmt.Sprintf("%s cannot be read: %s.", s.address, strings.TrimSuffix(why, "."))
	if commit := r.lostCommit(s); commit != "" {
		p.Detail += fmt.Sprintf(" source_commits asks for the commit %s. Push this commit to the branch again, promote a newer release, or "+
			"choose a release with pin of kalypso_promotion.", commit)
	}
	return p
}
