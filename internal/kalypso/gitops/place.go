// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitops

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
)

// Same tells whether two locations are one place that is only spelled
// differently. Different spellings can still lead to one place, see SameBranch.
func (l Location) Same(other Location) bool {
	return l.sameBranch(other) && slices.Equal(tree.SplitPath(l.Path), tree.SplitPath(other.Path))
}

func (l Location) sameBranch(other Location) bool {
	return l.Branch == other.Branch && spelling(l.Repo) == spelling(other.Repo)
}

// spelling gives one of the ways to write the URL of a repository: the same for
// URLs that differ in what no server tells apart.
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
	return ep.Protocol + "://" + user + strings.ToLower(ep.Host) + ":" + portOf(ep.Protocol, strconv.Itoa(ep.Port)) +
		"/" + strings.TrimSuffix(strings.Trim(ep.Path, "/"), ".git")
}

// SameBranch tells whether two locations are on one branch of one repository,
// as far as anyone can see: repositories with different URLs count as one while
// the branch points at the same commit in both. Cost: nothing where the
// spelling tells, else three listings of references.
func (c *Client) SameBranch(ctx context.Context, a, b Location) (bool, error) {
	if a.Branch != b.Branch {
		return false, nil
	}
	if a.sameBranch(b) {
		return true, nil
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
		if before == after { // so that is where a pointed while b was looked at
			return !between.IsZero() && between == before, nil
		}
		before = after
	}
	return false, err
}
