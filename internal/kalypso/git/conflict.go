// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// ConflictError says that something of ours changed after the change was planned.
type ConflictError struct {
	Location Location
	// Folders are the folders that changed.
	Folders []string
	// Packages are what differs in them, as <folder>/<package>.
	Packages []string
	// Tracking is true where the promoted commit's file changed.
	Tracking bool
}

func (e *ConflictError) Error() string {
	return e.Change() + ". Nothing was written. Plan again to see the change, then apply that plan"
}

// Change says who changed what, without what to do about it.
func (e *ConflictError) Change() string {
	text := fmt.Sprintf("somebody else changed %s in %s after the plan was made", listPaths(e.Folders, e.Tracking), e.Location)
	if len(e.Packages) > 0 {
		text += ": " + list("package", e.Packages)
	}
	return text
}

// ExistsError says that what was to be created exists already, with other content.
type ExistsError struct {
	Location Location
	// Folders are the folders that exist.
	Folders []string
	// Tracking is true where the promoted commit's file exists.
	Tracking bool
	// StartBranch is the branch that has them, where the location's branch was
	// to start from it; else empty.
	StartBranch string
}

func (e *ExistsError) Error() string {
	where := e.Location
	if e.StartBranch != "" {
		where.Branch = e.StartBranch
	}
	return fmt.Sprintf("%s already holds %s, with other content than there was to write. Nothing was written", where, listPaths(e.Folders, e.Tracking))
}

// listPaths names folders and the promoted commit's file.
func listPaths(folders []string, tracking bool) string {
	file := "the file " + strings.Join([]string{trackingTop, trackingDir, trackingFile}, "/")
	switch {
	case !tracking:
		return list("folder", folders)
	case len(folders) == 0:
		return file
	}
	return list("folder", folders) + " and " + file
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

// checkExpected stops a change whose folders, or whose tracking file, are not as
// they were when it was planned. dir is the folder at the location's path, depth
// where its folders stand.
func (e *edit) checkExpected(ctx context.Context, loc Location, dir *tree.Dir, depth int, change Change) error {
	tracking, err := e.judgeTracking(ctx, change.Tracking)
	if err != nil {
		return err
	}
	exists := &ExistsError{Location: loc, Tracking: tracking == taken}
	conflict := &ConflictError{Location: loc, Tracking: tracking == moved}
	was, is := map[string]tree.ID{}, map[string]tree.ID{}
	for _, name := range slices.Sorted(maps.Keys(change.Expected)) {
		var actual, wanted tree.ID
		if found, ok := dir.Find(name); ok && found.Mode.IsDir() {
			actual = found.ID
		}
		if want, ok := change.Folders[name]; ok {
			wanted = want.ID
		}
		expected := change.Expected[name]
		switch judge(actual, expected, wanted) {
		case fine:
		case taken:
			exists.Folders = append(exists.Folders, name)
		case moved:
			conflict.Folders = append(conflict.Folders, name)
			was[name], is[name] = expected, actual
		}
	}
	switch {
	case len(conflict.Folders) > 0 || conflict.Tracking:
		conflict.Packages, err = e.conflicting(ctx, was, is, depth, change)
		return cmp.Or[error](err, conflict)
	case len(exists.Folders) > 0 || exists.Tracking:
		return exists
	}
	return nil
}

// verdict is how something in the branch stands to what a change expects.
type verdict int

const (
	fine  verdict = iota // as expected, or already as it has to be
	taken                // there, though nothing was expected
	moved                // not what was expected
)

func judge(actual, expected, wanted tree.ID) verdict {
	switch {
	case actual == expected || actual == wanted:
		return fine
	case expected.IsZero():
		return taken
	}
	return moved
}

// judgeTracking judges the promoted commit's file, where it is to change.
func (e *edit) judgeTracking(ctx context.Context, change *Tracking) (verdict, error) {
	if change == nil {
		return fine, nil
	}
	actual, err := e.source.tracking(ctx, e.before)
	return judge(actual, change.Expected, change.wanted()), err
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
