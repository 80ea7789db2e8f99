// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package promotion decides which release an environment should be at: the newest that has
// worked in the environments before it. It is a pure function of four inputs: the content
// of Git, the reports on it, the manual decisions that a user recorded, and the time.
//
// # Candidates
//
// A candidate is a commit that the source's branch was at: its history along first
// parents. "Newer", "before" and "descends from" refer to the order of that history, not
// to dates. So a merge is a candidate, and the commits that it brought are not. A squash
// or a revert is a commit like any other. A commit that changes nothing of the promoted
// content is not a candidate, and an environment that carries it carries the candidate
// before it.
//
// An environment may also carry the head of a branch. If that branch is merged later, the
// merge and all newer commits descend from the head, so the environment can go on to
// those. Nothing descends from a candidate by way of the head, and a step from the merge
// back to the head is a step back. Any other commit is unknown.
//
// # Releases
//
// A release is a commit of the source and its sources: the commits of the other repositories
// that the environment's control plane read. The environment records both. Without recorded
// sources, a release is only a commit.
//
// Environments may spell the name of a source differently. The name that is read first counts, so
// that of the environment itself before others. If one release has two commits of a source, nobody
// can know its content.
//
// Two releases of a commit agree if each source that both name is at the same commit. So an
// environment may follow a source that another one does not follow. In one branch, releases
// that agree are the same release. It names the sources of the newest GitOps commit with it, and
// is green only with a GitOps commit that names all of these.
//
// In one branch, the releases of a commit have the order in which they came, as far as the
// branch was read. The releases of a newer commit are newer than all those of an older one.
// "Newer" and "descends from" mean this order, too.
//
// A candidate is a release of a commit in each environment before, as long as all of these
// agree. Its sources are those of all. Each environment verifies its own release. The first
// environment has no sources from others, so its control plane reads the heads of branches.
//
// # What an environment had
//
// The GitOps commits of its branch say what the environment carried, along first parents.
// A GitOps commit whose content nobody can know is passed over. One that carries nothing,
// as after a destroy, ends what was there and takes nothing back. From then on the environment is
// new, also before it is written again: what it had before does not count.
//
// If several instances share a branch, the environment as a whole is at the oldest commit
// that it carries. A candidate that only some instances have is there in part. A GitOps
// commit that fails has failed for the newest commit that it carries. A GitOps commit that
// is green is green for the oldest. If the oldest has something newer beside it, a failure
// that it had before stays a failure. The environment that is promoted to counts as being
// at the newest, so that no instance of it goes back. The instances that are behind
// follow, also outside of windows.
//
// # Verified
//
// A GitOps commit is green if all required checks are green, and also if no check is
// required. A check is green under two conditions. At least the required number of
// distinct contexts match the pattern. The latest report of every context that matches is
// a success; for check runs, the latest report of every suite that has one. No reports is
// not success.
//
// A failure stays a failure until the same context, and suite, reports a success on that
// commit. A new run does not end it. If creators are given, the reports of others do not
// count. In a pattern, * matches any text, also with slashes, and nothing else is special.
// If two reports have the same time, the one with the higher number is the later one.
// Without numbers, the failure is the later one.
//
// A candidate is verified in an environment that has carried it itself, in one of two
// cases:
//
//   - the latest of the GitOps commits with it that is green or has failed is green;
//   - or none of them is green or has failed, because it was overtaken. Then the next GitOps
//     commit of the branch that is green or has failed, and still carries it or a descendant
//     of it, is green. A candidate that was beside something newer in a GitOps commit that
//     failed was not overtaken, but failed with it.
//
// So a failure is final for its candidate. A later commit is a candidate of its own, and
// does not undo the failure. But the same candidate may be deployed again and turn green.
// A candidate that an environment skipped was never there. It is not verified, even if the
// next one is green.
//
// It must also have soaked. It, or a descendant of it, must have been there without a gap,
// for the required time since the last required check turned green. What the environment
// gets meanwhile does not matter, and neither do the results of that. A new deployment of
// the same candidate does not matter either, unless it failed in between. After a gap, the
// candidate has to be deployed again, and needs new reports.
//
// The time of a report is the time at which the forge got it. The exception is check runs
// of GitHub, whose time is what their App says. A soak begins at the time of a commit only
// if no check is required, and never otherwise. It ends with a commit that takes the
// candidate away.
//
// The time of a commit is its committer's, and the user who pushes can write any time. A
// time that is before an older commit's, or after a newer commit's or now, is wrong. Then
// the candidates of that commit count as late as possible. So a commit that only changes
// a record, and names an earlier time, does not shorten a soak.
//
// # Reverted
//
// When an instance goes back, or the environment as a whole, all candidates after the one
// that it goes back to, up to the newest that it had, are reverted there, for good. A
// revert of the GitOps commit is such a step, and so is a pin. The removal of an instance
// that was ahead of the others is not such a step, unless the instance was added with the
// candidate that it is at.
//
// A step back to an older commit reverts the newer commits with all their releases, also those
// that come later. A step back to an earlier release of the same commit reverts only the releases
// after that.
//
// Reverted candidates are not verified there. They are never chosen again for that
// environment, except by a pin. The environment can also go back to an unknown commit that
// it had before. As long as it is at an unknown commit that it did not have, nobody knows
// whether that is a step back. So none of the candidates that it had before is verified.
//
// # Chosen
//
// The newest candidate is chosen that meets all these conditions: it is newer than the
// release of the environment, it was not reverted there, it is verified in all environments
// before it, and the source's checks are green for it. An older one is chosen only by a
// pin, or after a failure.
//
// With the same commit, a candidate is newer if it does not agree with a release that the
// environment has had, and if no environment before had it earlier than such a release. After a
// step back to an older commit, the same is true of the releases that the step left. An
// environment that records no sources agrees with all releases of its commit, and waits for the
// next commit.
//
// An environment gets the sources of the chosen release. It keeps each source of its own that this
// release lacks, if an environment before has ever followed that source: perhaps it could not be
// read there, and nobody has tested its head. A source that no environment before has followed is
// read at its head. If the environment agrees with the newest release, it gets sources that are
// new to it only if that release is verified and a window is open. If the environment is held, or
// no environment before had its release, it keeps all its own sources.
// A pin gets the sources that the environment had with this commit last, else those that the
// environments before had.
//
// If the environments had too many combinations of sources to compare them all, nothing newer is
// chosen.
//
// Outside of all windows, in a freeze and with hold, the environment stays where it is; a pin is
// stronger than these. If the commit of the environment is not in the source's history, as
// after a force push, only a pin chooses a commit. A pin is a whole id, and may be an
// unknown commit.
//
// # Without a source
//
// A single candidate, which may be any id, has no history. Only the GitOps commits that
// carry it itself verify it, so that nothing covers it, and it has soaked only while it
// was there. Otherwise it does not matter that an environment has gone on to another id.
// An environment goes back with an id that it had before, and never gets back a candidate
// that it has left.
//
// # Windows and freezes
//
// Something newer is chosen only in a window, and never in a freeze (package calendar).
//
// # Failure
//
// With OnFailure, an environment goes back if three things are true. Its release has failed there for
// the grace, by the checks of OnFailure on its own GitOps commits. Nothing newer is verified, or no
// window is open for that, or a freeze is in force. And an earlier release was verified there, by the
// same checks, and was not reverted: the newest of these is chosen, with the sources that it had. What
// it did not have stays at the commit of the environment. If the reports cannot be read, the
// environment stays.
//
// A failure begins with the first report of a failure since the last success of that context, on the
// newest GitOps commit, and not before that commit. So an environment that is red for seconds, as
// reconcilers are, stays. Another GitOps commit with the same release may be the fix, so the time
// starts again. A release was verified if a GitOps commit of its own was green. What covers it in the
// rules for later environments does not count here.
//
// Windows and freezes do not bind this step, because the environment is broken already. It is a step
// back like any other: the release that failed is reverted there. If the environment came to its release
// by a step back, it does not go back again: a second release in a row that fails, although it was
// verified, has probably another cause, such as an outage.
package promotion
