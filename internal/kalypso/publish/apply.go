// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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
func (p *Publisher) Apply(ctx context.Context, job Job, planned Planned) (*Outcome, message.Messages) {
	w, ctx := p.begin(ctx, job)
	m := w.run(ctx, []step{
		{"stay on hold", (*work).stayOnHold},
		{"render the fleet", (*work).render},
		{"find the place", (*work).locate},
		{"keep broken packages", (*work).keepBroken},
		{"put the content together", (*work).wanted},
		{"compute the values", (*work).planValues},
		{"compare with the plan", func(w *work, ctx context.Context) message.Messages { return w.checkPlanned(ctx, planned) }},
		{"check the freezes", (*work).checkFreezesNow},
		{"write", (*work).write},
	})
	if m.Failed() {
		return nil, w.about(m)
	}
	m.Warnings = slices.DeleteFunc(m.Warnings, func(one message.Message) bool { return one.Summary == message.OnHold }) // the plan said it
	out := w.outcome()
	return &out, w.about(m)
}

func (w *work) outcome() Outcome {
	return Outcome{Location: w.at, Instance: w.instance(), Attributes: w.after, Memory: w.memory}
}

// instance returns the id of the resource. A new resource gets one.
func (w *work) instance() string {
	if w.newInstance == "" {
		w.newInstance = record.NewInstance()
	}
	if w.Was == nil {
		return w.newInstance
	}
	return w.Was.Instance
}

// checkPlanned refuses a result that differs from its plan. If the plan could show nothing, it
// makes the checks of the plan now.
func (w *work) checkPlanned(ctx context.Context, planned Planned) (m message.Messages) {
	if len(w.replaced) > 0 {
		m.Fail("Another place than planned", fmt.Sprintf("The plan was for %s, and the fleet now names %s. Nothing was written. Plan again: the "+
			"plan then replaces the resource.", w.Was.Location, w.at))
		return m
	}
	isOther := planned.Location != (git.Location{}) && !planned.Location.Same(w.at)
	if isOther || planned.Packages != nil && !maps.Equal(planned.Packages, w.after.Packages) {
		m.Fail("The apply differs from its plan", fmt.Sprintf("The packages for %s differ from the planned packages, so nothing was written. "+
			"Plan again with the same version of the provider, and apply that plan.", w.at))
		return m
	}
	if planned.Packages != nil {
		return m
	}
	return w.run(ctx, []step{
		{"look at the branch", (*work).look},
		{"decide", (*work).decide},
		{"compare the packages", (*work).comparePackages},
		{"show the diff", (*work).show},
		{"report findings", (*work).reportFindings},
		{"check the limits", (*work).checkLimits},
	})
}

// checkFreezesNow checks the freezes when an apply begins.
func (w *work) checkFreezesNow(ctx context.Context) (m message.Messages) {
	if len(w.Freezes) == 0 {
		return m
	}
	if w.answer == nil {
		w.look(ctx)
		w.decide(ctx)
	}
	w.comparePackages(ctx)
	return w.checkFreezes(ctx)
}

// write brings the branch to the wanted content.
func (w *work) write(ctx context.Context) message.Messages {
	if w.Request != nil {
		return w.propose(ctx)
	}
	return w.commit(ctx)
}

// commit writes the content to the branch itself, and closes the request of an earlier change.
func (w *work) commit(ctx context.Context) (m message.Messages) {
	written, err := w.push(ctx)
	if err != nil {
		m.Unwritten(err)
		return m
	}
	if w.decision.Differs(w.desired, w.inventory) {
		w.after.Commit = written.String()
	}
	w.after.Status = InSync
	w.remember()
	m.Add(w.closeOld(ctx, "An apply has written the change without a pull request."))
	return m
}

// remember notes the written content.
func (w *work) remember() {
	ids := map[string]tree.ID{}
	for key, e := range w.desired.Content {
		ids[key] = e.ID
	}
	w.memory = Memory{Applied: ids, Seen: ids, Owners: w.result.Fleet.Remembered()}
}

// push makes one commit that carries out a decision about the branch as it is at each attempt.
func (w *work) push(ctx context.Context) (written tree.ID, err error) {
	err = w.attempt(func(change git.Work) (err error) {
		written, err = w.Git.Apply(ctx, w.at.Of(), change)
		return err
	})
	return written, err
}

// attempt writes a change that is decided about the branch as it is.
func (w *work) attempt(write func(change git.Work) error) error {
	return asking(w.keys(), func(keys []string) (further []string, err error) {
		look := ownership.Query(w.at, keys, nil)
		if w.Request != nil { // its body shows the difference
			look.Compare = w.compareWith(keys)
		}
		err = write(git.Work{Look: look, StartFrom: w.StartFrom, Decide: func(found *git.Answer) (change git.Change, err error) {
			change, further, err = w.decideAnew(found, keys)
			return change, err
		}})
		if errors.Is(err, errUnasked) {
			return further, nil
		}
		return nil, err
	})
}

// errUnasked says that our record has lines that the query did not ask for.
var errUnasked = errors.New("the record of this resource has further folders")

// decideAnew decides about the branch as it is at an attempt to write. With errUnasked it returns the
// keys to ask for.
func (w *work) decideAnew(found *git.Answer, asked []string) (change git.Change, further []string, err error) {
	inv, err := ownership.Read(w.at, asked, found)
	if err != nil {
		return change, nil, err
	}
	self := w.self()
	self.Instance = w.instance()
	if further = unasked(inv, w.at, self.Instance, asked); len(further) > 0 {
		return change, further, errUnasked
	}
	w.answer, w.inventory, w.decision = found, inv, ownership.Decide(w.desired, self, inv)
	if w.decision.Forbids() {
		return change, nil, &message.RefusedError{Decision: w.decision}
	}
	if err := w.checkLost(); err != nil {
		return change, nil, err
	}
	return git.Change{Edits: w.decision.Edits, Message: w.commitMessage()}, nil, nil
}

// commitMessage returns the message of the commit.
func (w *work) commitMessage() string {
	summary := w.after.Summary
	if !w.decision.Differs(w.desired, w.inventory) {
		summary = "no package changes, only records"
	}
	return message.Commit(w.desired, w.CommitMessage, summary, w.WrittenBy, w.ciRun)
}
