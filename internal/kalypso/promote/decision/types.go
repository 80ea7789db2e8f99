// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package decision decides which release an environment gets: the newest that works in the
// environments before it, and that nobody took back. It is a pure function of the environments'
// tracks, the reports on their commits, the settings and the time. The rule is the list gates.
//
// The words of this package:
//   - release: a commit of the control plane, with the commits of the repositories that it follows
//   - track: the releases that an environment has had, as steps
//   - rank: the index of a release's first step in a track; a smaller rank is an older release
//   - life: the part of a track after the environment was last destroyed
//   - progress: how far a release has come, and in which environment
//   - verdict: what the reports say about the checks of an environment
package decision

import (
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Report is a commit status, a check run, or an entry of `reports`.
type Report struct {
	Context string
	State   State
	Time    time.Time
	// Creator is the login that posted it; may be empty.
	Creator string
}

// State is what a report says. An unknown state counts as Pending.
type State string

// The states.
const (
	Success State = "success"
	Failure State = "failure"
	Pending State = "pending"
)

// Reports returns the reports on a commit, in any order. Decide asks at most once for each
// commit, and only for those that matter, because it may ask a forge.
type Reports func(commit string) ([]Report, error)

// Check is a requirement on the reports on one commit.
type Check struct {
	// Context is a pattern: * matches any text, also with slashes.
	Context string
	// AtLeast is how many contexts have to be green; 0 means 1.
	AtLeast int
	// Expected names contexts that all have to report; without MinGreen it counts for the newest release only.
	Expected []string
	// MinGreen, if not nil, is how many have to be green: of Expected, or else of the larger of AtLeast and the contexts that match.
	MinGreen *Share
	// Creators, if not empty, are the only logins whose reports count.
	Creators []string
}

// Environment is an environment with its past and its reports.
type Environment struct {
	Name    string
	Track   record.Track
	Reports Reports
	// Checks verify a release there.
	Checks []Check
}

// After is an environment that must have verified a release first.
type After struct {
	Environment
	Soak time.Duration
}

// Source is where the first environment gets its commits from.
type Source struct {
	// Commits are the newest commits of the branch (with a path: those that change the folder),
	// newest first: one, or at most 50 with Checks or with a pin.
	Commits []record.Commit
	Reports Reports
	Checks  []Check
}

// Input is what Decide reads.
type Input struct {
	// Own is the environment that gets the release. Its Checks are those of `target`.
	Own Environment
	// After is empty for the first environment; then Source is set.
	After  []After
	Source *Source

	Pin, ResumeAfter string
	Hold             string // the setting that holds it; empty if nothing does
	Windows          []calendar.Opening
	Freezes          []calendar.Period
	// Fallback is on_failure = "previous"; Grace is failure_grace.
	Fallback bool
	Grace    time.Duration
	Now      time.Time
}

// Decision says what to do.
type Decision string

// The decisions.
const (
	Promote  Decision = "promote"
	UpToDate Decision = "up_to_date"
	Held     Decision = "held"
	Pinned   Decision = "pinned"
	Rollback Decision = "rollback"
	Nothing  Decision = "nothing"
)

// Stage is how far a candidate has come.
type Stage string

// The stages of a candidate.
const (
	Waiting  Stage = "waiting"
	Failed   Stage = "failed"
	Reverted Stage = "reverted"
	Soaking  Stage = "soaking"
	Verified Stage = "verified"
)

// Candidate is a release that could be chosen, with its stage and a sentence why.
type Candidate struct {
	Release record.Release
	Stage   Stage
	Reason  string
}

// Result is what Decide returns.
type Result struct {
	// Release is what the environment gets. Its Commit is empty if nothing is chosen yet.
	Release  record.Release
	Decision Decision
	// Reason is one line: what happened, and what it waits for or what to do.
	Reason string
	// Newer says that something newer than Release exists, so that waiting is worth a warning.
	Newer bool
	// Candidates are the releases that are newer than the own one, newest first, down to the chosen
	// one, at most 20.
	Candidates []Candidate
}
