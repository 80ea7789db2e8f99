// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// recall restores the notes of an applied resource from the state and the branch, as far as
// possible. Terraform drops the notes if the provider is killed.
func (p *Publisher) recall(ctx context.Context, was *Applied, inv *ownership.Inventory) error {
	again, err := p.claimAgain(ctx, inv)
	if err != nil {
		return err
	}
	if was.Status == ownership.InSync && maps.Equal(was.Packages, again.Packages) { // the branch still has the applied content
		again.Applied = maps.Clone(again.Owned)
	}
	inv.Owned, inv.Applied, inv.Packages = again.Owned, again.Applied, again.Packages
	if was.Status != ownership.Proposed || was.Request == nil {
		return nil
	}
	return p.requests.Recall(ctx, inv, was.PullRequest, was.Commit, pathsOf(was.Packages, was.Location))
}

func pathsOf(packages engine.Digests, loc git.Location) map[string]tree.Entry {
	paths := map[string]tree.Entry{}
	for key := range packages {
		if engine.IsOwnedFile(key) {
			paths[key] = tree.Entry{Mode: tree.ModeFile}
			continue
		}
		name, _, _ := strings.Cut(key, "/")
		paths[loc.Join(name)] = tree.Entry{Mode: tree.ModeDir}
	}
	return paths
}

// claimAgain returns the content that an inventory has forgotten: the present content at the
// paths of its packages, and the owners of these paths. The applied content is not known any
// more, so only our record shows that a path is ours.
func (p *Publisher) claimAgain(ctx context.Context, forgotten *ownership.Inventory) (*ownership.Inventory, error) {
	loc := forgotten.Location
	paths := pathsOf(forgotten.Packages, loc)
	query := git.Query{Paths: forgotten.RecordsQuery(), Content: ownership.TellsOwners}
	maps.Copy(query.Paths, paths)
	found, err := p.git.Read(ctx, loc.Of(), query)
	if err != nil {
		return nil, err
	}
	inv := &ownership.Inventory{Location: loc, Instance: forgotten.Instance, Detail: forgotten.Detail, Head: found.Head,
		Owned: ownership.Objects{}, Applied: ownership.Objects{}}
	if err := inv.NoteOwners(found, loc.Branch); err != nil {
		return nil, err
	}
	for path, e := range paths {
		inv.Owned[path], inv.Applied[path] = ownership.Object{Mode: e.Mode, ID: ownership.Standing(found, path)}, ownership.Object{Mode: e.Mode}
	}
	inv.Packages = ownership.DigestsOf(ours(found, inv), loc, forgotten.Detail)
	return inv, nil
}
