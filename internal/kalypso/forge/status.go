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
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Status is a report about a commit: a commit status, or a check run of GitHub.
type Status struct {
	// Context names the check; for a check run, Context is its name.
	Context string
	// Suite is the check suite of a check run: an App's run of its checks. It is empty for a
	// commit status. Checks with the same name in different suites are different checks.
	Suite string
	State StatusState
	// Description is the creator's text of one line.
	Description string
	// Creator is the user who reports the status, or the slug of the App that runs the check;
	// empty if the forge does not report it.
	Creator string
	// URL is a web page with details; empty for none.
	URL string
	// Time is the time of the report.
	Time time.Time

	key string // the forge's key for the context
	raw string // the forge's own state of a commit status
}

// StatusState is the result of a check.
type StatusState string

// The states of statuses.
const (
	Success StatusState = "success"
	Failure StatusState = "failure"
	Pending StatusState = "pending"
)

// Limits of statuses: how many of a commit are read, and how many bytes the description of our
// statuses may have (GitHub's limit).
const (
	maxStatuses    = 10_000
	maxDescription = 140
)

// Statuses returns the latest report of each context on a commit, sorted by context. Everybody
// who may write statuses can use any context; Creator shows who did. If GitHub has a commit
// status and check runs with the same name, the worst of them counts, because GitHub's rules
// require all. Errors: KindCommitNotFound if the forge does not know the commit, which has to
// be a full id; KindTooLarge if the commit has more than 10,000 reports. Cost: one request for
// each hundred statuses, and one for each hundred check runs.
func (r *Repository) Statuses(ctx context.Context, commit string) ([]Status, error) {
	var found []Status
	err := r.reports(ctx, commit, func(statuses, runs []Status) { found = worst(latest(statuses), latest(runs)) })
	return found, err
}

// reports calls take with the commit statuses and the check runs of a commit.
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

// Reports returns all stored reports on a commit: commit statuses, then check runs. It
// includes earlier reports of each context, the latest first. Contexts that the forge treats
// as the same get the spelling of the latest one. Errors and cost: those of Statuses.
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

// SetStatus writes a status to a commit: its Context, State, Description and URL. If the
// latest status of the context is the same and is ours, SetStatus writes nothing. If our user
// name is not known, the same status of anybody counts. Errors: those of Statuses.
func (r *Repository) SetStatus(ctx context.Context, commit string, s Status) error {
	if err := r.checkCommit(commit); err != nil {
		return err
	}
	s.Description = markdown.Shorten(markdown.Line(s.Description), maxDescription-len("…"))
	return r.run(ctx, fmt.Sprintf("set the status %q of commit %s", s.Context, commit), func(ctx context.Context) error {
		statuses, err := r.api.statuses(ctx, commit)
		if err != nil {
			return r.unknownCommit(commit, err)
		}
		statuses = latest(statuses)
		if same := slices.IndexFunc(statuses, s.says); same >= 0 {
			if me, err := r.api.viewer(ctx); err != nil || me == statuses[same].Creator {
				return nil
			}
		}
		return r.unknownCommit(commit, r.api.setStatus(ctx, commit, s))
	})
}

// HasStatus reports whether a commit has a commit status with a context and a state, by any
// creator, even if a later status has another state. Errors: those of Statuses.
func (r *Repository) HasStatus(ctx context.Context, commit string, s Status) (has bool, err error) {
	if err := r.checkCommit(commit); err != nil {
		return false, err
	}
	err = r.run(ctx, fmt.Sprintf("read the status %q of commit %s", s.Context, commit), func(ctx context.Context) error {
		statuses, err := r.api.statuses(ctx, commit)
		has = slices.ContainsFunc(statuses, s.isLike)
		return r.unknownCommit(commit, err)
	})
	return has, err
}

// isLike reports whether another status has the same context and state. Forges have more states
// than we read.
func (s Status) isLike(other Status) bool {
	return s.Context == other.Context && statusState(string(s.State)) == other.State
}

// says reports whether another status has the same content.
func (s Status) says(other Status) bool {
	return s.Context == other.Context && string(s.State) == other.raw && s.Description == other.Description && s.URL == other.URL
}

// maxContext is how many characters the name of a status may have.
const maxContext = 255

// CheckContext refuses a name of a status that a forge would refuse or change.
func CheckContext(name string) error {
	if name == "" || utf8.RuneCountInString(name) > maxContext || markdown.Line(name) != name {
		return fmt.Errorf("%.*q is not. Write one line of at most %d characters", maxContext, name, maxContext)
	}
	return nil
}

// latest returns the first status of each context and suite in a list.
func latest(all []Status) []Status {
	return firsts(all, func(s Status) string { return s.Suite + "\x00" + s.key })
}

// worst returns the worst status of each context in two lists, sorted by context.
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

// badness returns a higher number for a worse state.
func (s Status) badness() int {
	return map[StatusState]int{Success: 0, Pending: 1, Failure: 2}[s.State]
}

// checkStatuses returns an error if a commit has more statuses than the limit.
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
	if tree.IsFullCommitID(id) {
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
