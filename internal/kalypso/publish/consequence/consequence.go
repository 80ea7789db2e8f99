// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package consequence says, without a cluster, what a change of files does to clusters: which objects the
// delivery tools delete, stop or replace, and which changes a cluster refuses.
//
//	object   a Kubernetes object in a file. It is the same object in every file of a cluster type
//	tool     what brings the folder of a cluster type to its clusters: Flux, Argo CD and so on
//	mark     a label or annotation by which an object tells a tool what to do with it
//	deliver  what objects do that fetch others: a Kustomization of Flux, an Application of Argo CD
package consequence

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// Word says what happens to an object. The words are in the order of their weight.
type Word int

// The words.
const (
	// Deletes is for an object that holds data, or that others live in or come from.
	Deletes Word = iota
	// Refuses is for a change that the API server does not take, so that the delivery fails.
	Refuses
	// Stops is for an object that runs something.
	Stops
	// Replaces is for an object that delivers something else, and leaves what it delivered before.
	Replaces
	// Orphans is for an object in a namespace that no file creates any more.
	Orphans
)

// Consequence is what happens to one object.
type Consequence struct {
	Word Word
	// ClusterType and Target are the package with the object.
	ClusterType, Target string
	// Kind and Name are those of the object, and Template renders its file.
	Kind, Name, Template string
	// What follows the object in a sentence: ", with everything in it".
	What string
	// Removal says that the package is removed, or where it moves; empty if the package stays.
	Removal string
}

// Change is a change of the folders of cluster types.
type Change struct {
	// Files are the files that differ. Their paths begin with Root, unless that is empty.
	Files []diff.FileChange
	Root  string
	// Folders are the cluster types whose folders stay in the branch, with their new content. Clusters keep
	// what they run if their folder is deleted or released, so other cluster types have no consequences.
	Folders map[string]*tree.Dir
	// Template names the template that renders a file of a cluster type.
	Template func(clusterType, file string) string
}

// Compare returns the consequences of a change, by cluster type. unread are the paths of changed files whose
// old content is not available: they may have more consequences. Files that are not YAML take no part. Cost:
// for a file that differs, a comparison of its lines; one run of the YAML parser for each document whose
// relevant lines differ. If objects are gone, one look at each word of the folder's new files.
func Compare(c Change) (found []Consequence, unread []string) {
	types := map[string]*clusterType{}
	for i := range c.Files {
		f := &c.Files[i]
		below, isBelow := f.Path, c.Root == ""
		if !isBelow {
			below, isBelow = strings.CutPrefix(f.Path, c.Root+"/")
		}
		name, below, _ := strings.Cut(below, "/")
		target, file, isInPackage := strings.Cut(below, "/")
		folder, stays := c.Folders[name]
		if !isBelow || !stays || !isInPackage || path.Ext(file) != ".yaml" {
			continue
		}
		if f.Old != nil && f.Old.Mode != tree.ModeDir && f.Old.Content == nil {
			unread = append(unread, f.Path)
			continue
		}
		if types[name] == nil {
			types[name] = &clusterType{Change: &c, name: name, folder: folder}
		}
		types[name].files = append(types[name].files, change{place{target, file}, content(f.Old), content(f.New)})
	}
	names, arrivals := slices.Sorted(maps.Keys(types)), map[string][]string{}
	for _, name := range names {
		for _, target := range types[name].arrivals() {
			arrivals[target] = append(arrivals[target], name)
		}
	}
	for _, name := range names {
		types[name].compare()
		for _, one := range types[name].found {
			if to := arrivals[one.Target]; one.Removal != "" && len(to) > 0 {
				one.Removal = one.Target + " moves to " + wording.First(to, wording.MaxListed) + ", and its data does not"
			}
			found = append(found, one)
		}
	}
	return found, unread
}

func content(f *diff.File) []byte {
	if f == nil {
		return nil
	}
	return f.Content
}

// Removed returns the packages, as <cluster type>/<deployment target>, of which something is deleted.
func Removed(all []Consequence) (keys []string) {
	for _, one := range all {
		if one.Word == Deletes {
			keys = append(keys, one.ClusterType+"/"+one.Target)
		}
	}
	return wording.Sorted(keys)
}
