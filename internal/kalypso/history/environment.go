// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Place is the part of a branch that belongs to an environment.
type Place struct {
	Branch git.Branch
	// Environment is the name of the environment in its records.
	Environment string
	// Path, if not nil, is the folder of the records. If ClusterTypes is not empty, a record
	// needs at least one of these cluster types.
	Path         *string
	ClusterTypes []string
	// Most is how many commits are read.
	Most int
}

// Environment is the history of an environment, up to the requested commits.
type Environment struct {
	place Place
	// History answers the questions of a promotion.
	History promotion.History

	head *GitOpsCommit
	// missing is true if the branch does not exist.
	missing bool
}

// Environment returns the history of an environment. If eager is true, the first question
// reads the whole history; otherwise the newest commits first. Environment itself does not
// connect.
func (r Reader) Environment(ctx context.Context, p Place, eager bool) (*Environment, error) {
	branch, err := r.Branch(ctx, p.Branch)
	if err != nil {
		return nil, err
	}
	first := firstRead
	if eager {
		first = p.Most
	}
	e := &Environment{place: p}
	commits := lazily(first, p.Most, func(n int) ([]GitOpsCommit, error) { return branch.Commits(ctx, n) })
	e.History = func(i int) (promotion.GitOpsCommit, bool, error) {
		c, ok, err := commits(i)
		if i == 0 && err == nil {
			e.missing = !ok
			if ok {
				e.head = &c
			}
		}
		return promotion.GitOpsCommit{ID: c.ID.String(), Time: c.Time, Carried: p.carried(c)}, ok, err
	}
	return e, nil
}

// carried returns the releases in a commit, by instance; nil if they are not known, for example
// because an instance names no commit.
func (p Place) carried(c GitOpsCommit) map[string]promotion.Release {
	all := map[string]promotion.Release{}
	isKnown := c.Records != nil && !c.Garbled
	for instance, r := range c.Records {
		switch {
		case !p.has(r):
		case r.Commit == "":
			isKnown = false
		default:
			all[instance] = promotion.Release{Commit: CommitID(r.Commit), Sources: r.Sources}
		}
	}
	if c.Tracked != "" {
		all[""] = promotion.Release{Commit: c.Tracked}
	}
	if len(all) == 0 && !isKnown {
		return nil
	}
	return all
}

// SourceKey returns the same text for the names of two sources in records if every server treats
// them as the same branch.
func SourceKey(name string) string {
	repo, branch, _ := strings.Cut(name, "#")
	return git.Branch{Repo: repo, Name: branch}.Key()
}

// has reports whether a record belongs to the environment. A record that owns no folder does not. Empty ClusterTypes mean all cluster
// types, like nil in engine.Input, where an empty list means no cluster type.
func (p Place) has(r ownership.Record) bool {
	if r.Environment != p.Environment || !p.holds(r) || len(r.Keys(ownership.Owned)) == 0 {
		return false
	}
	return len(p.ClusterTypes) == 0 ||
		slices.ContainsFunc(p.ClusterTypes, func(name string) bool { return slices.Contains(r.Keys(ownership.Owned), name) })
}

// holds reports whether a record has the place's folder, with any owner.
func (p Place) holds(r ownership.Record) bool {
	return p.Path == nil || slices.Equal(tree.SplitPath(*p.Path), tree.SplitPath(r.Path))
}

// maxListed is how many records a sentence names.
const maxListed = 3

// Overlooked returns a sentence with the reason why nothing of the environment was found, if
// something else was found; "" otherwise. It uses only what was already read.
func (e *Environment) Overlooked() string {
	switch {
	case e.missing:
		return fmt.Sprintf("%s does not exist.", e.place.Branch)
	case e.head == nil || len(e.place.carried(*e.head)) > 0 || len(e.head.Records) == 0:
		return ""
	}
	var mine, others []string
	for _, instance := range slices.Sorted(maps.Keys(e.head.Records)) {
		r := e.head.Records[instance]
		if e.place.has(r) {
			mine = append(mine, r.String())
		}
		others = append(others, r.String())
	}
	if len(mine) > 0 {
		return fmt.Sprintf("The records on %s name no commit of a control plane: %s.", e.place.Branch, wording.First(mine, maxListed))
	}
	return fmt.Sprintf("No record on %s is for %s. Records are for: %s.", e.place.Branch, e.place.wanted(), wording.First(others, maxListed))
}

// OfOthers names the resources that write another environment to the same place, if no record
// there belongs to this environment; "" otherwise. It uses only what was already read.
func (e *Environment) OfOthers() string {
	if e.head == nil {
		return ""
	}
	var others []string
	for _, instance := range slices.Sorted(maps.Keys(e.head.Records)) {
		r := e.head.Records[instance]
		if !e.place.holds(r) {
			continue
		}
		if r.Environment == e.place.Environment {
			return ""
		}
		others = append(others, r.String())
	}
	return wording.First(others, maxListed)
}

// wanted describes the records of the environment.
func (p Place) wanted() string {
	text := fmt.Sprintf("environment %q", p.Environment)
	if p.Path != nil {
		text += fmt.Sprintf(", path %q", *p.Path)
	}
	if len(p.ClusterTypes) > 0 {
		text += " with a cluster type of " + wording.First(p.ClusterTypes, maxListed)
	}
	return text
}
