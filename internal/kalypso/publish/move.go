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
		m.Errors = append(m.Errors, message.Message{Setting: "path", Summary: message.CannotMoveThere.Title, Detail: fmt.Sprintf(
			"%s and %s lie in each other: %q is a cluster type of this fleet, whose folder belongs to this resource as a whole. Move to a path "+
				"that starts with another name.",
			from, desired.Location, name)})
	}
	if job.Removal == ownership.Forbid && len(job.Inventory.Owned) > 0 {
		m.Fail(message.Forbidden, fmt.Sprintf(
			"%s would become %s, and on_removal = \"forbid\" keeps the old place from being left. If the move is meant, set on_removal to empty, "+
				"delete or retain.", from, desired.Location))
		return m
	}
	what := "takes what is ours out of the old one, unless both turn out to be one branch"
	if job.Removal == ownership.Retain {
		what = `leaves the old one as it is (on_removal = "retain")`
	}
	m.Warn(message.PackagesMove, fmt.Sprintf("%s becomes %s: apply writes the new place first and then %s. %s", from, desired.Location, what,
		job.Removal.Means()))
	return m
}

// checkCopied refuses to change the environment and the place in one go: a copied state does
// so, and the original would be moved away.
func (job Job) checkCopied(to git.Location) message.Messages {
	var m message.Messages
	if job.Was == nil {
		return m
	}
	before, after, from := job.Was.Fleet.Environment, job.Fleet.Environment, job.Was.Location
	if before == "" || before == after || from.Same(to) { // an import without a record does not know it
		return m
	}
	m.Errors = []message.Message{{Setting: "environment", Summary: message.Copied.Title, Detail: fmt.Sprintf(
		"environment %q in %s becomes %q in %s. Apply would take the packages of %q away. "+
			"If keys or positions have changed (for_each, count), so that this address is another resource now, add moved blocks. If the state is "+
			"a copy of another one, take the resource out of it (terraform state rm): created anew, it writes %q and leaves the other one alone. "+
			"If one environment gets another name and another place, apply one of the two changes first, then the other.",
		before, from, after, to, before, after)}}
	return m
}

// nested compares two locations of a branch. If one lies in a cluster type's folder of the
// other, it returns this cluster type, else an empty text.
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
	apart  relation = iota // they are two
	alike                  // they point at the same commit, so they may be one by two names
	one                    // they are one, as their spelling shows
	absent                 // neither exists
)

// relate finds the relation between two branches. Two branches that point at different
// commits at the same time are two, whatever happens later. Cost: nothing if the spelling
// shows the relation, else three listings of references.
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
		switch { // where a pointed before and after is where it pointed while b was looked at
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
	// branches is the relation of its branch to the new one. unclear is the reason if it
	// is not known.
	branches relation
	unclear  error
	// samePlace is true if the new location is the old one by another name.
	samePlace bool
}

func (d *departure) sameBranch() bool { return d.branches == one || d.branches == alike }

// depart finds the relation of a new location to the old one before anything is written.
// Two branches that differ then are two. It also returns the content of the new location
// that is ours.
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

// clean removes our content from the old location once the new one is written. It reports
// the rest, because no resource knows the old location after that.
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
		m.Warn(message.TakenForOne, fmt.Sprintf(
			"%s and %s pointed at the same commit, so they were taken for one branch by two names. If they are two, remove by hand what is ours "+
				"(%s) from the one that is no longer used.",
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
	m.Warn(message.Uncleaned, fmt.Sprintf(
		"The packages are in %s now, but what is ours (%s) was not removed from %s, and this resource no longer looks after it. Remove it by "+
			"hand, unless both are one repository. Cause: %s.",
		to, strings.Join(names, ", "), left.Location, strings.TrimSuffix(cause, ".")))
	return m
}
