// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// repository returns the same text for the URLs of one repository: over HTTPS or SSH, with or
// without ".git".
func repository(text string) string {
	u, err := remote.Parse(text)
	if err != nil || u.Protocol == remote.File {
		return strings.TrimSuffix(remote.Key(text), ".git")
	}
	return u.Address() + "/" + u.Name()
}

// repositoryPattern does the same for a pattern of URLs. In a URL, "?" begins the query.
func repositoryPattern(pattern string) string {
	const inURL = "\ue000" // a character that no URL has
	return strings.ReplaceAll(repository(strings.ReplaceAll(pattern, "?", inURL)), inURL, "?")
}

// commit is the files of a commit.
type commit struct{ *git.Snapshot }

var _ fileTree = commit{}

func (c commit) fetch(ctx context.Context, files []entry) error {
	ids := make([]tree.ID, len(files))
	for i, f := range files {
		ids[i] = f.id
	}
	return c.Fetch(ctx, ids...)
}

func (c commit) content(file entry) ([]byte, error) { return c.Blob(file.id) }
