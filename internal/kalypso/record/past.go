// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Place is the part of a branch that belongs to an environment.
type Place struct {
	Branch git.Branch
	// Environment is the name of the environment in its records; empty for any.
	Environment string
	// Path, if not nil, is the folder of the records. If ClusterTypes is not empty, a record
	// needs at least one of these cluster types.
	Path         *string
	ClusterTypes []string
}

// Follow returns the records that are the environment in each commit of a history, by instance. A record that a commit does not have is
// in the result as a later commit has it, because an earlier commit may have it again.
//
// In the newest commit, these are the records that name the environment and the branch; else those that name another branch, because
// the branch was renamed or copied.
func (p Place) Follow(history []GitOpsCommit) []Records {
	past := make([]Records, len(history))
	for i := range past {
		past[i] = Records{}
	}
	for _, r := range p.newest(history) {
		past[len(past)-1][r.Instance] = r
	}
	for i, c := range slices.Backward(history) {
		for _, later := range past[i] {
			for _, q := range c.Before {
				for _, r := range history[q].before(later, c, history[:q]) {
					past[q][r.Instance] = r
				}
			}
		}
	}
	return past
}

// newest returns the records of the environment in the newest commit. If there are none, the result is a record that no commit has.
func (p Place) newest(history []GitOpsCommit) []Record {
	head := history[len(history)-1]
	here, copies := head.of(p.Environment, p.Branch.Name)
	here, copies = those(here, p.has), those(copies, p.has)
	hadOne := func(c GitOpsCommit) bool {
		there, _ := c.of(p.Environment, p.Branch.Name)
		return slices.ContainsFunc(there, p.has)
	}
	switch {
	case len(here) > 0:
		return here
	case len(copies) > 0 && !slices.ContainsFunc(history, hadOne): // otherwise the environment ended
		return head.latest(copies)
	}
	return []Record{{Environment: p.Environment, Branch: p.Branch.Name}}
}

// of returns the records of an environment in a branch, and those in other branches.
func (c GitOpsCommit) of(environment, branch string) (here, elsewhere []Record) {
	for _, instance := range slices.Sorted(maps.Keys(c.Records)) {
		switch r := c.Records[instance]; {
		case environment != "" && r.Environment != environment:
		case r.Branch == branch:
			here = append(here, r)
		default:
			elsewhere = append(elsewhere, r)
		}
	}
	return here, elsewhere
}

// latest returns those of some records that name the branch of the record that was written last: a branch that was renamed twice has
// copies with each of its names.
func (c GitOpsCommit) latest(records []Record) []Record {
	if len(records) == 0 {
		return nil
	}
	last := slices.MaxFunc(records, func(a, b Record) int { return c.written[a.Instance] - c.written[b.Instance] })
	return those(records, func(r Record) bool { return r.Branch == last.Branch })
}

// before returns how a record of the next commit goes on in this one, which is a parent: as the same instance, if it shares the
// environment or the branch. Where the instance is not there, a record of the same environment and branch goes on: one that lists a common
// path, else one that owns nothing in the next commit. Else, if the next commit is the first with the place, one of the same environment
// and another branch goes on, or one of another environment from which the record took a path over. If there is none, the record itself is
// returned, because an earlier commit may have it.
func (c GitOpsCommit) before(later Record, next GitOpsCommit, earlier []GitOpsCommit) []Record {
	if r, isThere := c.Records[later.Instance]; isThere {
		if r.Environment == later.Environment || r.Branch == later.Branch {
			return []Record{r}
		}
		return nil
	}
	here, copies := c.of(later.Environment, later.Branch)
	hasPlace := func(c GitOpsCommit) bool {
		there, _ := c.of(later.Environment, later.Branch)
		return slices.ContainsFunc(there, later.sharesPath)
	}
	_, isFirst := next.Records[later.Instance]
	isFirst = (isFirst || len(next.Records) == 0) && !slices.ContainsFunc(earlier, hasPlace)
	found := those(here, later.sharesPath)
	if len(found) == 0 {
		found = those(here, func(r Record) bool { return !next.Records[r.Instance].owns() && (isFirst || r.owns()) })
	}
	if len(found) == 0 && isFirst {
		found = c.latest(those(copies, later.sharesPath))
	}
	if len(found) == 0 && isFirst {
		found, _ = c.of("", later.Branch)
		found = those(found, func(r Record) bool { return r.sharesPath(later) && !next.Records[r.Instance].sharesPath(later) })
	}
	if len(found)+len(here) == 0 && isFirst {
		found = c.latest(copies)
	}
	if len(found) == 0 {
		found = []Record{later}
	}
	return found
}

// owns reports whether the record owns a path.
func (r Record) owns() bool { return len(r.Keys(Owned)) > 0 }

// those returns the records of a list that fit.
func those(records []Record, fits func(Record) bool) (all []Record) {
	for _, r := range records {
		if fits(r) {
			all = append(all, r)
		}
	}
	return all
}

// sharesPath reports whether two records list the same path.
func (r Record) sharesPath(other Record) bool {
	for key := range r.Folders {
		if _, isListed := other.Folders[key]; isListed && r.PathOf(key) == other.PathOf(key) {
			return true
		}
	}
	return false
}

// has reports whether a record has the path of the environment and one of its cluster types.
func (p Place) has(r Record) bool {
	isListed := func(clusterType string) bool { return r.Folders[clusterType] != "" }
	return (p.Path == nil || slices.Equal(tree.SplitPath(*p.Path), tree.SplitPath(r.Path))) &&
		(len(p.ClusterTypes) == 0 || slices.ContainsFunc(p.ClusterTypes, isListed))
}

// Live returns those records of an environment that a commit has, by instance. If one of them owns a path, those that only have released
// ones do not count.
func (c GitOpsCommit) Live(past Records) []Record {
	var live []Record
	for _, instance := range slices.Sorted(maps.Keys(past)) {
		if r, isThere := c.Records[instance]; isThere {
			r.Release.Commit = CommitID(r.Release.Commit)
			live = append(live, r)
		}
	}
	if owners := those(live, Record.owns); len(owners) > 0 {
		return owners
	}
	return live
}
