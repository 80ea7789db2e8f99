// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
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

// Name names the environment in texts, with where it is, and with its part of the branch.
func (p Place) Name(where ...string) string {
	if p.Path != nil && len(tree.SplitPath(*p.Path)) > 0 {
		where = append(where, *p.Path)
	}
	if len(p.ClusterTypes) > 0 {
		where = append(where, wording.First(p.ClusterTypes, 1))
	}
	if len(where) == 0 {
		return p.Environment
	}
	return fmt.Sprintf("%s (%s)", p.Environment, strings.Join(where, ", "))
}

// has reports whether a record has the path of the environment and one of its cluster types.
func (p Place) has(r Record) bool {
	isListed := func(clusterType string) bool { return r.Folders[clusterType] != "" }
	return (p.Path == nil || slices.Equal(tree.SplitPath(*p.Path), tree.SplitPath(r.Path))) &&
		(len(p.ClusterTypes) == 0 || slices.ContainsFunc(p.ClusterTypes, isListed))
}

// Follow returns the records that are the environment in each commit of a history, by instance. A record that a commit does not have is
// in the result as a later commit has it, because an earlier commit may have it again.
//
// In the newest commit, these are the records that name the environment and the branch. If there never was one, the branch was renamed or
// copied: then they are those that name the environment and another branch.
func (p Place) Follow(history []GitOpsCommit) []Records {
	past, last := make([]Records, len(history)), len(history)-1
	for i := range past {
		past[i] = Records{}
	}
	here, copies := history[last].of(p.Environment, p.Branch.Name)
	found := those(here, p.has)
	if len(found) == 0 && !had(history, p.Environment, p.Branch.Name, p.has) {
		found = newest(history, those(copies, p.has))
	}
	if len(found) == 0 {
		found = []Record{{Environment: p.Environment, Branch: p.Branch.Name}}
	}
	for _, r := range found {
		past[last][r.Instance] = r
	}
	for i, c := range slices.Backward(history) {
		for _, later := range past[i] {
			for _, q := range c.ParentsAt {
				for _, r := range before(history[:q+1], c, later) {
					past[q][r.Instance] = r
				}
			}
		}
	}
	return past
}

// before returns how a record of a commit goes on in a parent, which is the last commit of a history. It goes on as the same instance, if
// both share the environment or the branch. Where the instance is not there, it goes on as a record of the same place that lists a common
// path, or that owns nothing any more. If the place begins with the commit, it goes on as a record of the same environment in another
// branch, or as one of another environment whose path it took over. If there is none, the record itself is returned.
func before(history []GitOpsCommit, next GitOpsCommit, later Record) []Record {
	c, earlier := history[len(history)-1], history[:len(history)-1]
	if r, isThere := c.Records[later.Instance]; isThere {
		if r.Environment == later.Environment || r.Branch == later.Branch {
			return []Record{r}
		}
		return nil
	}
	_, isThere := next.Records[later.Instance]
	isFirst := isThere || len(next.Records) == 0
	if isFirst && len(later.Folders) > 0 { // else it shares no path
		isFirst = !had(earlier, later.Environment, later.Branch, later.sharesPath)
	}
	here, copies := c.of(later.Environment, later.Branch)
	isLeft := func(r Record) bool { return !next.Records[r.Instance].owns() && (isFirst || r.owns()) }
	candidates := [][]Record{those(here, later.sharesPath), those(here, isLeft)}
	if isFirst {
		all, _ := c.of("", later.Branch)
		isTaken := func(r Record) bool { return r.sharesPath(later) && !next.Records[r.Instance].sharesPath(later) }
		candidates = append(candidates, newest(history, those(copies, later.sharesPath)), those(all, isTaken))
		if len(here) == 0 {
			candidates = append(candidates, newest(history, copies))
		}
	}
	for _, found := range candidates {
		if len(found) > 0 {
			return found
		}
	}
	return []Record{later}
}

// of returns the records of an environment in a branch, and those in other branches. An empty environment is any.
func (c GitOpsCommit) of(environment, branch string) (here, copies []Record) {
	for _, instance := range slices.Sorted(maps.Keys(c.Records)) {
		switch r := c.Records[instance]; {
		case environment != "" && r.Environment != environment:
		case r.Branch == branch:
			here = append(here, r)
		default:
			copies = append(copies, r)
		}
	}
	return here, copies
}

// had reports whether a commit of a history has a record of an environment in a branch that fits.
func had(history []GitOpsCommit, environment, branch string, fits func(Record) bool) bool {
	return slices.ContainsFunc(history, func(c GitOpsCommit) bool {
		for _, r := range c.Records {
			if r.Branch == branch && (environment == "" || r.Environment == environment) && fits(r) {
				return true
			}
		}
		return false
	})
}

// newest returns those of some records that name the branch of the one that came last: a branch that was renamed twice has copies with
// each of its names.
func newest(history []GitOpsCommit, records []Record) []Record {
	last, came := "", -1
	for _, r := range records {
		first := slices.IndexFunc(history, func(c GitOpsCommit) bool { return c.Records[r.Instance].Branch == r.Branch })
		if first > came {
			last, came = r.Branch, first
		}
	}
	return those(records, func(r Record) bool { return r.Branch == last })
}

func those(records []Record, fits func(Record) bool) []Record {
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return !fits(r) })
}

func (r Record) owns() bool { return len(r.Keys(Owned)) > 0 }

func (r Record) sharesPath(other Record) bool {
	for key := range r.Folders {
		if _, isListed := other.Folders[key]; isListed && r.PathOf(key) == other.PathOf(key) {
			return true
		}
	}
	return false
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
