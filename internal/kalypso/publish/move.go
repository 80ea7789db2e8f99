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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// planMove reports the effect of a move, or the reason why the resource cannot move.
func planMove(job Job, decision ownership.Decision, desired ownership.Desired) message.Messages {
	var m message.Messages
	if !decision.Moves {
		return m
	}
	from := job.Inventory.Location
	m.Add(planSplitMove(desired, job.Inventory))
	if name := nested(job.Inventory, desired); name != "" {
		m.Errors = append(m.Errors, message.Message{Setting: "path", Summary: "The packages cannot move there", Detail: fmt.Sprintf(
			"One of %s and %s contains the other: %q is a cluster type of this fleet, and its folder belongs to this resource. Move to a path "+
				"whose first folder has another name.",
			from, desired.Location, name)})
	}
	if job.Removal == ownership.Forbid && len(job.Inventory.Owned) > 0 {
		m.Fail(message.Forbidden, fmt.Sprintf(
			"%s would become %s, and on_removal = \"forbid\" forbids leaving the old place. If you want the move, set on_removal to empty, "+
				"delete or retain.", from, desired.Location))
		return m
	}
	what := "removes this resource's folders from the old place, unless both places are one branch"
	if job.Removal == ownership.Retain {
		what = `leaves the old place unchanged (on_removal = "retain")`
	}
	m.Warn("The packages move", fmt.Sprintf("%s becomes %s: apply writes the new place first and then %s. %s", from, desired.Location, what,
		job.Removal.Means()))
	return m
}

// checkCopied refuses a plan that changes environment and place together: a copied state
// causes such a plan, and the apply would move the original away.
func (job Job) checkCopied(to git.Location) message.Messages {
	var m message.Messages
	if job.Was == nil {
		return m
	}
	before, after, from := job.Was.Fleet.Environment, job.Fleet.Environment, job.Was.Location
	if before == "" || before == after || from.Same(to) { // an import without a record does not know the environment
		return m
	}
	m.Errors = []message.Message{{Setting: "environment", Summary: "Another environment at another place", Detail: fmt.Sprintf(
		"environment %q in %s becomes %q in %s. The apply would remove the packages of %q. "+
			"If this address now means another resource (changed keys of for_each or positions of count), add moved blocks. If the state is "+
			"a copy, remove the resource from the copy (terraform state rm): the new resource writes %q and leaves the original unchanged. "+
			"If one environment gets a new name and a new place, apply the two changes one after the other.",
		before, from, after, to, before, after)}}
	return m
}

// nested compares two locations of a branch. If one lies in the folder of a cluster type at
// the other, it returns this cluster type; otherwise "".
func nested(inv *ownership.Inventory, desired ownership.Desired) string {
	if !inv.Location.Of().Same(desired.Location.Of()) {
		return ""
	}
	outer, inner := tree.SplitPath(inv.Location.Path), tree.SplitPath(desired.Location.Path)
	if len(outer) > len(inner) {
		outer, inner = inner, outer
	}
	if len(inner) == len(outer) || !slices.Equal(outer, inner[:len(outer)]) {
		return ""
	}
	name := inner[len(outer)]
	_, had := inv.Owned[inv.Location.Join(name)]
	_, has := desired.Paths[desired.Location.Join(name)]
	if had || has {
		return name
	}
	return ""
}

// relation is the relation between two branches.
type relation int

const (
	apart  relation = iota // two branches
	alike                  // two names at the same commit, which may be one branch
	one                    // one branch, by the spelling
	absent                 // neither branch exists
)

// relate finds the relation between two branches. Two names that point at different commits at
// the same time are two branches. Cost: nothing if the spelling shows the relation, otherwise
// three listings of references.
func (p *Publisher) relate(ctx context.Context, a, b git.Branch) (relation, error) {
	if a.Same(b) {
		return one, nil
	}
	before, err := p.git.Head(ctx, a)
	for err == nil {
		var between, after tree.ID
		if between, err = p.git.Head(ctx, b); err != nil {
			break
		}
		if after, err = p.git.Head(ctx, a); err != nil {
			break
		}
		switch { // if a has the same commit before and after, a had this commit while b was read
		case before != after:
			before = after
		case between != before:
			return apart, nil
		case between.IsZero():
			return absent, nil
		default:
			return alike, nil
		}
	}
	return apart, err
}

// departure is a location that the packages leave.
type departure struct {
	*ownership.Inventory
	// branches is the relation of the old branch to the new one. unclear is the reason if the
	// relation is not known.
	branches relation
	unclear  error
	// samePlace is true if both locations are the same under two names.
	samePlace bool
}

func (d *departure) sameBranch() bool { return d.branches == one || d.branches == alike }

// depart finds the relation of a new location to the old one before the apply writes: only
// then do two branches still differ. It also returns our content of the new location.
func (p *Publisher) depart(ctx context.Context, inv *ownership.Inventory, to git.Location) (*departure, *ownership.Inventory) {
	d := &departure{Inventory: inv}
	d.branches, d.unclear = p.relate(ctx, inv.Location.Of(), to.Of())
	d.samePlace = d.sameBranch() && slices.Equal(tree.SplitPath(to.Path), tree.SplitPath(inv.Location.Path))
	if d.samePlace {
		same := *inv
		same.Location = to
		return d, &same
	}
	return d, inv.Arriving(to, d.sameBranch())
}

// remains returns the content that stays behind. Owned files do not stay if the branch is
// the same.
func (d *departure) remains() *ownership.Inventory {
	inv := *d.Inventory
	if d.sameBranch() {
		inv.Owned = maps.Clone(inv.Owned)
		maps.DeleteFunc(inv.Owned, func(path string, _ ownership.Object) bool { return engine.IsOwnedFile(path) })
	}
	return &inv
}

// clean removes our content from the old location after the new one is written. It reports the
// content that remains, because no resource knows the old location after that.
func (p *Publisher) clean(ctx context.Context, job Job, left *departure, to git.Location) message.Messages {
	var m message.Messages
	var names []string
	for _, path := range left.Paths() {
		names = append(names, ownership.KeyOf(left.Location, path))
	}
	if len(names) == 0 || left.branches == absent {
		return m
	}
	if job.Removal == ownership.Retain {
		return m
	}
	if left.branches == alike {
		m.Warn("Two places may be one branch", fmt.Sprintf(
			"%s and %s had the same commit, so the apply treated them as one branch with two names. If they are two, remove the resource's folders "+
				"(%s) by hand from the branch that is no longer used.",
			left.Location, to, strings.Join(names, ", ")))
	}
	if left.samePlace {
		return m
	}
	err := left.unclear
	if err == nil {
		var more message.Messages
		nothing := job.nothing(left.Location)
		nothing.GoesOn = left.sameBranch()
		more, err = p.remove(ctx, job, nothing, left.remains(), "move all packages to another place")
		m.Add(more)
	}
	if err == nil {
		return m
	}
	cause := message.Sentence(err)
	var conflict *git.ConflictError
	if errors.As(err, &conflict) {
		cause = message.ChangedBy(left.Location, conflict, left.Packages)
	}
	m.Warn("The old place was not cleaned", fmt.Sprintf(
		"The packages are in %s now, but the folders (%s) were not removed from %s, and no resource manages them there. Remove these folders by "+
			"hand, unless both places are one repository. Cause: %s.",
		to, strings.Join(names, ", "), left.Location, strings.TrimSuffix(cause, ".")))
	return m
}
