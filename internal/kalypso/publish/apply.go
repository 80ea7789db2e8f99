// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Planned is the part of an apply that its plan has shown.
type Planned struct {
	// Location is the planned place; the zero value if it was not known.
	Location git.Location
	// Packages are the planned packages; nil if they were not known.
	Packages engine.Digests
}

// Outcome is the resource after an apply or a refresh.
type Outcome struct {
	Location git.Location
	Instance string
	Attributes
	Memory Memory
}

// Apply renders the fleet again and checks that the result is the planned one. Then it brings the
// branch to the content, with one commit or by a pull request. If it returns no outcome, it has
// written nothing, except that a server may carry out a push that it did not answer in time.
func (p *Publisher) Apply(ctx context.Context, job Job, plan Planned) (out *Outcome, m message.Messages) {
	ctx = job.trusting(ctx)
	if p.HoldAll {
		m.Fail(message.OnHold, fmt.Sprintf("While %s is set, an apply writes nothing. Plan again when the hold ends.", p.heldBy(job.Hold)))
		return nil, m
	}
	if job.Hold {
		held, m := p.planOnHold(job)
		m.Warnings = nil // the plan said it
		return &Outcome{held.Location, job.self(job.Was).Instance, held.Attributes, held.Memory}, m
	}
	change, m := p.changeOf(ctx, job)
	defer func() { m = job.about(change.Wanted.Location, m) }()
	if !m.Failed() {
		m.Errors = change.unlike(plan)
	}
	if !m.Failed() && plan.Packages == nil { // the plan could not show it
		_, shown := p.lookAhead(ctx, change)
		m.Add(shown)
	}
	if m.Failed() {
		return nil, m
	}
	write := p.commit
	if job.Request != nil {
		write = p.propose
	}
	written, more := write(ctx, change)
	if m.Add(more); m.Failed() {
		return nil, m
	}
	return &written, m
}

// unlike returns an error if the change is not the planned one.
func (c Change) unlike(plan Planned) []message.Message {
	at := c.Wanted.Location
	if c.Kind == KindReplace {
		return message.One("Another place than planned", fmt.Sprintf("The plan was for %s, and the fleet now names %s. Nothing was written. "+
			"Plan again: the plan then replaces the resource.", c.Job.Was.Location, at))
	}
	isOther := plan.Location != (git.Location{}) && !plan.Location.Same(at)
	if isOther || plan.Packages != nil && !maps.Equal(plan.Packages, c.Attributes.Packages) {
		return message.One("The apply differs from its plan", fmt.Sprintf("The packages for %s differ from the planned packages, so nothing was "+
			"written. Plan again with the same version of the provider, and apply that plan.", at))
	}
	return nil
}

// commit writes the content to the branch itself, and closes the request of an earlier change.
func (p *Publisher) commit(ctx context.Context, c Change) (out Outcome, m message.Messages) {
	var written tree.ID
	err := p.write(&c, func(work git.Work) (err error) {
		written, err = p.Git.Apply(ctx, c.Wanted.Location.Of(), work)
		return err
	})
	if err != nil {
		m.Unwritten(err)
		return out, m
	}
	out = c.outcome()
	if out.Memory.LastLook = c.lookAfter(); !written.IsZero() {
		out.Memory.LastLook.Head = written
	}
	if c.Decision.Differs {
		out.Commit = written.String()
	}
	return out, p.closeOld(ctx, c, "An apply has written the change without a pull request.")
}

// outcome returns the resource after the change was written.
func (c Change) outcome() Outcome {
	ids := c.Wanted.Content.IDs()
	memory := Memory{OursAtApply: ids, BranchAtRefresh: maps.Clone(ids), RecordAtApply: recordID(c.Decision.Records[c.Self.Instance])}
	for _, key := range c.Decision.Released {
		memory.BranchAtRefresh[key] = c.Seen.Content[key].ID
	}
	if r := c.Result; r != nil {
		memory.Owners = r.Fleet.Remembered()
		if len(r.Failures)+len(r.Fleet.Notes)+len(c.Attributes.Kept)+len(c.Decision.Released) == 0 && c.Wanted.Version != Unversioned {
			memory.Complete = c.Job.completeBy(c.Wanted.Version)
		}
	}
	return Outcome{Location: c.Wanted.Location, Instance: c.Self.Instance, Attributes: c.Attributes, Memory: memory}
}

// lookAfter is what a look sees after the change, except for the commit of the change.
func (c Change) lookAfter() Look {
	edits := map[string]tree.Entry{}
	for at, edit := range c.Decision.Edits {
		if name, isRecord := strings.CutPrefix(at, record.RecordsFolder+"/"); isRecord {
			if edit.ID.IsZero() {
				edit.Mode = ""
			}
			edits[name] = edit
		}
	}
	look, folder := Look{Head: c.Seen.Head}, c.Seen.Folder.With(edits)
	if len(folder.Entries) > 0 { // Git keeps no empty folder
		look.Records = folder.ID
	}
	return look
}

// recordID identifies what a record says, except for its lines: another wave takes released ones away.
func recordID(r record.Record) tree.ID {
	r.Folders = nil
	return tree.File("", r.Content()).ID
}

// errUnasked says that our record has lines that the query did not ask for.
var errUnasked = errors.New("the record of this resource has further folders")

// write carries a change out. Each attempt decides again about the branch as it is, and asks again whether
// the change is refused. c becomes the change of the last attempt.
func (p *Publisher) write(c *Change, do func(git.Work) error) error {
	q := c.query()
	q.compares = c.Job.Request != nil || c.Job.Limits.Bound() // the body shows the difference, and the limits need it
	for {
		var further []string
		err := do(git.Work{Query: q.ask(), StartFrom: c.Job.StartFrom, Decide: func(found *git.Answer) (edits git.Change, err error) {
			seen, unasked, err := q.read(found)
			if err != nil {
				return edits, err
			}
			if further = unasked; len(further) > 0 {
				return edits, errUnasked
			}
			if *c = c.on(seen); q.compares {
				*c = c.compared()
			}
			if refused := refusals(*c, p.Now()); len(refused) > 0 {
				return edits, &message.RefusedError{Refusals: refused}
			}
			return git.Change{Edits: c.Decision.Edits, Message: p.commitMessage(*c)}, nil
		}})
		if !errors.Is(err, errUnasked) {
			return err
		}
		q.keys = slices.Concat(q.keys, further)
	}
}

func (p *Publisher) commitMessage(c Change) string {
	summary, _ := c.totals()
	if !c.Decision.Differs {
		summary = "no package changes, only records"
	}
	return message.Commit(c.Wanted, c.Job.CommitMessage, summary, p.WrittenBy, p.ciRun)
}
