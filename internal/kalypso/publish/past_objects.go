// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// pastObjects are the objects of earlier texts, beside those of now.
type pastObjects struct {
	environment string
	now, all    []manifest.Text // each with its position as its name
	// keptFor are the sources for which the texts of all were kept before; empty for texts of
	// the last apply.
	keptFor []string
	earlier []manifest.Object   // of all, each name once
	present map[string][]holder // of now, by the names that they take
	// inText counts the objects in a text of now.
	inText map[string]int
	// places are where the origins of objects begin that come from an object's repository. read are
	// those of objects of now.
	places map[string][]place
	read   map[string]place
	links  manifest.Links
}

// holder is an object that takes a name. The objects of its workload may take the name, too.
type holder struct {
	id       string
	source   manifest.Origin
	workload string
}

// pastObjects decodes the manifests of a job that was applied before, and its earlier texts. Texts
// that were kept before come first, because the last apply used them.
func (job Job) pastObjects() *pastObjects {
	_, now := manifest.Notes(job.Fleet.Manifests)
	_, before := manifest.Notes(job.Was.Fleet.Manifests)
	p := &pastObjects{environment: job.Fleet.Environment, now: now, present: map[string][]holder{}, inText: map[string]int{},
		places: map[string][]place{}, read: map[string]place{}}
	for _, source := range slices.Sorted(maps.Keys(job.Inventory.Texts)) {
		for _, text := range job.Inventory.Texts[source] {
			p.all, p.keptFor = append(p.all, manifest.Text{Text: text}), append(p.keptFor, source)
		}
	}
	p.all, p.keptFor = append(p.all, before...), append(p.keptFor, make([]string, len(before))...)
	for _, texts := range [][]manifest.Text{p.now, p.all} {
		for i := range texts {
			texts[i].Name = strconv.Itoa(i)
		}
	}
	objects, _ := manifest.Decode(p.now) // what is wrong there is reported when it is computed
	for _, o := range objects {
		p.inText[o.Metadata().Source.Name]++
		for name, workload := range manifest.TakenNames(o, p.environment) {
			p.present[name] = append(p.present[name], holder{o.Metadata().ID(), o.Metadata().Source, workload})
		}
	}
	p.earlier, _ = manifest.Decode(p.all)
	held := map[string]bool{}
	p.earlier = slices.DeleteFunc(p.earlier, func(o manifest.Object) bool {
		id := o.Metadata().ID()
		again := held[id]
		held[id] = true
		return again
	})
	for i, o := range slices.Concat(objects, p.earlier) {
		if to, leads := leadsTo(o); leads {
			id := o.Metadata().ID()
			if p.places[id] = append(p.places[id], to); i < len(objects) {
				p.read[id] = to
			}
		}
	}
	return p
}

// indexOf returns the position of an object's text.
func indexOf(o manifest.Object) int {
	index, _ := strconv.Atoi(o.Metadata().Source.Name) // Job.pastObjects names texts so
	return index
}

// isMissing reports whether an earlier object comes from a source, and is not there now.
func (p *pastObjects) isMissing(o manifest.Object, source string) bool {
	m := o.Metadata()
	if p.keptFor[indexOf(o)] != source && !placeOf(m.Source.Origin).isIn(p.places[source]...) {
		return false
	}
	return !slices.ContainsFunc(p.present[m.ID()], func(h holder) bool {
		return placeOf(h.source.Origin).isIn(p.places[source]...)
	})
}

// isRead reports whether a source without a broken file brings the folder of an earlier object, so
// that the object would be there now if it still existed. broken are the sources with a broken file.
func (p *pastObjects) isRead(o manifest.Object, broken []string) bool {
	at := placeOf(o.Metadata().Source.Origin)
	for id, to := range p.read {
		if at.isRead(to) && !slices.Contains(broken, id) {
			return true
		}
	}
	return false
}

// delivered returns the text of an earlier object. If its registration has another name by now, the
// text names the present registration of its source, as kalypso_control_plane would. Several present
// registrations may belong to several teams, so the text then stays as it is.
func (p *pastObjects) delivered(o manifest.Object, sources []string) string {
	m, text := o.Metadata(), p.all[indexOf(o)]
	const kind = string(manifest.KindWorkloadRegistration) + "/"
	var by []string
	for _, source := range sources {
		if name, is := strings.CutPrefix(source, kind); is && len(p.present[source]) > 0 && placeOf(m.Source.Origin).isIn(p.places[source]...) {
			by = append(by, name)
		}
	}
	owner := strings.TrimPrefix(m.Labels[manifest.LabelFluxOwner], p.environment+"-")
	if len(by) == 1 && len(p.present[kind+owner]) == 0 {
		text = text.WithLabel(manifest.LabelFluxOwner, p.environment+"-"+by[0])
	}
	return text.Text
}

// rivals returns the texts of others now whose only object takes a name of an earlier object, with
// the id of this only object, and whether an object of the platform team takes a name.
func (p *pastObjects) rivals(o manifest.Object) (ofOthers map[string]string, isTaken bool) {
	ofOthers = map[string]string{}
	for name, workload := range manifest.TakenNames(o, p.environment) {
		for _, rival := range p.present[name] {
			switch shares := workload != "" && workload == rival.workload; {
			case shares:
			case !p.isOfOthers(rival.source):
				isTaken = true
			case p.inText[rival.source.Name] == 1:
				i, _ := strconv.Atoi(rival.source.Name)
				ofOthers[p.now[i].Text] = rival.id
			}
		}
	}
	return ofOthers, isTaken
}

// isOfOthers reports whether only registrations and fenced sources lead to an object of now.
func (p *pastObjects) isOfOthers(source manifest.Origin) (is bool) {
	at := placeOf(source.Origin)
	for id, to := range p.read {
		if at.isRead(to) {
			if p.links.IsTrusted(id) {
				return false
			}
			is = true
		}
	}
	return is
}

// place is a file, or the beginning of the files of a folder, in one spelling of its repository. The
// revision is a branch or a commit.
type place struct{ path, revision string }

// leadsTo returns the folder that an object leads to, and whether it leads to one. If the object
// names no branch, the revision is empty, because each commit of the folder is meant.
func leadsTo(o manifest.Object) (to place, leads bool) {
	ref, _, leads := manifest.LeadsTo(o)
	at := git.Location{Repo: ref.Repo, Branch: ref.Branch, Path: path.Join(strings.TrimLeft(ref.Path, "/"), "x")}
	to = placeOf(at.String())
	to.path = strings.TrimSuffix(to.path, "x")
	return to, leads
}

func placeOf(origin string) place {
	repo, rest, _ := strings.Cut(origin, "#")
	revision, file, _ := strings.Cut(rest, ":")
	return place{remote.Key(repo) + "#" + file, revision}
}

// isIn reports whether a place is in one of some folders, at any revision.
func (p place) isIn(folders ...place) bool {
	return slices.ContainsFunc(folders, func(folder place) bool { return strings.HasPrefix(p.path, folder.path) })
}

// isRead reports whether a place is in a folder, at the folder's revision if it has one.
func (p place) isRead(folder place) bool {
	return (folder.revision == "" || folder.revision == p.revision) && p.isIn(folder)
}
