// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Plan is the effect of the coming apply, as far as a plan can know it.
type Plan struct {
	// Location may have parts that are not known yet. These are empty.
	Location git.Location
	// Attributes are the attributes after the apply. Some are known only then.
	Attributes
	CommitUnknown, RequestUnknown bool
	// Replaces has the names of the attributes that make this another resource: another place or
	// another environment.
	Replaces []string
	// Memory is for the apply.
	Memory Memory
}

var planSteps = []step{
	{"stay on hold", (*work).stayOnHold},
	{"render the fleet", (*work).render},
	{"find the place", (*work).locate},
	{"keep broken packages", (*work).keepBroken},
	{"put the content together", (*work).wanted},
	{"plan the values", (*work).planValues},
	{"look at the branch", (*work).look},
	{"decide", (*work).decide},
	{"compare the packages", (*work).comparePackages},
	{"report a move", (*work).reportMove},
	{"report the owners", (*work).reportOwners},
	{"show the diff", (*work).show},
	{"report findings", (*work).reportFindings},
	{"check the limits", (*work).checkLimits},
	{"check the freezes", (*work).checkFreezes},
	{"warn of broken packages", (*work).warnBroken},
	{"plan the request", (*work).planRequest},
}

// Plan computes the effect of an apply. The planned values depend on the job alone: planning
// twice gives the same plan. Plan also reads the branch, for the old side of its diff and for
// warnings and errors. It writes nothing. Cost: one run of the engine, and one read of the
// differing content.
func (p *Publisher) Plan(ctx context.Context, job Job) (*Plan, message.Messages) {
	w, ctx := p.begin(ctx, job)
	w.memory.Destroys, w.memory.Planned = false, nil
	m := w.run(ctx, planSteps)
	plan := &Plan{Location: w.at, Attributes: w.after, Memory: w.memory}
	if !w.isDone && !m.Failed() {
		plan.Replaces, plan.CommitUnknown, plan.RequestUnknown = w.replaced, w.writes, w.asks
	}
	p.Logger(ctx, "planned", map[string]any{"environment": w.Fleet.Environment, "summary": w.after.Summary, "status": w.after.Status,
		"warnings": len(m.Warnings), "errors": len(m.Errors)})
	return plan, w.about(m)
}

// replacedAttributes names the attributes whose change makes this another resource: another place,
// also one that is not known yet, or another environment.
func (w *work) replacedAttributes() (names []string) {
	was := w.Was.Location
	for name, differs := range map[string]bool{
		"environment": w.isOtherEnvironment,
		"repo":        w.Repo.Unknown || !git.Location{Repo: w.at.Repo}.Same(git.Location{Repo: was.Repo}),
		"branch":      w.Branch.Unknown || w.at.Branch != was.Branch,
		"path":        w.Path.Unknown || !git.Location{Path: w.at.Path}.Same(git.Location{Path: was.Path}),
	} {
		if differs {
			names = append(names, name)
		}
	}
	return names
}

// reportMove says what becomes of the old place of a replacement. Only with create_before_destroy
// does Terraform plan the destroy of the old resource as a destroy.
func (w *work) reportMove(context.Context) (m message.Messages) {
	if w.isUnwritten || len(w.replaced) == 0 {
		return m
	}
	old, packages := w.Was.Location, "The packages"
	if w.Was.Detail == engine.DetailPackage {
		packages = wording.Count(len(packageKeys(w.Was.Packages)), "package")
	}
	text := fmt.Sprintf("%s of environment %s stay in %s, and clusters that read this place keep running them: its record lists them as "+
		"released.", packages, w.Was.Fleet.Environment, old)
	switch w.Was.OnDestroy { //nolint:exhaustive // retain and an empty one change nothing
	case ownership.Forbid:
		m.Fail(message.Forbidden, fmt.Sprintf("on_destroy = \"forbid\" forbids another place or environment: the resource would leave %s. Set "+
			"on_destroy to retain, empty or delete, apply that first, and change the place then.", old))
		return m
	case ownership.Empty, ownership.Delete:
		text += fmt.Sprintf(" With create_before_destroy, the apply removes them after it has written the new place, because on_destroy = %q.",
			w.Was.OnDestroy)
	}
	m.Warn("Another place", text)
	return m
}

// planRequest plans the attributes of the pull request.
func (w *work) planRequest(ctx context.Context) (m message.Messages) {
	switch {
	case w.Request == nil && w.Was != nil && w.Was.Proposal.IsOpen() && !w.isNewPlace:
		w.after.Proposal.Replace()
	case w.isQuiet:
		w.after.Status = w.Was.Status
		if w.after.Status == Closed {
			m.Warn("Pull request closed", fmt.Sprintf("%s was closed without a merge, so the provider does not propose the same change again. "+
				"It proposes another change of the fleet or of the branch. To propose the same change again, reopen the request.",
				w.Was.RequestURL))
		}
	}
	if w.asks {
		m.Add(w.checkRequest(ctx))
	}
	return m
}

// checkRequest refuses settings of a request that the forge does not have.
func (w *work) checkRequest(ctx context.Context) (m message.Messages) {
	if w.Request == nil || w.Forges == nil || w.at.Repo == "" {
		return m
	}
	if err := w.requests.Check(ctx, w.at.Repo, *w.Request); err != nil {
		m.Errors = []message.Message{{Setting: "pull_request", Summary: "No pull request can be opened", Detail: problem.Sentence(err)}}
	}
	return m
}

// PlanUnknown warns about a plan that cannot compute its fleet, because inputs are not known.
// Checks of the forge need no fleet.
func (p *Publisher) PlanUnknown(ctx context.Context, job Job) message.Messages {
	w, ctx := p.begin(ctx, job)
	w.at = w.givenPlace(git.Location{})
	return w.checkRequest(ctx)
}

// rendersAnew names the version of the provider as the reason of a change, if nothing else is a
// reason: the fleet is as it was at the last apply, and the branch has what it wrote.
func (w *work) rendersAnew() string {
	if w.isNewPlace || w.answer == nil || w.Was.Status != InSync || !w.sameFleet() ||
		maps.Equal(w.Was.Packages, w.after.Packages) {
		return ""
	}
	wrote := w.inventory.Records[w.Was.Instance].Provider
	if wrote == "" || wrote == w.Version {
		return ""
	}
	return fmt.Sprintf("The fleet is unchanged. Version %s of the provider renders these files differently from version %s, which wrote "+
		"them.", w.Version, wrote)
}
