// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Imported is the result of an import: a new instance, with its Packages.
type Imported struct {
	*ownership.Inventory
	// Environment is the environment that owns the folders, and Overview the name of the
	// file beside them. Both come from a record and are empty without one.
	Environment, Overview string
}

// Import reads the content of a branch for a new instance. It follows the record of the
// place. If the place has several records and environment is not empty, it follows the one
// of this environment. The named paths belong to another instance until an apply takes
// them over. Without a record, Import recognizes folders of cluster types by their
// README.md, which Kalypso writes too. These folders belong to the new instance as they
// are. Every other folder stays foreign.
func (p *Publisher) Import(ctx context.Context, loc git.Location, environment string) (*Imported, message.Messages) {
	var m message.Messages
	ctx = remote.Trusting(ctx, loc.Repo)
	everything := git.Query{
		Paths:  map[string]tree.Entry{ownership.RecordsFolder: {Mode: tree.ModeDir}},
		Folder: loc.Path, Others: ownership.Claimable, Content: ownership.TellsOwners,
	}
	for _, file := range engine.OwnedFiles {
		everything.Paths[file] = tree.Entry{Mode: tree.ModeFile}
	}
	found, err := p.git.Read(ctx, loc.Of(), everything)
	if err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return nil, m
	}
	if found.Head.IsZero() {
		m.Fail(message.NothingThere, fmt.Sprintf(
			"The repository %s has no branch %q. Create the resource instead: its first commit makes the branch.", remote.Redact(loc.Repo),
			loc.Branch))
		return nil, m
	}
	imported, err := importable(loc, environment, found)
	if err != nil {
		m.Fail(message.NothingThere, problem.Sentence(err))
		return nil, m
	}
	inv := imported.Inventory
	if imported.Overview != "" { // only its record names it
		query := inv.Query(false)
		forget(&query)
		if found, err = p.git.Read(ctx, loc.Of(), query); err != nil {
			m.Fail(message.Unreadable, problem.Sentence(err))
			return nil, m
		}
	}
	inv.State, inv.Packages = ownership.Imported, engine.Digests{}
	if _, err := inv.Update(found, false); err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return nil, m
	}
	return imported, m
}

// importable returns the inventory of the found content that an import can take over.
func importable(loc git.Location, environment string, found *git.Answer) (*Imported, error) {
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	// the user who imports has written the repository
	inv := &ownership.Inventory{
		Instance: ownership.NewInstance(), Location: loc, Detail: engine.DetailPackage,
		Owned: ownership.Objects{}, Applied: ownership.Objects{},
		Given: givenRepo, // The user who imports wrote the repository into the configuration.
	}
	if err := inv.NoteOwners(found, loc.Branch); err != nil {
		return nil, err
	}
	r, err := onlyRecord(inv.Records, loc, environment)
	if err != nil {
		return nil, err
	}
	owners := inv.Claimants()
	for path, f := range found.Found {
		ours := r.Instance != "" && r.Lists(path)
		if r.Instance == "" {
			ours = !owners.Claim(path) && (engine.IsOwnedFile(path) || isClusterType(f))
		}
		if ours && !ownership.IsEmptied(f) {
			inv.Owned[path] = ownership.Object{Mode: f.Mode}
			if r.Instance == "" {
				inv.Applied[path] = ownership.Object{Mode: f.Mode, ID: f.ID}
			}
		}
	}
	if others := environmentsAt(inv.Records, loc); len(inv.Owned) == 0 && len(others) > 0 {
		return nil, fmt.Errorf("%s holds no folder that could be taken over for environment %q: those of cluster types are recorded for %s. "+
			"Correct the environment at the end of the import id", loc, environment, strings.Join(others, ", "))
	}
	if len(inv.Owned) == 0 {
		return nil, fmt.Errorf("%s holds no folder of a cluster type that could be taken over: none is recorded for this place, and none has a "+
			"README.md that this provider or Kalypso wrote. Check the path, or create the resource instead", loc)
	}
	if r.Overview != "" { // it is looked for by the read that follows
		inv.Owned[loc.Join(r.Overview)] = ownership.Object{Mode: tree.ModeFile}
	}
	return &Imported{Inventory: inv, Environment: r.Environment, Overview: r.Overview}, nil
}

// isClusterType reports whether a folder was written by us or by Kalypso.
func isClusterType(folder *git.Found) bool {
	for _, e := range folder.Entries {
		if e.Name == engine.ReadmeFile {
			return engine.IsClusterTypeReadme(e.Content)
		}
	}
	return false
}

// onlyRecord returns the record of a place. If environment is not empty, it is the one of
// this environment. Without a record, it returns a zero one. It fails if there are
// several.
func onlyRecord(all ownership.Records, loc git.Location, environment string) (ownership.Record, error) {
	var here []ownership.Record
	var ids, records []string
	for _, instance := range slices.Sorted(maps.Keys(all)) {
		if r := all[instance]; r.At(loc) && len(r.Paths()) > 0 && (environment == "" || r.Environment == environment) {
			here = append(here, r.Record)
			records = append(records, ownership.RecordPath(instance))
			ids = append(ids, fmt.Sprintf("%s:%s for %s", loc, r.Environment, r))
		}
	}
	switch len(here) {
	case 0:
		return ownership.Record{}, nil
	case 1:
		return here[0], nil
	}
	if !slices.ContainsFunc(here, func(r ownership.Record) bool { return r.Environment != here[0].Environment }) {
		return ownership.Record{}, fmt.Errorf("several instances have recorded folders of environment %q in %s, as waves do: %s. Create the "+
			"resource instead: with the cluster_types of one of them it takes over what that one has. Of those that no resource has any more, "+
			"remove the record first", here[0].Environment, loc, wording.First(records, message.MaxListed))
	}
	return ownership.Record{}, fmt.Errorf("several instances have recorded folders in %s. Import one of them by the id %s; of those that no "+
		"resource has any more, remove the record first", loc, strings.Join(ids, ", or "))
}

// environmentsAt returns the environments that are recorded for a place, quoted and sorted.
func environmentsAt(all ownership.Records, loc git.Location) []string {
	var names []string
	for _, r := range all {
		if r.At(loc) {
			names = append(names, fmt.Sprintf("%q", r.Environment))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// forget makes a query look at everything, as if nothing were known.
func forget(query *git.Query) {
	query.Head = tree.ID{}
	for path, e := range query.Paths {
		query.Paths[path] = tree.Entry{Mode: e.Mode}
	}
}
