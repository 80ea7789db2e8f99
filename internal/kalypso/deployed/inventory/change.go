// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"maps"
	"slices"
)

// Folder is the folder of a cluster type: its Git id, and the Git ids of its packages by
// name. Folders with the same id have the same content.
type Folder struct {
	ID       string
	Packages map[string]string
}

// Folders are the folders of an environment, by cluster type.
type Folders map[string]Folder

// Changed returns the packages in which an environment differs from its content before, sorted. After a
// merge, these are the packages that differ from those of each parent.
func Changed(after Folders, parents ...Folders) (added, edited, removed []string) {
	if len(parents) == 0 {
		parents = []Folders{nil}
	}
	differs := map[string]map[string]int{} // how often a package was added, edited and removed
	for _, before := range parents {
		eachChange(before, after, func(key, how string) {
			if differs[key] == nil {
				differs[key] = map[string]int{}
			}
			differs[key][how]++
		})
	}
	for _, key := range slices.Sorted(maps.Keys(differs)) {
		switch how := differs[key]; len(parents) {
		case how["added"]:
			added = append(added, key)
		case how["removed"]:
			removed = append(removed, key)
		case how["added"] + how["edited"] + how["removed"]:
			edited = append(edited, key)
		}
	}
	return added, edited, removed
}

// eachChange calls differ for each package in which two states differ.
func eachChange(before, after Folders, differ func(key, how string)) {
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
				differ(key, "added")
			case !exists:
				differ(key, "removed")
			case old != id:
				differ(key, "edited")
			}
		}
	}
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
