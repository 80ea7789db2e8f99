// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package consequence says, without a cluster, what a change of files does to clusters: which objects the
// delivery tools delete, stop or replace, and which changes a cluster refuses.
//
//	tool     what brings the folder of a cluster type to its clusters: Flux, Argo CD and so on
//	deliver  what an object does that fetches others: a Kustomization of Flux, an Application of Argo CD
//	mark     a label or annotation by which an object asks something of a tool
package consequence

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// Word says what happens to an object.
type Word int

// The words, the heaviest first.
const (
	Deletes  Word = iota // an object that holds data, or that others live in or come from
	Refuses              // the API server does not take the change, so the delivery fails
	Stops                // an object that runs something
	Replaces             // an object delivers something else, and leaves what it delivered before
	Orphans              // an object is in a namespace that no file creates any more
)

// Consequence is what happens to one object.
type Consequence struct {
	Word Word
	// ClusterType and Target are the package with the object.
	ClusterType, Target string
	// Kind and Name are those of the object. What follows it in a sentence: ", with everything in it".
	Kind, Name, What string
	// Cause is the template of its file, or that the package is removed or moves. Subject is that of a finding.
	Cause, Subject string
}

// Change is a change of the folders of cluster types.
type Change struct {
	// Files are the files that differ. Their paths begin with Root, unless that is empty.
	Files []diff.FileChange
	Root  string
	// Folders are the cluster types whose folders stay in the branch, with their new content. Clusters keep
	// what they run if their folder is deleted or released, so other cluster types have no consequences.
	Folders map[string]*tree.Dir
	// Template names the template that renders a file of a cluster type; empty for the built-in one.
	Template func(clusterType, file string) string
}

