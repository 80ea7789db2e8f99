// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// maxTexts is how many bytes of last texts an inventory keeps.
const maxTexts = 1 << 20

// brokenFiles are the files of others that notes among the manifests stand for, and what is used
// in their place.
type brokenFiles struct {
	notes []*manifest.Note
	// texts are the last texts that were not broken, by the object that leads to their source.
	// They are in the manifests of the last apply, or in the inventory while the source has
	// broken files for longer.
	texts map[string][]string
	// displaced are texts of now that take names of objects in the last texts. They wait.
	displaced map[string]bool
}

// brokenFiles finds the broken files of a job and their last texts. Cost: nothing without broken
// files, or else a decoding of the manifests now and of those of the last apply.
func (job Job) brokenFiles() brokenFiles {
	var b brokenFiles
	notes, _ := manifest.Notes(job.Fleet.Manifests)
	b.notes = slices.DeleteFunc(notes, func(n *manifest.Note) bool { return len(n.Problems) == 0 })
	if len(b.notes) > 0 && job.Was != nil {
		b.texts, b.displaced = lastTexts(job.pastObjects(), b.notes)
	}
	return b
}

// unreadTexts returns earlier texts whose objects are nowhere now, and that nothing leads to any
// more, as if the control plane could not be read. A file of them may be broken later.
func (job Job) unreadTexts() []string {
	p := job.pastObjects()
	var texts []string
	for _, o := range p.earlier {
		if i := indexOf(o); p.keptFor[i] == "" && len(p.present[o.Metadata().ID()]) == 0 && !p.isRead(o, nil) {
			texts = append(texts, p.all[i].Text)
		}
	}
	return slices.Compact(texts)
}

// lastTexts returns the earlier texts of sources that have a broken file, if the objects in
// them are nowhere now in the same source or the platform's own manifests, and if no note says
// that the source may not bring them. Also returned are the texts of now whose only object takes
// a name of these objects: the holder keeps it. It does not matter in which file an object was: a
// broken file may be a new one for an old object. What an object of these texts leads to lacks
// files too.
func lastTexts(p *pastObjects, notes []*manifest.Note) (kept map[string][]string, displaced map[string]bool) {
	kept, displaced = map[string][]string{}, map[string]bool{}
	done, refused := map[string]bool{}, map[[2]string]bool{} // by source and object
	var sources []string
	for _, n := range notes {
		sources = append(sources, n.Sources...)
		for _, source := range n.Sources {
			for _, id := range n.Refused {
				refused[[2]string{source, id}] = true
			}
		}
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	for i := 0; i < len(sources); i++ { // which grow
		for _, o := range p.earlier {
			id := o.Metadata().ID()
			if done[id] || refused[[2]string{sources[i], id}] || !p.isMissing(o, sources[i]) || p.isRead(o, sources) {
				continue
			}
			done[id] = true
			p.displace(o, displaced)
			kept[sources[i]] = append(kept[sources[i]], p.delivered(o, sources))
			if len(p.places[id]) > 0 {
				sources = append(sources, id)
			}
		}
	}
	return kept, displaced
}

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
}

// holder is an object that takes a name. The objects of its workload may take the name, too.
type holder struct {
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
			p.present[name] = append(p.present[name], holder{o.Metadata().Source, workload})
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
		return h.source.Origin == "" || placeOf(h.source.Origin).isIn(p.places[source]...)
	})
}

