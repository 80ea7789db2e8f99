// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// clusterType is the change of the folder of one cluster type.
type clusterType struct {
	*Change
	name   string
	folder *tree.Dir
	files  []change
	found  []Consequence

	known   tool
	isKnown bool
}

// place is where a file is in the folder of a cluster type.
type place struct{ target, file string }

// change is a file with its old and its new content, which is nil if the file does not exist.
type change struct {
	place
	old, now []byte
}

// arrivals returns the deployment targets whose packages are new.
func (t *clusterType) arrivals() (targets []string) {
	count := map[string]int{}
	for _, f := range t.files {
		if count[f.target]++; f.old != nil {
			count[f.target] = -1 << 30
		}
	}
	for target, n := range count {
		if e, exists := t.folder.Find(target); exists && e.Dir != nil && n == len(e.Dir.Entries) {
			targets = append(targets, target)
		}
	}
	return targets
}

// compare finds the consequences. An object that has left its file is gone if no new file has it.
func (t *clusterType) compare() {
	var left []*object
	for _, f := range t.files {
		before, after := differing(f.old, f.now)
		olds, err := objects(f.place, before)
		news, invalid := objects(f.place, after)
		if err != nil || invalid != nil {
			continue
		}
		for _, old := range olds {
			if i := slices.IndexFunc(news, old.isSame); i >= 0 {
				t.changes(old, news[i])
			} else {
				left = append(left, old)
			}
		}
	}
	if len(left) == 0 {
		return
	}
	near := t.mentioning(left)
	var gone []*object
	for _, old := range left {
		if i := slices.IndexFunc(near, old.isSame); i >= 0 {
			t.changes(old, near[i])
		} else if !t.tool().keeps(old, t.isRemoved(old.target)) {
			gone = append(gone, old)
		}
	}
	for _, old := range gone {
		word, what, matters := ofRemoval(old)
		isInside := slices.ContainsFunc(gone, func(o *object) bool { return o.resource == "Namespace" && old.livesIn(o.name) })
		if matters && !isInside && t.tool() != unknown {
			t.note(word, old, what)
		}
		for _, o := range near {
			if old.resource == "Namespace" && o.livesIn(old.name) {
				t.note(Orphans, o, " in the namespace "+old.name+", which no file creates any more")
			}
		}
	}
}

// changes finds the consequences of two versions of an object.
func (t *clusterType) changes(old, now *object) {
	unchangeable, elsewhere := refused(old, now), moved(old, now)
	if len(unchangeable) == 0 && len(elsewhere) == 0 || t.tool().leavesAlone(old, now) {
		return
	}
	if fields := strings.Join(unchangeable, ", "); fields != "" && !t.tool().forces(old, now) {
		t.note(Refuses, now, ": "+fields+" cannot change")
	} else if word, _, matters := ofRemoval(old); fields != "" && matters {
		t.note(word, now, ", which is deleted and created again, because "+fields+" cannot change")
	}
	if len(elsewhere) == 0 {
		return
	}
	for _, o := range t.deliverers(now) {
		word, what := Replaces, "and leaves what it delivered before"
		if o.prunes() {
			word, what = Deletes, "and deletes what the new place does not have"
		}
		if !o.is("spec", "suspend") {
			t.note(word, o, ", which delivers from or to another place ("+strings.Join(elsewhere, ", ")+") "+what)
		}
	}
}

// deliverers returns an object that delivers, or for a source the objects in its file that deliver from it.
func (t *clusterType) deliverers(o *object) (all []*object) {
	if !strings.HasSuffix(o.resource, fluxSources) {
		return []*object{o}
	}
	target, _ := t.folder.Find(o.target)
	file, _ := target.Dir.Find(o.file)
	inFile, _ := objects(o.place, [][]byte{file.Content}) // it is valid, because o is in it
	for _, d := range inFile {
		for _, path := range [][]string{{"spec", "sourceRef", "name"}, {"spec", "chart", "spec", "sourceRef", "name"}, {"spec", "chartRef", "name"}} {
			if d.text(path...) == o.name {
				all = append(all, d)
			}
		}
	}
	return all
}

func (t *clusterType) note(word Word, o *object, what string) {
	removal := ""
	if t.isRemoved(o.target) {
		removal = o.target + " is removed"
	}
	kind, _, _ := strings.Cut(o.resource, ".")
	t.found = append(t.found, Consequence{word, t.name, o.target, kind, o.name, t.Template(t.name, o.file), what, removal})
}

func (t *clusterType) isRemoved(target string) bool {
	_, exists := t.folder.Find(target)
	return !exists
}

// mentioning returns the objects in the new files in which the name of one of some objects is.
func (t *clusterType) mentioning(some []*object) (all []*object) {
	names := map[string]bool{}
	for _, o := range some {
		names[o.name] = true
	}
	for at, text := range t.newFiles() {
		for word := range bytes.FieldsFuncSeq(text, isNotInName) {
			if names[string(word)] {
				more, _ := objects(at, [][]byte{text}) // a file that is not valid has no objects
				all = append(all, more...)
				break
			}
		}
	}
	return all
}

func isNotInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '.'
}

// newFiles returns the YAML files of the new folder.
func (t *clusterType) newFiles() iter.Seq2[place, []byte] {
	return func(yield func(place, []byte) bool) {
		for _, target := range t.folder.Entries {
			if target.Dir == nil {
				continue
			}
			for _, file := range target.Dir.Entries {
				if path.Ext(file.Name) == ".yaml" && !yield(place{target.Name, file.Name}, file.Content) {
					return
				}
			}
		}
	}
}
