// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Same tells whether two locations are one place that is only spelled
// differently. Different spellings can still lead to one place, see SameBranch.
func (l Location) Same(other Location) bool { return l.Spelling() == other.Spelling() }

// Spelling gives one of the ways to write a location: the same for all that
// differ only in what no server tells apart.
func (l Location) Spelling() string {
	return spelling(l.Repo) + "#" + l.Branch + ":" + strings.Join(tree.SplitPath(l.Path), "/")
}

// branch gives the location's branch: its root.
func (l Location) branch() Location { return Location{Repo: l.Repo, Branch: l.Branch} }

func spelling(repo string) string {
	ep, err := parseURL(repo)
	if err != nil {
		return repo
	}
	if ep.Protocol == protocolFile {
		return protocolFile + "://" + path.Clean(ep.Path)
	}
	user := ""
	if ep.Protocol == protocolSSH {
		user = ep.User + "@"
	}
	return ep.Protocol + "://" + user + strings.ToLower(ep.Host) + ":" + portOf(ep.Protocol, strconv.Itoa(ep.Port)) + ":" + strings.TrimRight(ep.Path, "/")
}

// Relation is how the branches of two locations stand to each other.
type Relation int

// The relations of two branches.
const (
	// Apart: they are two.
	Apart Relation = iota
	// Alike: they point at the same commit, so they may be one by two names.
	Alike
	// One: they are one, as their spelling tells.
	One
	// Absent: neither exists.
	Absent
)

// Relate tells how the branches of two locations stand to each other. Two that
// point at different commits at the same time are two, whatever happens later.
// Cost: nothing where the spelling tells, else three listings of references.
func (c *Client) Relate(ctx context.Context, a, b Location) (Relation, error) {
	if a.branch().Same(b.branch()) {
		return One, nil
	}
	before, err := c.Head(ctx, a)
	for err == nil {
		var between, after tree.ID
		if between, err = c.Head(ctx, b); err != nil {
			break
		}
		if after, err = c.Head(ctx, a); err != nil {
			break
		}
		switch { // where a pointed before and after is where it pointed while b was looked at
		case before != after:
			before = after
		case between != before:
			return Apart, nil
		case between.IsZero():
			return Absent, nil
		default:
			return Alike, nil
		}
	}
	return Apart, err
}
