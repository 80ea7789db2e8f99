// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// lookTimeout bounds what a plan waits for a repository that it has not read before.
const lookTimeout = 20 * time.Second

// look reads who owns what where a plan is about to write, and returns what was found
// and an inventory that knows the owners. compare is that of git.Query.
func (p *Publisher) look(ctx context.Context, inv *Inventory, desired Desired, compare func(*git.State) map[string]tree.Entry) (*git.State, *Inventory, error) {
	query := inv.around(desired)
	query.Compare = compare
	found, err := p.git.Read(ctx, desired.Location.Of(), query)
	there := *inv
	if err == nil {
		there.Head = ObjectID(found.Head)
		err = there.noteOwners(found, desired.Location.Branch)
	}
	return found, &there, err
}

func unreadableText(err error) string {
	return fmt.Sprintf("Apply will need it, and the plan cannot tell whether somebody else owns what is there. %s", problem.Sentence(err))
}

// surroundings are what stands in a branch already of what a new resource writes there: what
// it takes over, or finds as it is to be.
type surroundings struct {
	files    current
	packages engine.Digests
}

// summary sums up what leads from there to a result.
func (s *surroundings) summary(result *engine.Result) string {
	return s.packages.Summary(result.Digests(engine.DetailPackage), engine.DetailPackage) + ", compared with what stands there"
}

// lookTaken looks at what an update takes over from others: nil where it is nothing. The
// plan is told of it, and does not follow from it.
func (p *Publisher) lookTaken(ctx context.Context, desired Desired, decision Decision) (taken *surroundings, m Messages) {
	theirs := desired
	theirs.Paths = map[string]tree.Entry{}
	for _, claim := range decision.TakenOver {
		theirs.Paths[claim.Path] = desired.Paths[claim.Path]
	}
	if len(theirs.Paths) == 0 || p.git == nil {
		return nil, m
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, _, err := p.look(ctx, &Inventory{Location: desired.Location}, theirs, func(*git.State) map[string]tree.Entry { return theirs.Paths })
	if err != nil {
		m.warn(unreadable, unreadableText(err))
		return nil, m
	}
	m.add(strangeReleases(decision, found))
	return stands(theirs, decision, found), m
}

// and returns what is known of ours together with what others have that is taken over.
func (c current) and(taken *surroundings) current {
	if taken == nil {
		return c
	}
	all := current{paths: maps.Clone(c.paths), unknown: slices.Sorted(slices.Values(slices.Concat(c.unknown, taken.files.unknown)))}
	maps.Copy(all.paths, taken.files.paths)
	return all
}

// lookAround looks at the branch that a new resource is about to write to, and at its
// forge, for what an apply would fail for. It only warns, and nothing that is planned
// follows from it: the repository may be made in the same run, and somebody else may
// plan than apply.
func (p *Publisher) lookAround(ctx context.Context, job Job, desired Desired) (seen *surroundings, there *Inventory, m Messages) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, there, err := p.look(ctx, job.Inventory, desired, func(found *git.State) map[string]tree.Entry {
		all := maps.Clone(desired.Paths)
		maps.DeleteFunc(all, func(path string, _ tree.Entry) bool { return found.ID(path).IsZero() })
		return all
	})
	if err != nil {
		m.warn(unreadable, unreadableText(err))
		return nil, there, m
	}
	decision := Decide(desired, there)
	if job.Replaces != nil { // what is its own so far is nobody else's
		decision.TakenOver = slices.DeleteFunc(decision.TakenOver, func(c Claim) bool { return c.Instance == job.Replaces.Instance })
	}
	m.add(p.owners(decision))
	m.add(strangeReleases(decision, found))
	for _, refused := range m.Errors {
		refused.Detail += " Apply refuses that as it stands."
		m.Warnings = append(m.Warnings, refused)
	}
	if m.Errors == nil {
		m.add(standsInTheWay(desired.Location, decision, found))
	}
	m.Errors = nil
	m.add(p.checkWrite(ctx, job, desired.Location.Of(), !found.Head.IsZero()))
	return stands(desired, decision, found), there, m
}

// stands returns what was found of what is desired; nil where that is nothing.
func stands(desired Desired, decision Decision, found *git.State) *surroundings {
	seen := &surroundings{packages: engine.Digests{}}
	known := &Inventory{Location: desired.Location, Owned: Objects{}, Drift: &Drift{}}
	if found.Differences != nil {
		known.Drift = newDrift(found.Differences)
	}
	for path, want := range desired.Paths {
		if f := found.Found[path]; f != nil && (decision.Change.Edits[path].Unchecked || f.ID == want.ID) {
			known.Owned[path] = Object{Mode: f.Mode, ID: ObjectID(f.ID)}
			addDigests(seen.packages, desired.Location, engine.DetailPackage, path, f)
		}
	}
	if len(known.Owned) == 0 {
		return nil
	}
	seen.files = newCurrent(known, desired.Paths)
	return seen
}

// checkWrite warns where what is to be written would be refused, as far as servers tell
// that before. exists is true where there is such a branch.
func (p *Publisher) checkWrite(ctx context.Context, job Job, branch git.Branch, exists bool) Messages {
	var m Messages
	if err := p.git.CheckWrite(ctx, branch); err != nil {
		m.warn(unwritable, "Apply will need to push there. "+sentence(err))
	}
	if p.forges == nil {
		return m
	}
	repo, err := p.forges.Repository(ctx, branch.Repo)
	switch {
	case err != nil: // an error of its own where requests are made
	case job.Request != nil:
		if err := repo.Reachable(ctx); err != nil {
			m.warn(unasked, "Apply will need it for the pull request. "+problem.Sentence(err))
		}
	case exists:
		if protected, err := repo.Protected(ctx, branch.Name); err == nil && protected {
			m.warn(takesNoPushes, fmt.Sprintf(
				"%s is protected, and changes are written to it without a pull request. Where the credentials may not push there, apply is refused: add a pull_request block, or let them push.", branch))
		}
	}
	return m
}

// standsInTheWay warns of what an apply of a new resource would be refused for: it may
// be gone by then.
func standsInTheWay(loc git.Location, decision Decision, found *git.State) Messages {
	var m Messages
	exists := &git.ExistsError{Branch: loc.Of()}
	for _, path := range slices.Sorted(maps.Keys(decision.Change.Edits)) {
		edit := decision.Change.Edits[path]
		if id := found.ID(path); !edit.Unchecked && !id.IsZero() && id != edit.Want.ID {
			exists.Paths = append(exists.Paths, path)
		}
	}
	exists.Files = decision.Change.Files(exists.Paths)
	if len(exists.Paths) > 0 {
		m.warn(inTheWay, occupied(loc, exists)+" Apply refuses that as it stands."+occupiedAdvice(loc, exists, true))
	}
	return m
}
