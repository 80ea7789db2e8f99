// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import "time"

// Facts are the facts that a decision reads, as far as it asks for them. Decide is pure as
// long as the same question always has the same answer.
type Facts struct {
	// Source is the commits that the source's branch was at; nil for nothing. It is not
	// read if the rules have a Candidate.
	Source SourceCommits
	// SourceReports are the reports on its commits; nil for none.
	SourceReports Reports
	// Target is the branch that the environment is written to. Its History is nil for none yet.
	// Its reports are read with Rules.OnFailure.
	Target Branch
	// After are the environments of Rules.After, by name. One that is missing had nothing.
	After map[string]Branch
	// SourceKey returns the same text for all names of one source; nil if each source has one name.
	SourceKey func(name string) string
}

// SourceCommits returns the i-th commit that the source's branch was at, newest first along
// first parents, or false if there are no more, or it is read no further. It is asked
// as a History is.
type SourceCommits func(i int) (SourceCommit, bool, error)

// SourceCommit is one of the source.
type SourceCommit struct {
	ID string
	// Parents are its parents' ids, the first one first.
	Parents         []string
	Subject, Author string
	Time            time.Time
	// Same says that the promoted content is the same as in the first parent. The commit
	// is not a candidate, and an environment that carries it carries the candidate before
	// it.
	Same bool
}

// Branch is the branch of an environment's GitOps commits.
type Branch struct {
	History History
	Reports Reports
}

// History returns the i-th GitOps commit of a branch, newest first along first parents, or
// false if there are no more. It is asked for one after the other, from 0 on, for each
// once, and only for as many as matter, so it may fetch them.
type History func(i int) (GitOpsCommit, bool, error)

// GitOpsCommit is a commit of an environment's branch.
type GitOpsCommit struct {
	ID   string
	Time time.Time
	// Carried are the releases that the GitOps commit contains, by the instance that
	// recorded each; "" is the instance of the tracking file. It is empty for nothing, as
	// are empty commits, and nil if the releases are unknown.
	Carried map[string]Release
}

// Reports returns the reports on a commit, in any order. Decide asks once for each commit,
// and only for those that matter, so it may ask a forge.
type Reports func(commit string) ([]Report, error)

// Report is a commit status or a check run.
type Report struct {
	// Context is the name of the reporter: "kustomization/apps/1234abcd".
	Context string
	// Suite is the suite of a check run, and empty for a commit status. Check runs of one
	// name in several suites all count.
	Suite   string
	Outcome Conclusion
	// Description is the report in a few words. May be empty.
	Description string
	// Creator is the login that posted it.
	Creator string
	Time    time.Time
	// Number orders the reports of one time, as the ids of a forge do; 0 if unknown.
	Number int64
}

// Conclusion is the result of a report. Any value except the three counts as Pending.
type Conclusion string

// The outcomes. A forge's "error" is a Failure, and a check run that was skipped or is
// neutral is a Success, as forges count them.
const (
	Success Conclusion = "success"
	Failure Conclusion = "failure"
	Pending Conclusion = "pending"
)