// isRead reports whether a source without a broken file brings the folder of an earlier object, so
// that the object would be there now if it still existed. broken are the sources with a broken file.
func (p *pastObjects) isRead(o manifest.Object, broken []string) bool {
	at := placeOf(o.Metadata().Source.Origin)
	for id, to := range p.read {
		isRevision := to.revision == "" || to.revision == at.revision
		if isRevision && at.isIn(to) && !slices.Contains(broken, id) {
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

// displace notes the texts of now whose only object takes a name of an earlier object.
func (p *pastObjects) displace(o manifest.Object, all map[string]bool) {
	for name, workload := range manifest.TakenNames(o, p.environment) {
		for _, rival := range p.present[name] {
			shares := workload != "" && workload == rival.workload
			if at := rival.source; !shares && at.Origin != "" && p.inText[at.Name] == 1 {
				i, _ := strconv.Atoi(at.Name)
				all[p.now[i].Text] = true
			}
		}
	}
}

// manifests returns the last texts as manifests.
func (b brokenFiles) manifests() []manifest.Text {
	var all []manifest.Text
	for _, source := range slices.Sorted(maps.Keys(b.texts)) {
		for _, text := range b.texts[source] {
			all = append(all, manifest.Text{Name: "the last text from " + source, Text: text})
		}
	}
	return all
}

// sources returns the sources for the record of a job. While files are broken, a source that
// cannot be read keeps its commit of the last record: its last texts come from this commit, and
// an environment that gets the release must not read a newer one.
func (b brokenFiles) sources(job Job) map[string]string {
	if len(b.notes) == 0 {
		return job.Sources
	}
	all, known := map[string]string{}, map[place]bool{}
	maps.Copy(all, job.Sources)
	for name := range job.Sources {
		known[placeOf(name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(job.Inventory.Sources)) {
		if !known[placeOf(name)] && len(all) < ownership.MaxSources {
			all[name] = job.Inventory.Sources[name]
		}
	}
	return all
}

// objects returns the objects of the last texts, as kind/name.
func (b brokenFiles) objects() []string {
	decoded, _ := manifest.Decode(b.manifests()) // they were decoded before
	ids := make([]string, len(decoded))
	for i, o := range decoded {
		ids[i] = o.Metadata().ID()
	}
	return ownership.Sorted(ids)
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

// placeOf returns the place that an origin names.
func placeOf(origin string) place {
	repo, rest, _ := strings.Cut(origin, "#")
	revision, file, _ := strings.Cut(rest, ":")
	return place{remote.Key(repo) + "#" + file, revision}
}

// isIn reports whether a place is in one of some folders, at any revision.
func (p place) isIn(folders ...place) bool {
	return slices.ContainsFunc(folders, func(folder place) bool { return strings.HasPrefix(p.path, folder.path) })
}

// check refuses broken files if the settings do, or if too much would have to be kept.
func (b brokenFiles) check(s *Settings) message.Messages {
	switch {
	case b.isTooLarge():
		return b.refuse(fmt.Sprintf("The last texts of broken files are larger than %d MiB together, so they cannot be kept.", maxTexts>>20))
	case !s.KeepBroken:
		return message.Messages{Errors: b.errors()}
	}
	return message.Messages{}
}

// refuse returns the errors of the broken files, and why they cannot be left as they are.
func (b brokenFiles) refuse(why string) message.Messages {
	m := message.Messages{Errors: b.errors()}
	m.Fail(message.LastTexts, why)
	return m
}

// errors returns the problems of the broken files.
func (b brokenFiles) errors() []message.Message {
	var all problem.List
	for _, n := range b.notes {
		all = append(all, n.Problems...)
	}
	return message.Problems(all.Err())
}

func (b brokenFiles) isTooLarge() bool {
	size := 0
	for _, text := range b.manifests() {
		size += len(text.Text)
	}
	return size > maxTexts
}

// warn says what the apply does about the broken files. kalypso_control_plane has warned why they
// are broken.
func (b brokenFiles) warn() message.Messages {
	var m message.Messages
	var lines []string
	isKept := func(source string) bool { return len(b.texts[source]) > 0 }
	for _, n := range b.notes[:min(len(b.notes), message.MaxListed)] {
		what := "no last text of it is known, so it is left out"
		if slices.ContainsFunc(n.Sources, isKept) {
			what = "the last texts of its source are used"
			if len(n.Refused) > 0 {
				what += fmt.Sprintf(" (without %s, which its source may not bring)", message.List("object", n.Refused))
			}
		}
		lines = append(lines, fmt.Sprintf("- %s: %s", n.Name, what))
	}
	if more := len(b.notes) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	if len(lines) > 0 {
		text := fmt.Sprintf("Manifests of others are broken in %s: the warning of kalypso_control_plane says why.",
			wording.Count(len(b.notes), "place"))
		if objects := b.objects(); len(objects) > 0 {
			text += fmt.Sprintf(" Until they are fixed, the apply removes nothing of these sources, and keeps the last text of %s.",
				message.List("object", objects))
		}
		m.Warn(message.LastTexts, text+"\n"+strings.Join(lines, "\n"))
	}
	if len(b.displaced) > 0 {
		m.Warn(message.LastTexts, fmt.Sprintf("%s left out, because they take names that objects of the broken files hold. Fix these files "+
			"first, or choose other names.", wording.Count(len(b.displaced), "new object")))
	}
	return m
}

// checkKnown refuses to take folders over, to apply an import, or to remove packages from a
// branch that somebody has changed, while files are broken: the packages there may come from
// texts that the resource does not know.
func (c *computed) checkKnown(takenOver int, seen *view) message.Messages {
	var m message.Messages
	if len(c.files.notes) > 0 && (takenOver > 0 || c.Inventory.State == ownership.Imported ||
		c.Inventory.HasDrifted() && c.removes(seen)) {
		m = c.files.refuse("This resource would take folders over, or remove packages from a branch that was changed after its last " +
			"apply, while files are broken. It has no last text of it, and could remove packages of the broken files. Fix the files first, or " +
			"leave their sources out with follow.")
	}
	return m
}

// removes reports whether the plan removes packages, as far as it is known.
func (c *computed) removes(seen *view) bool {
	before, after, unjudged := judged(c.Inventory, c.decision, seen, c.result)
	for key := range before {
		if _, stays := after[key]; !stays {
			return true
		}
	}
	return len(unjudged) > 0
}
