// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import "slices"

// Folder is the folder of a cluster type: its Git id, and the Git ids of its packages by
// name. Folders with the same id have the same content.
type Folder struct {
	ID       string
	Packages map[string]string
}

// Folders are the folders of an environment, by cluster type.
type Folders map[string]Folder

// Snapshot is the content of an environment after a commit.
type Snapshot struct {
	Change  Change
	Folders Folders
}

// History returns the changes of some states, newest first. It compares each state with the
// previous one. If complete is true, the last state is the first state of all, so it is a
// change, too. Otherwise the last state only serves the comparison.
func History(states []Snapshot, complete bool) (changes []Change) {
	for i, s := range states {
		var before Folders
		if i+1 < len(states) {
			before = states[i+1].Folders
		} else if !complete {
			break
		}
		c := s.Change
		c.Added, c.Changed, c.Removed = changed(before, s.Folders)
		changes = append(changes, c)
	}
	return changes
}

// changed returns the packages in which two states differ, sorted.
func changed(before, after Folders) (added, edited, removed []string) {
	for _, name := range keysOf(before, after) {
		was, now := before[name], after[name]
		if was.ID == now.ID {
			continue
		}
		for _, target := range keysOf(was.Packages, now.Packages) {
			old, existed := was.Packages[target]
			id, exists := now.Packages[target]
			switch key := name + "/" + target; {
			case !existed:
				added = append(added, key)
			case !exists:
				removed = append(removed, key)
			case old != id:
				edited = append(edited, key)
			}
		}
	}
	slices.Sort(added)
	slices.Sort(edited)
	slices.Sort(removed)
	return added, edited, removed
}

// Date sets Changed of each package: the newest of the changes that gave the package its
// content. changes are the newest first.
func Date(packages []Package, changes []Change) {
	last := map[string]*LastChange{}
	for _, c := range slices.Backward(changes) {
		change := &LastChange{Commit: c.Commit, Author: c.Author, Subject: c.Subject, Time: c.Time}
		for _, key := range slices.Concat(c.Added, c.Changed) {
			last[key] = change
		}
	}
	for i := range packages {
		packages[i].Changed = last[packages[i].Key()]
	}
}