// Compare returns the consequences of a change, by cluster type. unread are the paths of files whose old content
// is not available, which may have more consequences. Cost: the YAML parser for one of the files with objects of
// the tables that differ in the names of their packages alone. If objects have left
// their files, it also looks at each word of the new files of the cluster type.
func Compare(c Change) (found []Consequence, unread []string) {
	types, arrivals, reader := map[string]*clusterType{}, map[string][]string{}, reader{}
	root := strings.TrimPrefix(c.Root+"/", "/")
	for _, f := range c.Files {
		path := strings.Split(strings.TrimPrefix(f.Path, root), "/")
		name, folder := path[0], c.Folders[path[0]]
		switch {
		case folder == nil || f.Beside:
		case f.Old != nil && !f.Old.Available(): // it may be a folder
			unread = append(unread, f.Path)
		case len(path) != 3 || !strings.HasSuffix(f.Path, ".yaml"):
		case f.Old != nil:
			if types[name] == nil {
				types[name] = &clusterType{Change: c, name: name, folder: folder, arrivals: arrivals, reader: reader,
					now: map[findings.Location][]object{}}
			}
			changed := file{findings.Location{Target: path[1], File: path[2]}, f.Old.Content, nil}
			if f.New != nil {
				changed.now = f.New.Content
			}
			types[name].files = append(types[name].files, changed)
		case f.Whole && !slices.Contains(arrivals[path[1]], name):
			arrivals[path[1]] = append(arrivals[path[1]], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		found = append(found, types[name].compare()...)
	}
	return found, unread
}

// clusterType is the change of the folder of one cluster type.
type clusterType struct {
	Change
	tool
	reader
	name   string
	folder *tree.Dir                      // the new one
	files  []file                         // that differ, without new ones
	now    map[findings.Location][]object // in the files that were compared
	found  []Consequence
	// arrivals are the cluster types with new packages, by deployment target.
	arrivals map[string][]string
}

// file is a file with its old and new content, which is nil if it does not exist.
type file struct {
	findings.Location
	old, now []byte
}

// compare finds the consequences. An object that has left its file is gone if no new file has it.
func (t *clusterType) compare() []Consequence {
	for _, f := range t.files { // the tool before the change
		t.find(f.File, f.old)
	}
	for at, f := range findings.YAMLFiles(t.folder) {
		t.find(at.File, f.Content)
	}
	var left []object
	for _, f := range t.files {
		if !isWeighty(f.old) {
			continue
		}
		olds, invalid := t.objectsIn(t.name, f.Location, f.old)
		news, err := t.objectsIn(t.name, f.Location, f.now)
		if invalid != nil || err != nil {
			continue
		}
		t.now[f.Location] = news
		left = append(left, t.changes(olds, news)...)
	}
	if len(left) == 0 {
		return t.found
	}
	near, spaces := t.mentioning(left), map[string]bool{}
	gone := slices.DeleteFunc(t.changes(left, near), t.keeps)
	for _, old := range gone {
		if old.Resource == "Namespace" {
			spaces[old.Name] = true
		}
	}
	for _, old := range gone {
		if word, what, matters := ofRemoval(&old); matters && !spaces[old.Namespace] && t.group != "" {
			t.note(word, &old, what)
		}
	}
	for _, o := range near {
		if spaces[o.Namespace] {
			spaces[o.Namespace] = false // once
			o.Resource, o.Name = "Namespace", o.Namespace
			t.note(Orphans, &o, ": no file creates it any more, but files have objects in it")
		}
	}
	return t.found
}

// changes notes what changes in objects, and returns those that have left.
func (t *clusterType) changes(olds, news []object) (left []object) {
	there := make(map[findings.Identity]*object, len(news))
	for i := range news {
		there[news[i].Identity] = &news[i]
	}
	for i := range olds {
		old, now := &olds[i], there[olds[i].Identity]
		if now == nil {
			left = append(left, *old)
			continue
		}
		refused, moved := differingFields(fixed, old, now), differingFields(ends, old, now)
		if refused+moved == "" || old.asks(t.ignore) || now.asks(t.ignore) || now.asks(t.once) {
			continue
		}
		isForced := old.asks(t.force) || now.asks(t.force)
		switch word, _, matters := ofRemoval(old); {
		case refused != "" && !isForced:
			t.note(Refuses, now, ": "+refused+" cannot change")
		case refused != "" && matters:
			t.note(word, now, ", which is deleted and created again, because "+refused+" cannot change")
		case moved == "" || now.is("spec.suspend"):
		case now.prunes():
			t.note(Deletes, now, ": what came from the old "+moved+" and is not in the new one")
		default:
			t.note(Replaces, now, ": what came from the old "+moved+" stays beside what comes from the new one")
		}
	}
	return left
}

// ofTarget begins the subject of what happens because a deployment target is removed or moves.
const ofTarget = "DeploymentTarget/"

func (t *clusterType) note(word Word, o *object, what string) {
	kind, _, _ := strings.Cut(o.Resource, ".")
	template := t.Template(t.name, o.File)
	one := Consequence{word, t.name, o.Target, kind, o.Name, what, "template " + template, "Template/" + template}
	if template == "" {
		one.Cause, one.Subject = "the built-in template", "ClusterType/"+t.name
	}
	if _, stays := t.folder.Find(o.Target); !stays {
		one.Cause, one.Subject = "removed", ofTarget+o.Target
		if to := t.arrivals[o.Target]; len(to) > 0 {
			one.Cause = "moved to " + wording.First(to, wording.MaxListed) + " without data"
		}
	}
	t.found = append(t.found, one)
}

// mentioning returns the objects of the new files in which a word is the name of one of some objects.
func (t *clusterType) mentioning(some []object) (all []object) {
	wanted := map[string]bool{}
	for _, o := range some {
		wanted[o.Name] = true
	}
	for at, file := range findings.YAMLFiles(t.folder) {
		if !findings.Mentions(file.Content, wanted) {
			continue
		}
		there, known := t.now[at]
		if !known {
			there, _ = t.objectsIn(t.name, at, file.Content)
		}
		all = append(all, there...)
	}
	return all
}
