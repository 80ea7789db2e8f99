// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
)

// ConflictError says that folders of ours changed after the change was planned.
type ConflictError struct {
	Location Location
	// Folders are the folders that changed.
	Folders []string
	// Packages are what differs in them, as <folder>/<package>.
	Packages []string
}

func (e *ConflictError) Error() string {
	text := fmt.Sprintf("somebody else changed %s in %s after the plan was made", list("folder", e.Folders), e.Location)
	if len(e.Packages) > 0 {
		text += ": " + list("package", e.Packages)
	}
	return text + ". Nothing was written. Plan again to see the change, then apply that plan"
}

// ExistsError says that folders that were to be created exist already, with other content.
type ExistsError struct {
	Location Location
	Folders  []string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s in %s exists already, with other content, and was not written by this resource. "+
		"Import the resource first (import id %s) to take it over, or remove it from the branch",
		list("folder", e.Folders), e.Location, e.Location)
}

// maxListed names are told in full.
const maxListed = 20

// list gives names with their noun: "folders a, b and 3 more".
func list(noun string, names []string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	if len(names) > maxListed {
		return fmt.Sprintf("%ss %s and %d more", noun, strings.Join(names[:maxListed], ", "), len(names)-maxListed)
	}
	return fmt.Sprintf("%ss %s", noun, strings.Join(names, ", "))
}

// checkExpected stops a change whose folders are not as they were when it was
// planned. dir is the folder at the location's path, depth where its folders stand.
func (e *edit) checkExpected(ctx context.Context, loc Location, dir *tree.Dir, depth int, change Change) error {
	var exist, conflict []string
	was, is := map[string]tree.ID{}, map[string]tree.ID{}
	for _, name := range slices.Sorted(maps.Keys(change.Expected)) {
		var actual, wanted tree.ID
		if found, ok := dir.Find(name); ok && isDir(found) {
			actual = found.ID
		}
		if want, ok := change.Folders[name]; ok {
			wanted = want.ID
		}
		switch expected := change.Expected[name]; {
		case actual == expected || actual == wanted:
		case expected.IsZero():
			exist = append(exist, name)
		default:
			conflict = append(conflict, name)
			was[name], is[name] = expected, actual
		}
	}
	switch {
	case len(conflict) > 0:
		packages, err := e.conflicting(ctx, was, is, depth, change)
		if err != nil {
			return err
		}
		return &ConflictError{Location: loc, Folders: conflict, Packages: packages}
	case len(exist) > 0:
		return &ExistsError{Location: loc, Folders: exist}
	}
	return nil
}

// conflicting names the entries of folders that somebody else changed. Where
// the server no longer has the old trees, or gives none by id, they are told
// from what we are about to write.
func (e *edit) conflicting(ctx context.Context, was, is map[string]tree.ID, depth int, change Change) ([]string, error) {
	var ids []tree.ID
	for _, id := range is {
		if !id.IsZero() {
			ids = append(ids, id)
		}
	}
	if err := e.source.load(ctx, depth, ids...); err != nil {
		return nil, err
	}
	e.source.tryLoad(ctx, slices.Collect(maps.Values(was)))
	var packages []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		before, err := e.source.loaded(was[name])
		if err != nil {
			before = change.Folders[name] // nil where it was to be removed
		}
		after := emptyDir
		if !is[name].IsZero() {
			if after, err = e.source.dir(ctx, depth, is[name]); err != nil {
				return nil, err
			}
		}
		for _, entry := range differing(before, after) {
			packages = append(packages, name+"/"+entry)
		}
	}
	return packages, nil
}

// differing gives the names of entries that are not the same in both folders.
func differing(a, b *tree.Dir) []string {
	ids := map[string]tree.ID{}
	if a != nil {
		for _, e := range a.Entries {
			ids[e.Name] = e.ID
		}
	}
	var names []string
	for _, e := range b.Entries {
		if ids[e.Name] != e.ID {
			names = append(names, e.Name)
		}
		delete(ids, e.Name)
	}
	names = slices.AppendSeq(names, maps.Keys(ids))
	slices.Sort(names)
	return names
}
