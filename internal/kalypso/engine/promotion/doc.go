// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package promotion decides which commit an environment should be at: the newest that
// has worked in the environments before it. It is a pure function of what stands in Git,
// of what was reported on it, of what somebody has written down, and of the time.
//
// # Candidates
//
// A candidate is a commit that the source's branch was at: its history along first
// parents. The order of that history is what "newer", "before" and "descends from" mean,
// and dates are not. So a merge is a candidate and the commits that it brought are not; a
// squash or a revert is a commit like any other. One that changes nothing of what is
// promoted is no candidate, and who carries it carries the one before it. An environment
// may carry the head of a branch all the same. If it is merged later, its merge and all that
// is newer descend from it, so the environment can go on to those; nothing descends from a
// candidate by way of it, and going back to it from its merge is going back. Any other
// commit is not known.
//
// # What an environment had
//
// The GitOps commits of its branch say what it carried, along first parents. One of which
// nobody can tell is passed over. One that carries nothing, as after a destroy, ends what was
// there, and takes nothing back: it may be written again. Where several instances share a branch, the environment
// as a whole is at the oldest commit that it carries: a candidate that only some of them
// have is there in part. A GitOps commit that fails has failed for the newest that it
// carries, and one that is green is so for the oldest; where that has something newer beside
// it, a failure that it had before stays one. The environment that is promoted to
// is taken to be at the newest, so that no instance of it goes back; those that are behind
// follow, also outside of windows.
//
// # Verified
//
// A GitOps commit is green if all required checks are, and so where none is required: at
// least so many distinct contexts match the pattern, and the latest report of every context
// that matches is a success: of check runs, of every suite that has one. No reports is not
// success. A failure stays one until that context, and suite, reports a success on that
// commit; that it runs again does not end it. Where creators are given, what others
// post is not there. In a pattern, * stands for any text, also with slashes, and nothing
// else is special. Of reports of one time the one with the higher number is the later one,
// and without numbers the failure.
//
// A candidate is verified in an environment that has carried it itself, where
//
//   - the latest of the GitOps commits with it that is green or has failed is green;
//   - or none of them is either, since it was overtaken, and the next one of the branch that
//     is either, and still carries it or what descends from it, is green. What was beside
//     something newer in one that failed was not overtaken, but failed with it.
//
// So a failure is final for its candidate: what comes later is a candidate of its own, and
// does not wash it, but the same candidate may be deployed again and turn green. What an
// environment went past was never there, and is not verified, however green the next
// one is.
//
// It must also have soaked: have been there, itself or in what descends from it, without a
// gap and for the time that is asked for, since the last required check turned green. What
// the environment gets meanwhile, and how that fares, is no matter; nor is it if the same
// candidate is deployed again, unless it failed in between. After a gap it has to be deployed,
// and reported on, again. Reports have the time at which the forge got them, but for check
// runs of GitHub, whose time is what their App says. A soak begins at the time of a commit
// only where no check is required, and else never; it ends with a commit that takes the
// candidate away. The time of a commit is its committer's, and whoever pushes can write any.
// Where one is before an older one, or after a newer one or now, it counts for as little as
// it can. So a record that is changed alone, in a commit that says an earlier time, counts
// from the commit that changed it on, and not from what was there before.
//
// # Reverted
//
// Where an instance goes back, or the environment as a whole, all candidates after the one
// that it goes back to, up to the newest that it had, are reverted there, for good: a revert
// of the GitOps commit is such a step, and so is a pin. That an instance is taken away, which
// was ahead of the others, is none, unless it was added with what it is at. They are not
// verified there, and never chosen again for that environment, but by a pin. It can also go
// back to a commit that is not known: to one that it had before. As long as it is at one that
// it did not have, nobody knows whether that is back, so nothing that it had before is
// verified.
//
// # Chosen
//
// The newest candidate is chosen that is newer than the one that the environment is at, was
// not reverted there, is verified in all environments before it, and for which the source's
// checks are green. It is never an older one, but by pin. Outside of all windows, and with
// hold, the environment stays where it is; a pin is stronger than both. Where what it is at is
// not in the source's history, as after a force push, nothing is chosen but by pin. A pin is
// a whole id, and may be a commit that nobody knows.
//
// # Without a source
//
// A single candidate, which may be any id, has no history. It is verified by the GitOps
// commits that carry it itself, so that nothing covers it, and it has soaked only while it
// was there; that an environment has gone on to another id does not matter otherwise. An
// environment goes back with an id that it had before, and is never given back a candidate
// that it has left.
//
// # Windows
//
// A window opens on its days and closes on the same day or, where its end is before its
// beginning, on the next. Times are those of a clock in its zone, when it shows them first;
// a time that the clock skips is when it does so. So a window that is skipped as a whole
// does not open that day. It is open at its beginning and closed at its end. Days, times
// and zone have to be written down. Zones are those of the time zone database that package
// time finds; a program that brings its own imports time/tzdata.
package promotion
