// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// StatusContext begins the context of the commit statuses that an apply sets; the
// environment follows.
const StatusContext = "kalypso/"

// statusContext is the context of an environment's statuses. It has one slash, unlike the
// contexts of clusters, kalypso/<environment>/<cluster type>/<cluster>, which promotions read.
func statusContext(environment string) string {
	return StatusContext + strings.ReplaceAll(environment, "/", "_")
}

// statusTimeout limits how long an apply waits for the forge's answer.
const statusTimeout = time.Minute

// source returns the commit of the control plane of a fleet; "" if the fleet does not name one
// by its full id, which forges need.
func source(result *engine.Result) string {
	if result.Fleet == nil {
		return ""
	}
	return tree.FullCommitID(result.Fleet.PromotedCommit)
}

// trustingStatus returns the context for setting a status. A user has written the status's
// repository into the configuration, so its host gets the credentials from environment
// variables.
func trustingStatus(ctx context.Context, repo Text) context.Context {
	return remote.Trusting(ctx, repo.Value)
}

// CheckStatus reports the reasons for which an apply could not set a status in a
// repository. It does not connect to a server.
func (p *Publisher) CheckStatus(ctx context.Context, repo Text) message.Messages {
	var m message.Messages
	if !repo.Given || repo.Unknown || p.forges == nil {
		return m
	}
	if _, err := p.forges.Repository(trustingStatus(ctx, repo), repo.Value); err != nil {
		m.Errors = []message.Message{{Setting: "report_status", Summary: message.NoStatus.Title, Detail: problem.Sentence(err)}}
	}
	return m
}

// planStatus reports the reasons for which a coming apply could not report its outcome.
func (p *Publisher) planStatus(ctx context.Context, job Job, plan *Plan) message.Messages {
	var m message.Messages
	if comes := plan.CommitOpen || job.OthersChange || job.Was == nil; !comes || job.onHold() || !job.StatusRepo.Given {
		return m
	}
	m = p.CheckStatus(ctx, job.StatusRepo)
	if plan.result != nil { // otherwise the fleet and the setting are unchanged
		m.Add(job.checkSource(plan.result))
	}
	return m
}

// checkSource warns if the fleet names no commit for the status.
func (s *Settings) checkSource(result *engine.Result) message.Messages {
	var m message.Messages
	if s.StatusRepo.Given && source(result) == "" {
		m.Warn(message.NoSource, "report_status sets a status on the fleet's commit of the control plane, but the fleet "+
			"has no full commit id. "+
			"Set promoted_commit, or use the fleet of kalypso_control_plane, whose BaseRepo main has the id. Otherwise remove report_status.")
	}
	return m
}

// reportStatus reports the outcome of a finished apply on the fleet's commit: the branch has
// the packages, or the reason why not. If a request only proposes the packages, there is no
// outcome yet. A failure of reportStatus is a warning, because the branch is already written.
func (a *applying) reportStatus(ctx context.Context, carriedOut message.Messages) message.Messages {
	var m message.Messages
	commit := source(a.result)
	ended := carriedOut.Failed() || a.out.Status == ownership.InSync
	if !a.StatusRepo.Given || commit == "" || !ended || a.forges == nil {
		return m
	}
	status := forge.Status{Context: statusContext(a.Fleet.Environment), State: forge.Success, Description: a.written(), URL: a.run.URL}
	if carriedOut.Failed() {
		status.State, status.Description = forge.Failure, nameBranch(a.desired.Location)+": "+carriedOut.Errors[0].Summary
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(trustingStatus(ctx, a.StatusRepo)), statusTimeout)
	defer cancel()
	repo, err := a.forges.Repository(ctx, a.StatusRepo.Value)
	if err == nil {
		err = repo.SetStatus(ctx, commit, status)
	}
	if err != nil {
		m.Warn(message.StatusUnset, "The apply has written the branch, but could not set the status (report_status). The next "+
			"apply that changes something tries again. "+problem.Sentence(err))
	}
	return m
}

// written names the place of the packages after a successful apply.
func (a *applying) written() string {
	text := "written to " + nameBranch(a.desired.Location)
	if commit := cmp.Or(a.out.MergedCommit, a.out.Commit); commit != "" {
		text += fmt.Sprintf(", commit %.12s", commit)
	}
	if n := len(a.out.Broken); n > 0 {
		text += ", without " + wording.Count(n, "package") + " that cannot be rendered"
	}
	return text
}

// nameBranch names a location's branch in a short form, because forges shorten the line.
func nameBranch(loc git.Location) string {
	name := remote.Redact(loc.Repo)
	if u, err := remote.Parse(loc.Repo); err == nil {
		name = u.Name()
	}
	return loc.Branch + " of " + name
}
