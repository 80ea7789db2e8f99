// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Import takes over what stands in a branch. The folders of cluster types are known
// by their README.md; every other folder stays foreign. The inventory's Packages
// are what was taken over.
func (p *Publisher) Import(ctx context.Context, loc git.Location) (*Inventory, Messages) {
	var m Messages
	everything := git.Query{
		Paths:  map[string]tree.Entry{},
		Folder: loc.Path, Others: claimable, Content: isReadme,
	}
	for _, file := range engine.OwnedFiles {
		everything.Paths[file] = tree.Entry{Mode: tree.ModeFile}
	}
	found, err := p.git.Read(ctx, loc.Of(), everything)
	if err != nil {
		m.fail("The GitOps repository cannot be read", problem.Sentence(err))
		return nil, m
	}
	if found.Head.IsZero() {
		m.fail("Nothing to import", fmt.Sprintf(
			"The repository %s has no branch %q. Create the resource instead: its first commit makes the branch.", remote.Redact(loc.Repo), loc.Branch))
		return nil, m
	}
	inv := claim(loc, found)
	// Once more with the files, so that the first plan can show what is there.
	query := inv.query(false)
	query.Head = tree.ID{}
	for path, e := range query.Paths {
		query.Paths[path] = tree.Entry{Mode: e.Mode}
	}
	query.Content = everything.Content
	query.Compare = func() map[string]tree.Entry { return nil }
	if found, err = p.git.Read(ctx, loc.Of(), query); err != nil {
		m.fail("The GitOps repository cannot be read", problem.Sentence(err))
		return nil, m
	}
	inv = claim(loc, found)
	if len(inv.Owned) == 0 {
		m.fail("Nothing to import", fmt.Sprintf(
			"%s holds no folder of a cluster type: none has a README.md that this provider or Kalypso wrote. Check the path, or create the resource instead.", loc))
		return nil, m
	}
	inv.Imported = true
	if found.Differences != nil {
		inv.Drift = newDrift(found.Differences)
	}
	inv.Packages = digestsOf(ours(found, inv), loc, engine.DetailPackage)
	return inv, m
}

// claim returns the inventory of what was found: the folders of cluster types, and files.
func claim(loc git.Location, found *git.State) *Inventory {
	inv := &Inventory{Location: loc, Head: ObjectID(found.Head), Owned: Objects{}}
	for path, f := range found.Found {
		if engine.IsOwnedFile(path) || isClusterType(f) {
			inv.Owned[path] = Object{Mode: f.Mode, ID: ObjectID(f.ID)}
		}
	}
	return inv
}

// claimAgain returns the inventory of an applied resource of which nothing is noted.
func (p *Publisher) claimAgain(ctx context.Context, was *Applied) (*Inventory, error) {
	query := git.Query{Paths: map[string]tree.Entry{}, Content: isReadme}
	for key := range was.Packages {
		if engine.IsOwnedFile(key) {
			query.Paths[key] = tree.Entry{Mode: tree.ModeFile}
			continue
		}
		name, _, _ := strings.Cut(key, "/")
		query.Paths[was.Location.Join(name)] = tree.Entry{Mode: tree.ModeDir}
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		return nil, err
	}
	return claim(was.Location, found), nil
}

func isReadme(file string) bool { return path.Base(file) == engine.ReadmeFile }

// isClusterType reports whether a folder was written by us or by Kalypso.
func isClusterType(folder *git.Found) bool {
	for _, e := range folder.Entries {
		if e.Name == engine.ReadmeFile {
			return engine.IsClusterTypeReadme(e.Content)
		}
	}
	return false
}
