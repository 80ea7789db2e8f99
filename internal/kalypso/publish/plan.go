// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Plan describes the coming apply, as far as a plan can know it.
type Plan struct {
	// Location may have parts that are not known yet. These are empty.
	Location      git.Location
	LocationKnown bool
	// Attributes are the attributes after the apply. Some are known only then.
	Attributes
	SummaryOpen, CommitOpen, RequestOpen bool
	// Diff shows the changes as a unified diff, for a warning. Differs is false if nothing
	// changes. If the location is not known, the diff is not known either.
	Diff    string
	Differs bool
	folders []string       // desired
	result  *engine.Result // nil if nothing was computed
	// TakenOver are the paths that an apply takes over or resumes. Each has the record that
	// lists the path and the id of the present content: ".kalypso/<instance> <12 digits>". The
	// apply takes over only these paths with this content.
	TakenOver map[string]string
	// KeepsImport is true if the values that an import could not know have no effect.
	KeepsImport bool
}

// Plan computes the effect of an apply. The planned values depend only on the arguments:
// planning twice gives the same plan. Plan also reads the branch, for the old side of its diff
// and for warnings and errors about owners. It shares its
// intent with the run's other resources, and writes nothing outside of Terraform. Cost: one run of
// the engine, and one read of the differing content; nothing if nothing can have changed.
func (p *Publisher) Plan(ctx context.Context, job Job) (*Plan, message.Messages) {
	plan, m := p.plan(ctx, job)
	at := git.Location{}
	switch {
	case plan != nil && plan.LocationKnown:
		at = plan.Location
	case job.Was != nil:
		at = job.Was.Location
	}
	place := message.Place(at, job.Fleet.ClusterTypes)
	fields := map[string]any{"environment": job.Fleet.Environment, "place": place, "warnings": len(m.Warnings), "errors": len(m.Errors)}
	if plan != nil {
		fields["summary"], fields["status"] = plan.Summary, plan.Status
	}
	p.log(ctx, "planned", fields)
	return plan, m.About(job.Fleet.Environment, place)
}

func (p *Publisher) plan(ctx context.Context, job Job) (*Plan, message.Messages) {
	job.HoldAll = p.hold
	if job.onHold() && job.Was != nil {
		plan, m := job.planHold()
		m.Add(p.planIntent(job.intent(siteOf(job.Inventory), job.heldNames(), nil)))
		return plan, m
	}
	ctx = job.trusting(ctx)
	plan, m := p.planFleet(ctx, job)
	if m.Failed() {
		return plan, m // with the errors
	}
	m.Add(p.warnOfMerge(job))
	plan.planRequest(job)
	plan.CommitOpen = plan.CommitOpen || job.givesRepo()
	if job.Request != nil && plan.CommitOpen && !job.Repo.Unknown {
		m.Add(p.CheckForge(ctx, plan.Location.Repo))
	}
	return plan, m
}

// planFleet plans everything that follows from the fleet.
func (p *Publisher) planFleet(ctx context.Context, job Job) (*Plan, message.Messages) {
	if p.standsStill(job) {
		m := request.Report(job.Inventory, job.Was.PullRequestURL, false)
		at := siteOf(job.Inventory)
		m.Add(p.planKept(job, at, job.Inventory.Kept()))
		m.Add(job.brokenFiles().warn())
		m.Add(p.planIntent(job.intent(at, job.Inventory.Folders(), nil)))
		return &Plan{Location: job.Was.Location, LocationKnown: true, Attributes: job.Was.Attributes}, m
	}
	c, m := p.begin(ctx, job)
	if c == nil && job.Was != nil {
		m.Errors[len(m.Errors)-1].Detail += "\n\nNothing was written. To keep the branch unchanged until the errors are fixed, set " +
			"KALYPSO_HOLD=1."
	}
	if m.Failed() {
		return nil, m
	}
	plan := &Plan{Location: c.location, LocationKnown: job.locationKnown(), folders: c.desired.Folders(), result: c.result}
	if job.onHold() {
		m.Add(p.planCreateOnHold(c, plan))
	} else {
		m.Add(p.planChange(ctx, c, plan))
	}
	return plan, m
}

