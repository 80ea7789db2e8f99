// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

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

// maxNamed is how many packages the changes of a history may name.
const maxNamed = 500_000

// History returns the changes of some states, newest first. It compares each state with the
// previous one. If complete is true, the last state is the first state of all, so it is a
// change, too. Otherwise the last state only serves the comparison. cut is true if the
// history ends early, because the changes would name too many packages.
func History(states []Snapshot, complete bool) (changes []Change, cut bool) {
	named := 0
	for i, s := range states {
		var before Folders
		switch {
		case i+1 < len(states):
			before = states[i+1].Folders
		case !complete:
			return changes, false
		}
		c := s.Change
		c.Added, c.Changed, c.Removed = differences(before, s.Folders)
		if named += len(c.Added) + len(c.Changed) + len(c.Removed); named > maxNamed {
			return changes, true
		}
		changes = append(changes, c)
	}
	return changes, false
}

// differences returns the packages in which two states differ, sorted.
func differences(before, after Folders) (added, changed, removed []string) {
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
				changed = append(changed, key)
			}
		}
	}
	slices.Sort(added)
	slices.Sort(changed)
	slices.Sort(removed)
	return added, changed, removed
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
