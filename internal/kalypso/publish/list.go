// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Listed is an environment at a place, as the records of the branch have it.
type Listed struct {
	Location    git.Location
	Environment string
	// Records is how many records the environment has at the place: several, if it is written in waves.
	Records int
	// IsReleased is true if the records list released folders only: their resource was destroyed.
	IsReleased bool
}

// String describes the environment in one line.
func (l Listed) String() string {
	text := fmt.Sprintf("%s in %s", l.Environment, l.Location)
	if l.Records > 1 {
		text += fmt.Sprintf(" (%d records)", l.Records)
	}
	if l.IsReleased {
		text += " (released)"
	}
	return text
}

// List returns the environments that have records in a branch of a repository, by place and name; those
// of all branches if branch is empty. Errors: the repository or one of its records cannot be read. The
// other branches are listed all the same. Cost: one read of each branch.
func (p *Publisher) List(ctx context.Context, repo, branch string) (all []Listed, m message.Messages) {
	ctx = remote.Trusting(ctx, repo)
	branches := []string{branch}
	if branch == "" {
		var err error
		if branches, err = p.Git.Branches(ctx, repo); err != nil {
			m.Fail(message.Unreadable, problem.Sentence(err))
			return nil, m
		}
	}
	for _, name := range branches {
		at := git.Location{Repo: repo, Branch: name, Path: "."}
		seen, err := p.observe(ctx, query{at: at})
		switch {
		case err != nil:
			m.Fail(message.Unreadable, problem.Sentence(err))
		case seen.Head.IsZero():
			m.Fail(message.Unreadable, fmt.Sprintf("The repository %s has no branch %q. Correct branch, or leave it out to list all branches.",
				remote.Redact(repo), name))
		default:
			all = append(all, listed(repo, seen.Records)...)
		}
	}
	return all, m
}

// listed returns the environments of a branch's records.
func listed(repo string, records record.Records) []Listed {
	type pathAndName struct{ path, environment string }
	by := map[pathAndName]Listed{}
	for _, r := range records {
		at := pathAndName{r.Path, r.Environment}
		l, isKnown := by[at]
		by[at] = Listed{
			Location:    git.Location{Repo: repo, Branch: r.Branch, Path: r.Path},
			Environment: r.Environment,
			Records:     l.Records + 1,
			IsReleased:  (!isKnown || l.IsReleased) && len(r.Keys(record.Owned)) == 0,
		}
	}
	return slices.SortedFunc(maps.Values(by), func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Location.Path, b.Location.Path), cmp.Compare(a.Environment, b.Environment))
	})
}
