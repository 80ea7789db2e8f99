// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Status is what somebody says of a commit: a commit status, or a check run of GitHub's.
type Status struct {
	// Context names what was looked at: of a check run, its name.
	Context string
	// Suite is what a check run belongs to, an App's run of its checks; empty for a commit
	// status. Checks of one name in different suites are different ones.
	Suite string
	State StatusState
	// Description is a line of the creator's own words.
	Description string
	// Creator is the user who says it, or the App that runs the check, by its slug; empty
	// if the forge does not report it.
	Creator string
	// URL is a web page that has more; empty for none.
	URL string
	// Time is when it was said.
	Time time.Time

	key string // by which the forge distinguishes contexts
}

// StatusState is how a commit has fared.
type StatusState string

// The states of statuses.
const (
	Success StatusState = "success"
	Failure StatusState = "failure"
	Pending StatusState = "pending"
)

// Bounds of statuses: how many are read of a commit, and how many bytes one of ours may
// have for its description, which is what GitHub takes.
const (
	maxStatuses    = 10_000
	maxDescription = 140
)

// Statuses returns the latest report of each context on a commit, sorted by context.
// Everybody who may write statuses can use any context: Creator is the one who did. If GitHub
// has a commit status and check runs of one name, the worst of them counts, because GitHub's
// rules demand all. Errors: KindCommitNotFound if the forge does not know the commit, which
// has to be a full id; KindTooLarge if there are more than 10,000. Cost: one request for each
// hundred statuses, and one for each hundred check runs.
func (r *Repository) Statuses(ctx context.Context, commit string) ([]Status, error) {
	var found []Status
	err := r.reports(ctx, commit, func(statuses, runs []Status) { found = worst(latest(statuses), latest(runs)) })
	return found, err
}

// reports passes the commit statuses and the check runs of a commit on.
func (r *Repository) reports(ctx context.Context, commit string, take func(statuses, runs []Status)) error {
	if err := r.checkCommit(commit); err != nil {
		return err
	}
	return r.run(ctx, "read the statuses of commit "+commit, func(ctx context.Context) error {
		statuses, err := r.api.statuses(ctx, commit)
		if err != nil {
			return r.unknownCommit(commit, err)
		}
		runs, err := r.api.checkRuns(ctx, commit)
		take(statuses, runs)
		return r.unknownCommit(commit, err)
	})
}

// Reports returns all reports on a commit that the forge keeps: commit statuses, and then
// check runs. It has earlier reports of each context too, the latest first. Contexts that the
// forge takes for the same are spelled as the latest one. Errors and cost: those of Statuses.
func (r *Repository) Reports(ctx context.Context, commit string) ([]Status, error) {
	var found []Status
	err := r.reports(ctx, commit, func(statuses, runs []Status) { found = slices.Concat(statuses, runs) })
	contexts := map[string]string{}
	for i, s := range found {
		if _, known := contexts[s.key]; !known {
			contexts[s.key] = s.Context
		}
		found[i].Context = contexts[s.key]
	}
	return found, err
}

// SetStatus says of a commit what a status says: its Context, State, Description and
// URL. If that is the latest that is said in the context, nothing is written. Errors:
// as those of Statuses.
func (r *Repository) SetStatus(ctx context.Context, commit string, s Status) error {
	if err := r.checkCommit(commit); err != nil {
		return err
	}
	s.Description = markdown.Shorten(markdown.Line(s.Description), maxDescription-len("…"))
	return r.run(ctx, fmt.Sprintf("set the status %q of commit %s", s.Context, commit), func(ctx context.Context) error {
		statuses, err := r.api.statuses(ctx, commit)
		if err != nil || slices.ContainsFunc(latest(statuses), s.says) {
			return r.unknownCommit(commit, err)
		}
		return r.unknownCommit(commit, r.api.setStatus(ctx, commit, s))
	})
}

// says reports whether another status says the same.
func (s Status) says(other Status) bool {
	return s.Context == other.Context && s.State == other.State && s.Description == other.Description && s.URL == other.URL
}

// latest returns the first status of a list of each context and suite.
func latest(all []Status) []Status {
	return firsts(all, func(s Status) string { return s.Suite + "\x00" + s.key })
}

// worst returns of each context the worst status of two lists, sorted by context.
func worst(a, b []Status) []Status {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Status) int { return cmp.Compare(b.badness(), a.badness()) })
	all = firsts(all, func(s Status) string { return s.key })
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.Context, b.Context) })
	return all
}

// firsts returns the first status of each kind.
func firsts(all []Status, kind func(Status) string) []Status {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s Status) bool {
		before := seen[kind(s)]
		seen[kind(s)] = true
		return before
	})
}

// badness orders states.
func (s Status) badness() int {
	return map[StatusState]int{Success: 0, Pending: 1, Failure: 2}[s.State]
}

// checkStatuses returns an error if there are more statuses than are read.
func checkStatuses(n int) error {
	if n > maxStatuses {
		return remote.Errorf(remote.KindTooLarge, "it has more than %d statuses and check runs, "+
			"and they are not read. Look at what posts so many; the next commit has none yet", maxStatuses)
	}
	return nil
}

// statusState reads the state of a commit status. GitHub has error, failure, pending and
// success. Gitea has warning and skipped too, and counts the one as a failure of the
// commit, and the other as a success.
func statusState(state string) StatusState {
	switch state {
	case "success", "skipped":
		return Success
	case "failure", "error", "warning":
		return Failure
	}
	return Pending // an unknown future state is not a success
}

func (r *Repository) checkCommit(id string) error {
	if tree.FullCommitID(id) == id && id != "" {
		return nil
	}
	return remote.Errorf(remote.KindCommitNotFound, "%q is not the full id of a commit, and %s needs one for statuses of %s",
		id, r.forge, r.name)
}

// unknownCommit explains the answer of a forge that does not find a commit.
func (r *Repository) unknownCommit(commit string, err error) error {
	var said *answer
	if !errors.As(err, &said) || !strings.Contains(said.request, commit) {
		return err
	}
	if said.status == http.StatusNotFound || said.status == http.StatusUnprocessableEntity && said.says("no commit found for sha") {
		return remote.Errorf(remote.KindCommitNotFound,
			"%s has no commit %s there, or does not show the repository to the %s. Check the repository's URL, and that the commit was pushed "+
				"to it", r.forge, commit, r.api.credential())
	}
	return err
}
