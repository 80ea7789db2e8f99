// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

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
