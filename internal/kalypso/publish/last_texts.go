// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"fmt"
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
)

// maxTexts is how many bytes of last texts an inventory keeps.
const maxTexts = 1 << 20

// broken are the files of others that notes among the manifests stand for, and what is used
// in their place.
type broken struct {
	notes []*manifest.Note
	// texts are the last texts that were not broken. They are in the manifests of the last
	// apply, or in the inventory while their file is broken for longer.
	texts []manifest.Text
}

// broken finds the broken files of a job and their last texts. Cost: nothing without broken
// files, or else a decoding of the manifests now and of those of the last apply.
func (job Job) broken() broken {
	var b broken
	notes, now := manifest.Notes(job.Fleet.Manifests)
	b.notes = slices.DeleteFunc(notes, func(n *manifest.Note) bool { return len(n.Problems) == 0 })
	if len(b.notes) == 0 || job.Was == nil {
		return b
	}
	_, before := manifest.Notes(job.Was.Fleet.Manifests)
	for _, text := range job.Inventory.Texts {
		before = append(before, manifest.Text{Text: text})
	}
	var sources []string
	for _, n := range b.notes {
		sources = append(sources, n.Sources...)
	}
	b.texts = lastTexts(now, before, sources)
	for i := range b.texts {
		b.texts[i].Name = fmt.Sprintf("last text %d", i)
	}
	return b
}

// lastTexts returns the earlier texts of sources that lack a file, if the objects in them are
// nowhere now. It does not matter in which file an object was: a broken file may be a new
// one for an old object. What an object of these texts leads to lacks files too.
func lastTexts(now, before []manifest.Text, sources []string) []manifest.Text {
	present, was := map[string]bool{}, slices.Clone(before)
	objects, _ := manifest.Decode(now) // what is wrong there is reported when it is computed
	for _, o := range objects {
		present[o.Metadata().ID()] = true
	}
	for i := range was {
		was[i].Name = strconv.Itoa(i)
	}
	objects, _ = manifest.Decode(was)
	keep, places := map[int]bool{}, map[string]string{}
	for _, o := range objects {
		if prefix := leadsTo(o); prefix != "" {
			places[o.Metadata().ID()] = prefix
		}
	}
	for i := 0; i < len(sources); i++ { // which grow
		prefix := places[sources[i]]
		delete(places, sources[i])
		for _, o := range objects {
			m := o.Metadata()
			if prefix == "" || present[m.ID()] || !strings.HasPrefix(m.Source.Origin, prefix) {
				continue
			}
			index, _ := strconv.Atoi(m.Source.Name) // ours
			keep[index] = true
			sources = append(sources, m.ID())
		}
	}
	var kept []manifest.Text
	for i, text := range before {
		if keep[i] {
			kept = append(kept, text)
		}
	}
	return kept
}

// leadsTo returns how the origins of objects begin that come from where an object leads to;
// empty if it leads nowhere.
func leadsTo(o manifest.Object) string {
	of := func(ref manifest.RepoRef, commit string) string {
		at := git.Location{Repo: ref.Repo, Branch: cmp.Or(ref.Branch, strings.ToLower(commit)), Path: path.Join(strings.TrimLeft(ref.Path, "/"), "x")}
		return strings.TrimSuffix(at.String(), "x")
	}
	switch x := o.(type) {
	case *manifest.BaseRepo:
		return of(x.RepoRef, x.Commit)
	case *manifest.WorkloadRegistration:
		return of(x.Workload, "")
	}
	return ""
}

// check refuses broken files if the settings do, or if too much would have to be kept.
func (b broken) check(s *Settings) message.Messages {
	var m message.Messages
	if b.isTooLarge() {
		m.Fail(message.LastTexts, fmt.Sprintf("The last texts of broken files are larger than %d MiB together, so they cannot be kept.", maxTexts>>20))
	}
	if len(b.notes) == 0 || s.KeepBroken && !m.Failed() {
		return m
	}
	var all problem.List
	for _, n := range b.notes {
		all = append(all, n.Problems...)
	}
	m.Errors = append(message.Problems(all.Err()), m.Errors...)
	return m
}

func (b broken) isTooLarge() bool {
	size := 0
	for _, text := range b.texts {
		size += len(text.Text)
	}
	return size > maxTexts
}

// tell warns of the broken files.
func (b broken) tell() message.Messages {
	var m message.Messages
	var lines []string
	for _, n := range b.notes {
		what := "nothing of it was applied before, so it is left out"
		if slices.ContainsFunc(b.texts, func(text manifest.Text) bool { return strings.Contains(text.Text, n.Name+", line ") }) {
			what = "its last text is used"
		}
		lines = append(lines, fmt.Sprintf("- %s: %s. %s", n.Name, what, n.Problems[0].Error()))
	}
	if len(lines) > 0 {
		m.Warn(message.LastTexts, fmt.Sprintf("Nothing is removed from the sources of %s until they are fixed, and %s:\n%s",
			wording.Count(len(lines), "broken file"), wording.Count(len(b.texts), "last text")+" of objects replace them",
			strings.Join(lines[:min(len(lines), message.MaxListed)], "\n")))
	}
	return m
}

// checkKnown refuses broken files for folders that the resource takes over, or has imported:
// without an earlier apply it would remove the packages of these files.
func (c *computed) checkKnown(takenOver int) message.Messages {
	var m message.Messages
	isFirst := c.Was == nil && takenOver > 0 || c.Inventory.State == ownership.Imported
	if len(c.broken.notes) > 0 && isFirst {
		m = c.broken.check(&Settings{})
		m.Fail(message.LastTexts, "This resource has not applied the broken files before, so it has no last text of them, and would remove their "+
			"packages from folders that it takes over. Fix the files first, or leave their sources out with follow.")
	}
	return m
}

// noted returns the texts for an inventory.
func (b broken) noted() []string {
	var texts []string
	for _, text := range b.texts {
		texts = append(texts, text.Text)
	}
	return texts
}
