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
	// Environment is the environment that owns the folders. It comes from a record and is empty
	// without one.
	Environment string
}

// Import reads the content of a branch for a new instance. It follows the record of the place.
// If the place has several records and environment is not empty, it follows the record of this
// environment. The listed paths belong to another instance until an apply takes them over.
// Without a record, Import recognizes folders of cluster types by their README.md, which
// Kalypso writes too. These folders immediately belong to the new instance. Every other folder
// stays foreign.
func (p *Publisher) Import(ctx context.Context, loc git.Location, environment string) (*Imported, message.Messages) {
	var m message.Messages
	ctx = remote.Trusting(ctx, loc.Repo)
	everything := git.Query{
		Paths:  map[string]tree.Entry{ownership.RecordsFolder: {Mode: tree.ModeDir}},
		Folder: loc.Path, Others: canBeClusterType, Content: ownership.TellsOwners,
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
	inv.State, inv.Packages = ownership.Imported, engine.Digests{}
	if err := inv.Update(found); err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return nil, m
	}
	return imported, m
}

// importable returns the inventory of the found content that an import can take over.
func importable(loc git.Location, environment string, found *git.Answer) (*Imported, error) {
	inv := &ownership.Inventory{
		Instance: ownership.NewInstance(), Location: loc, Detail: engine.DetailPackage,
		Owned: ownership.Objects{}, Applied: ownership.Objects{},
		Given: givenRepo, // the user who imports has written the repository's URL
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
		return nil, fmt.Errorf("%s has no folder to import for environment %q: records list its folders of cluster types for %s. "+
			"Correct the environment at the end of the import id", loc, environment, strings.Join(others, ", "))
	}
	if len(inv.Owned) == 0 {
		return nil, fmt.Errorf("%s has no folder to import: no record lists a folder at this place, and no folder has a "+
			"README.md of this provider or Kalypso. Check the path, or create the resource instead", loc)
	}
	return &Imported{Inventory: inv, Environment: r.Environment}, nil
}

// canBeClusterType reports whether a folder can have the name of a cluster type, by Kalypso's rule.
func canBeClusterType(name string) bool { return !strings.HasPrefix(name, ".") }

// isClusterType reports whether a folder was written by us or by Kalypso.
func isClusterType(folder *git.Found) bool {
	for _, e := range folder.Entries {
		if e.Name == engine.ReadmeFile {
			return engine.IsClusterTypeReadme(e.Content)
		}
	}
	return false
}

// onlyRecord returns the record of a place. If environment is not empty, it returns the record
// of this environment. Without a record, it returns the zero record. Errors: the place has
// several records.
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
		return ownership.Record{}, fmt.Errorf("several instances (waves) have records of environment %q in %s: %s. Create the "+
			"resource instead: with the cluster_types of one record it takes over the folders of that record. If an instance no longer exists, "+
			"remove its record first", here[0].Environment, loc, wording.First(records, message.MaxListed))
	}
	return ownership.Record{}, fmt.Errorf("several instances have records in %s. Import one of them by the id %s. If an "+
		"instance does not exist any more, remove its record first", loc, strings.Join(ids, ", or "))
}

// environmentsAt returns the environments with records for a place, quoted and sorted.
func environmentsAt(all ownership.Records, loc git.Location) []string {
	var names []string
	for _, r := range all {
		if r.At(loc) {
			names = append(names, fmt.Sprintf("%q", r.Environment))
		}
	}
	return wording.Sorted(names)
}