func (p *Publisher) planChange(ctx context.Context, c *computed, plan *Plan) message.Messages {
	job, decision := c.Job, c.decision
	var m message.Messages
	if job.Was != nil {
		m.Add(request.Report(job.Inventory, job.Was.PullRequestURL, decision.Changes))
	}
	plan.Packages, plan.Broken, plan.Summary = c.packages(), c.keptKeys(), c.summary()
	plan.Differs = decision.Changes
	plan.CommitOpen = decision.Changes || !plan.LocationKnown
	plan.SummaryOpen = !plan.LocationKnown && job.Was != nil
	seen := p.look(ctx, c)
	if decision.Changes {
		if plan.LocationKnown {
			note, changes := seen.changes(decision)
			plan.Diff = m.Show(p.maxDiffLines, message.PlannedChange, seen.summary(c, plan.Summary)+p.rendersAnew(job)+c.suggestsDetail(plan.Packages),
				note, changes)
		}
		if job.Inventory.Trace != "" {
			m.Warn("Drift is repaired", job.Inventory.Trace)
		}
	} else {
		plan.Commit = job.Was.Commit
	}
	site, shown, owners := planOwners(c, seen)
	plan.TakenOver = shown
	m.Add(owners)
	m.Add(c.checkKnown(len(shown), seen))
	if plan.LocationKnown {
		m.Add(p.planIntent(job.intent(site, plan.folders, c.desired.Removes(job.Inventory))))
	}
	m.Add(planMove(job, decision, c.desired))
	m.Add(c.review(ctx, seen))
	m.Add(p.checkFreeze(c, func() *view { return seen }))
	m.Add(p.planKept(job, site, decision.Kept))
	m.Add(unwatched(decision, job.Inventory))
	m.Add(c.warnBroken())
	plan.KeepsImport = job.Was != nil && job.Inventory.State == ownership.Imported && !decision.Changes && plan.LocationKnown &&
		plan.Location == job.Was.Location && !job.OthersChange &&
		maps.Equal(plan.Packages, job.Was.Packages)
	return m
}

// rendersAnew names the version of the provider as the reason of a change, if nothing else is a
// reason: the fleet and the branch are as they were after the last apply.
func (p *Publisher) rendersAnew(job Job) string {
	inv := job.Inventory
	if job.Was == nil || inv.Renderer == "" || inv.Renderer == p.version || !inv.IsSettled() || !job.sameFleet(&job.Was.Settings) {
		return ""
	}
	return fmt.Sprintf("\n\nThe fleet is unchanged. Version %s of the provider renders these files differently from version %s, which wrote "+
		"them.", p.version, inv.Renderer)
}

// manyPackages is how many packages a plan shows one by one without a remark: more digests make
// plans slow.
const manyPackages = 2000

// suggestsDetail names the coarser detail if a fleet is too large for digests of each package.
func (s *Settings) suggestsDetail(packages engine.Digests) string {
	n := len(packageKeys(packages))
	if s.Detail != engine.DetailPackage || n <= manyPackages {
		return ""
	}
	return fmt.Sprintf("\n\nThis resource has %d packages. With detail = \"cluster_type\", the plan shows one digest for each cluster type, "+
		"and Terraform is faster.", n)
}

// standsStill reports whether nothing has to be computed: the branch holds the content
// that this version renders from the last inputs, and the inputs are the same.
func (p *Publisher) standsStill(job Job) bool {
	inv := job.Inventory
	if job.Was == nil || inv.Renderer != p.version || !inv.IsSettled() {
		return false
	}
	if inv.Proposal != nil && (job.Request == nil || inv.Proposal.Incomplete || !reflect.DeepEqual(job.Request, job.Was.Request) ||
		!reflect.DeepEqual(job.Limits, job.Was.Limits)) {
		return false
	}
	same := func(setting Text, value string) bool {
		return !setting.Given || setting.Value == value && !setting.Unknown
	}
	return job.sameInputs(&job.Was.Settings) && job.given() == inv.Given &&
		same(job.Repo, job.Was.Location.Repo) && same(job.Branch, job.Was.Location.Branch) && same(job.Path, job.Was.Location.Path)
}

// planRequest plans the known attributes of the pull request. They are not known if the apply
// opens a new request or updates the open one. It comes last, because an unknown commit shows
// a coming write.
func (plan *Plan) planRequest(job Job) {
	inv, writes := job.Inventory, plan.CommitOpen
	switch {
	case job.Request != nil && (writes || job.updatesRequest(plan.Location)):
		plan.RequestOpen, plan.CommitOpen = true, true
	case writes, inv.Proposal != nil && job.Request == nil:
		plan.PullRequest, plan.PullRequestURL, plan.MergedCommit, plan.Status = 0, "", "", ownership.InSync
	case job.Was == nil: // new and on hold
		plan.Status = ownership.InSync
	default:
		plan.PullRequest, plan.PullRequestURL, plan.MergedCommit, plan.Status = job.Was.PullRequest, job.Was.PullRequestURL, job.Was.MergedCommit,
			job.Was.Status
		if inv.Proposal == nil {
			plan.Status = ownership.InSync // the apply repairs the drift
		}
	}
}

// updatesRequest reports whether an apply updates the open request, if there is one.
func (job Job) updatesRequest(at git.Location) bool {
	inv := job.Inventory
	return job.Was != nil && inv.Proposal.IsOpen() && (inv.Proposal.Incomplete || inv.HoldsProposal(true) || at != job.Was.Location ||
		!reflect.DeepEqual(job.Request, job.Was.Request) || !job.sameFleet(&job.Was.Settings))
}

// CheckForge reports the reasons for which an apply could not propose changes to a repository.
// It does not connect to a server.
func (p *Publisher) CheckForge(ctx context.Context, repo string) message.Messages {
	var m message.Messages
	if p.forges == nil {
		return m
	}
	if _, err := p.forges.Repository(ctx, repo); err != nil {
		m.Errors = []message.Message{{Setting: "pull_request", Summary: "Pull requests are not possible", Detail: problem.Sentence(err)}}
	}
	return m
}
