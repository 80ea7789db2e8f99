// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// ReportVariable is an environment variable. If it is "1", a run updates the issue about
// errors.
const ReportVariable = "KALYPSO_REPORT_ISSUE"

// issueTimeout limits the time that a plan waits for the forge.
const issueTimeout = time.Minute

// reportIssue opens, updates or closes the environment's issue, if the settings ask for this.
// failures are the errors of the fleet. An apply never gets a fleet that cannot be rendered,
// so the plan reports these errors. This is the only change of a plan outside of Terraform. A
// failure of reportIssue is a warning, because plans must still work. at is the environment's
// place, if the fleet has named it.
func (p *Publisher) reportIssue(ctx context.Context, job Job, at git.Location, failures []message.Message) message.Messages {
	var m message.Messages
	if !job.ReportIssue || p.forges == nil || job.onHold() {
		return m
	}
	if report, _ := p.lookup(ReportVariable); report != "1" {
		if len(failures) > 0 {
			m.Warn(message.Unreported, fmt.Sprintf(
				"report_issue = true opens an issue about these errors. It does so only in runs with the environment variable %s=1. Set the variable "+
					"in CI or in "+
					"HCP Terraform, not on laptops.", ReportVariable))
		}
		return m
	}
	loc, known := job.issueLocation(at)
	if !known {
		if len(failures) > 0 {
			m.Warn(message.Unreported, "The repository for the issue comes from the fleet, which cannot be read. Set repo, branch and path "+
				"to report such errors too.")
		}
		return m
	}
	ctx, cancel := context.WithTimeout(ctx, issueTimeout)
	defer cancel()
	repo, err := p.forges.Repository(ctx, loc.Repo)
	environment := job.Fleet.Environment
	switch {
	case err != nil:
	case len(failures) == 0:
		err = repo.Resolve(ctx, request.Marker(environment, loc, ""), "The fleet can be rendered again.")
	default:
		report := forge.Failures{Title: fmt.Sprintf("Environment %s cannot be rendered", environment)}
		for _, failure := range failures {
			report.Errors = append(report.Errors, failure.Summary+"\n"+failure.Detail)
		}
		_, err = repo.Report(ctx, request.Marker(environment, loc, ""), report)
	}
	if err != nil {
		m.Warn(message.IssueStale, message.Sentence(err))
	}
	return m
}

// issueLocation returns the place of the environment, if the settings, the last apply or the
// fleet name it.
func (job Job) issueLocation(at git.Location) (git.Location, bool) {
	was := at
	if job.Was != nil {
		was = job.Was.Location
	}
	part := func(setting Text, otherwise string) string {
		if setting.Given {
			return setting.Value
		}
		return otherwise
	}
	loc := git.Location{Repo: part(job.Repo, was.Repo), Branch: part(job.Branch, was.Branch), Path: cmp.Or(part(job.Path, was.Path), ".")}
	return loc, loc.Repo != "" && loc.Branch != "" && !job.Path.Unknown
}
