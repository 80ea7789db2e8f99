// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Status is a report about a commit: a commit status, or a check run of GitHub.
type Status struct {
	// Context names the check; for a check run, Context is its name.
	Context string
	State   StatusState
	// Description is the creator's text of one line.
	Description string
	// Creator is the user who reports the status, or the slug of the App that runs the check;
	// empty if the forge does not report it.
	Creator string
	// URL is a web page with details; empty for none.
	URL string
	// Time is the time of the report.
	Time time.Time
}

// StatusState is the result of a check.
type StatusState string

// The states of statuses.
const (
	Success StatusState = "success"
	Failure StatusState = "failure"
	Pending StatusState = "pending"
)

// states are a forge's names of states that are not pending.
type states map[string]StatusState

// read reads the state of a commit status. An unknown future state is not a success.
func (s states) read(state string) StatusState { return cmp.Or(s[state], Pending) }

// plain reads a state of SetStatus, which may be "error" too.
func (s StatusState) plain() StatusState {
	if s == "error" {
		return Failure
	}
	return s
}

// Limits of statuses: how many of a commit are read, how many bytes the description of our
// statuses may have (GitHub's limit), and how many characters a name.
const (
	maxStatuses    = 10_000
	maxDescription = 140
	maxContext     = 255
)

// Reports returns all stored reports on a commit: commit statuses, then check runs. It
// includes earlier reports of each context, the latest first. Errors: KindCommitNotFound if the forge does not
// know the commit, which has to be a full id; KindTooLarge if the commit has more than 10,000
// reports. With an error, Reports may return the commit statuses without the check runs. Cost: one
// request for each hundred reports.
func (r *Repository) Reports(ctx context.Context, commit string) (found []Status, err error) {
	err = r.onCommit(ctx, "read the statuses of commit "+commit, commit, func(ctx context.Context) (err error) {
		found, err = r.forge.Reports(ctx, commit)
		if len(found) > maxStatuses {
			return remote.Errorf(remote.KindTooLarge, "it has more than %d statuses and check runs, "+
				"and they are not read. Look at what posts so many; the next commit has none yet", maxStatuses)
		}
		return err
	})
	for i, s := range found {
		found[i].Description, found[i].URL = wording.Line(s.Description), remote.WebPage(s.URL)
	}
	return found, err
}

// SetStatus writes a status to a commit: its Context, State, Description and URL. After a lost
// answer, the commit may have the status twice, which means the same. Errors: those of Reports.
func (r *Repository) SetStatus(ctx context.Context, commit string, s Status) error {
	s.Description = wording.Shorten(wording.Line(s.Description), maxDescription-len("…"))
	return r.onCommit(ctx, fmt.Sprintf("set the status %q of commit %s", s.Context, commit), commit, func(ctx context.Context) error {
		return r.forge.Report(ctx, commit, s)
	})
}

// CheckContext refuses a name of a status that a forge would refuse or change.
func CheckContext(name string) error {
	if name == "" || utf8.RuneCountInString(name) > maxContext || wording.Line(name) != name {
		return fmt.Errorf("%.*q is not. Write one line of at most %d characters", maxContext, name, maxContext)
	}
	return nil
}

// onCommit runs an operation on a commit, and explains the answer of a forge that does not find it.
func (r *Repository) onCommit(ctx context.Context, doing, commit string, op func(context.Context) error) error {
	if !tree.IsCommitID(commit) {
		return remote.Errorf(remote.KindCommitNotFound, "%q is not the full id of a commit, and %s needs one for statuses of %s",
			commit, r.kind.name, r.name)
	}
	return r.run(ctx, doing, func(ctx context.Context) error {
		err := op(ctx)
		var said *answer
		if !errors.As(err, &said) || !strings.Contains(said.request, commit) {
			return err
		}
		if said.status == http.StatusNotFound || said.status == http.StatusUnprocessableEntity && said.says("no commit found for sha") {
			return remote.Errorf(remote.KindCommitNotFound, "%s has no commit %s there, or does not show the repository to the %s. Check the "+
				"repository's URL, and that the commit was pushed to it", r.kind.name, commit, r.config.credential())
		}
		return err
	})
}
