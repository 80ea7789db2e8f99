// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
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
	notes, now := manifest.Notes(job.Fleet.Manifests)
	b.notes = slices.DeleteFunc(notes, func(n *manifest.Note) bool { return len(n.Problems) == 0 })
	if len(b.notes) > 0 && job.Was != nil {
		_, before := manifest.Notes(job.Was.Fleet.Manifests)
		b.texts, b.displaced = lastTexts(now, before, job.Inventory.Texts, b.notes)
	}
	return b
}

// lastTexts returns the earlier texts of sources that have a broken file, if the objects in
// them are nowhere now in the same source or the platform's own manifests, and if no note says
// that the source may not bring them. Also returned are the texts of now whose only object takes
// a name of these objects: the holder keeps it. It does not matter in which file an object was: a
// broken file may be a new one for an old object. What an object of these texts leads to lacks
// files too. noted are texts that were kept before. They come first, because the last apply used
// them.
func lastTexts(now, before []manifest.Text, noted map[string][]string, notes []*manifest.Note) (kept map[string][]string,
	displaced map[string]bool) {
	p := newPastObjects(now, before, noted)
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
			if done[id] || refused[[2]string{sources[i], id}] || !p.isMissing(o, sources[i]) {
				continue
			}
			done[id] = true
			p.displace(o, displaced)
			kept[sources[i]] = append(kept[sources[i]], p.all[indexOf(o)].Text)
			if len(p.places[id]) > 0 {
				sources = append(sources, id)
			}
		}
	}
	return kept, displaced
}

// pastObjects are the objects of earlier texts, beside those of now.
type pastObjects struct {
	now, all []manifest.Text // each with its position as its name
	// keptFor are the sources for which the texts of all were kept before; empty for texts of
	// the last apply.
	keptFor []string
	earlier []manifest.Object // of all, each name once
	present map[string]manifest.Origin
	// inText counts the objects in a text of now.
	inText map[string]int
	// places are where the origins of objects begin that come from an object's repository.
	places map[string][]string
}

func newPastObjects(now, before []manifest.Text, noted map[string][]string) *pastObjects {
	p := &pastObjects{now: slices.Clone(now), present: map[string]manifest.Origin{}, inText: map[string]int{}, places: map[string][]string{}}
	for _, source := range slices.Sorted(maps.Keys(noted)) {
		for _, text := range noted[source] {
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
		for _, name := range names(o) {
			p.present[name] = o.Metadata().Source
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
	for _, o := range slices.Concat(objects, p.earlier) {
		if place := leadsTo(o); place != "" {
			p.places[o.Metadata().ID()] = append(p.places[o.Metadata().ID()], place)
		}
	}
	return p
}

// indexOf returns the position of an object's text.
func indexOf(o manifest.Object) int {
	index, _ := strconv.Atoi(o.Metadata().Source.Name) // newPastObjects names texts so
	return index
}

// isMissing reports whether an earlier object comes from a source, and is not there now.
func (p *pastObjects) isMissing(o manifest.Object, source string) bool {
	m := o.Metadata()
	if p.keptFor[indexOf(o)] != source && !isIn(m.Source.Origin, p.places[source]) {
		return false
	}
	at, found := p.present[m.ID()]
	return !found || at.Origin != "" && !isIn(at.Origin, p.places[source])
}

// displace notes the texts of now whose only object takes a name of an earlier object.
func (p *pastObjects) displace(o manifest.Object, all map[string]bool) {
	for _, name := range names(o) {
		if rival := p.present[name]; rival.Origin != "" && p.inText[rival.Name] == 1 {
			i, _ := strconv.Atoi(rival.Name)
			all[p.now[i].Text] = true
		}
	}
}

// names returns the names that only one object may take: its own, and the full names of its
// deployment targets.
func names(o manifest.Object) []string {
	all := []string{o.Metadata().ID()}
	if w, ok := o.(*manifest.Workload); ok {
		for _, t := range w.DeploymentTargets {
			all = append(all, t.Environment+" "+w.Name+"-"+t.Name)
		}
	}
	return all
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

// leadsTo returns the place that an object leads to; empty if it leads nowhere.
func leadsTo(o manifest.Object) string {
	ref, commit, leads := manifest.LeadsTo(o)
	if !leads {
		return ""
	}
	at := git.Location{Repo: ref.Repo, Branch: cmp.Or(ref.Branch, strings.ToLower(commit))}
	at.Path = path.Join(strings.TrimLeft(ref.Path, "/"), "x")
	return strings.TrimSuffix(inAnyCommit(at.String()), "x")
}

// inAnyCommit returns an origin without its branch or commit, and in one spelling of its
// repository.
func inAnyCommit(origin string) string {
	repo, rest, _ := strings.Cut(origin, "#")
	_, file, _ := strings.Cut(rest, ":")
	return remote.Key(repo) + "#" + file
}

// isIn reports whether an origin is in one of some places.
func isIn(origin string, places []string) bool {
	at := inAnyCommit(origin)
	return slices.ContainsFunc(places, func(place string) bool { return strings.HasPrefix(at, place) })
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

// warn warns of the broken files.
func (b brokenFiles) warn() message.Messages {
	var m message.Messages
	var lines []string
	isKept := func(source string) bool { return len(b.texts[source]) > 0 }
	for _, n := range b.notes[:min(len(b.notes), message.MaxListed)] {
		what := "there is no last text of it, so it is left out"
		if slices.ContainsFunc(n.Sources, isKept) {
			what = "its last text is used"
			if len(n.Refused) > 0 {
				what += fmt.Sprintf(" (without %s, which its source may not bring)", message.List("object", n.Refused))
			}
		}
		lines = append(lines, fmt.Sprintf("- %s: %s. %s", n.Name, what, n.Problems[0].Error()))
	}
	if len(lines) > 0 {
		m.Warn(message.LastTexts, fmt.Sprintf("Others have broken %s. The last text of %s from their sources is used, and removes nothing, "+
			"until they are fixed:\n%s", wording.Count(len(b.notes), "file"), wording.Count(len(b.manifests()), "object"),
			strings.Join(lines, "\n")))
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
