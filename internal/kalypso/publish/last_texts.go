// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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
	// refused are earlier objects without a last text: their source, which has a broken file, may not
	// bring them any more, or the platform team takes their names.
	refused map[string][]string
	// displaced are texts of others now that take names of objects in the last texts. They wait. The
	// values are their objects.
	displaced map[string]string
}

// brokenFiles finds the broken files of a job and their last texts, on hold with all texts that the
// inventory keeps. Cost: a decoding of the manifests now and of those of the last apply, if files
// are broken, or on hold with on_error = "keep".
func (job Job) brokenFiles() brokenFiles {
	var b brokenFiles
	notes, _ := manifest.Notes(job.Fleet.Manifests)
	var links manifest.Links
	for _, n := range notes {
		links = append(links, n.Links...)
	}
	b.notes = slices.DeleteFunc(notes, func(n *manifest.Note) bool { return len(n.Problems) == 0 })
	if job.Was == nil {
		return b
	}
	var past *pastObjects
	if len(b.notes) > 0 || job.onHold() && job.KeepBroken {
		past = job.pastObjects()
		past.links = links
		b.takeLastTexts(past)
	}
	if job.onHold() {
		b.texts = job.textsOnHold(b.texts, past)
	}
	return b
}

// unread returns the texts of the last apply whose objects are nowhere now, and that nothing leads
// to any more, as if the control plane could not be read. A file of them may be broken later.
func (p *pastObjects) unread() []string {
	var texts []string
	for _, o := range p.earlier {
		if i := indexOf(o); p.keptFor[i] == "" && len(p.present[o.Metadata().ID()]) == 0 && !p.isRead(o, nil) {
			texts = append(texts, p.all[i].Text)
		}
	}
	return slices.Compact(texts)
}

// takeLastTexts takes the earlier texts of sources that have a broken file, if the objects in
// them are nowhere now in the same source, if nothing of the platform team takes their names, and if
// the links let them in under some workspace. Also taken are the texts of others now whose only
// object takes a name of these objects: the holder keeps it. It does not matter in which file an object was: a broken file
// may be a new one for an old object. What an object of these texts leads to lacks files too, and
// may bring what the object's source may bring.
func (b *brokenFiles) takeLastTexts(p *pastObjects) {
	b.texts, b.refused, b.displaced = map[string][]string{}, map[string][]string{}, map[string]string{}
	done, origin := map[string]bool{}, map[string]string{} // by object
	var sources []string
	for _, n := range b.notes {
		for _, source := range n.Sources {
			sources, origin[source] = append(sources, source), source
		}
	}
	sources = wording.Sorted(sources)
	for i := 0; i < len(sources); i++ { // which grow
		from := origin[sources[i]]
		for _, o := range p.earlier {
			m := o.Metadata()
			if done[m.ID()] || !p.isMissing(o, sources[i]) || p.isRead(o, sources) {
				continue
			}
			rivals, isTaken := p.rivals(o)
			if isTaken || len(p.links) > 0 && !p.links.CouldBring(from, m) {
				b.refused[from] = append(b.refused[from], m.ID())
				continue
			}
			done[m.ID()] = true
			maps.Copy(b.displaced, rivals)
			b.texts[sources[i]] = append(b.texts[sources[i]], p.delivered(o, sources))
			if len(p.places[m.ID()]) > 0 && origin[m.ID()] == "" {
				sources, origin[m.ID()] = append(sources, m.ID()), from
			}
		}
	}
	for from, ids := range b.refused { // another source may bring them
		b.refused[from] = slices.DeleteFunc(ids, func(id string) bool { return done[id] })
	}
}

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
	return wording.Sorted(ids)
}

// check refuses broken files if the settings do, or if too much would have to be kept.
func (b brokenFiles) check(s *Settings) message.Messages {
	switch {
	case b.isTooLarge():
		return b.refuse(fmt.Sprintf("The last texts of files that are broken or not read are larger than %d MiB together, so they cannot be "+
			"kept. Plan again when kalypso_control_plane reads all these files.", maxTexts>>20))
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

// refusedOf returns the earlier objects that the sources of a note may not bring any more, sorted.
func (b brokenFiles) refusedOf(n *manifest.Note) []string {
	var all []string
	for _, source := range n.Sources {
		all = append(all, b.refused[source]...)
	}
	return wording.Sorted(all)
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
		}
		if refused := b.refusedOf(n); len(refused) > 0 {
			what += fmt.Sprintf(" (without %s: the source may not bring it, or the platform team takes its name)", message.List("object", refused))
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
		m.Warn(message.LastTexts, fmt.Sprintf("Left out: %s. Others have a broken file, and last texts of their sources hold the names. "+
			"Fix the file first, or choose other names.", message.List("new object", slices.Sorted(maps.Values(b.displaced)))))
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
