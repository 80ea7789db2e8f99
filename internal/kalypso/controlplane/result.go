// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// result puts together what was read.
func (r *run) result(sources []*source) *Seen {
	result := &Seen{Commit: r.start.commit, Sources: r.followed(sources)}
	isGiven := r.request.Manifests != nil
	files := filesOf(sources)
	for _, b := range baseRepos(files) {
		result.BaseRepos = append(result.BaseRepos, b.Name)
		if b.Name == manifest.MainBaseRepo {
			result.PromotedCommit = cmp.Or(result.PromotedCommit, b.Commit)
		}
	}
	result.BaseRepos = wording.Sorted(result.BaseRepos)
	notes := r.notes(sources, files)
	if isGiven {
		files = files[len(r.start.files):]
		result.Manifests = r.passedOn(r.start.files, files, notes)
	}
	for _, f := range files {
		if len(f.documents) > 0 {
			result.Manifests = append(result.Manifests, r.manifests(f)...)
		}
	}
	for _, n := range notes {
		result.Manifests = append(result.Manifests, n.Text())
	}
	result.Warnings = r.warnings
	return result
}

// notes returns the notes on broken files, with a warning, the one on links beside them, and the
// one on sources without a fence.
func (r *run) notes(sources []*source, files []*file) []*manifest.Note {
	var notes []*manifest.Note
	var lines []string
	isLed := func(s *source) bool { return r.leads(s, func(l *link) bool { return !l.file.broken }) }
	for _, f := range files {
		if f.broken && slices.ContainsFunc(f.sources, isLed) {
			n := f.note()
			notes = append(notes, n)
			for _, p := range n.Problems {
				lines = append(lines, "- "+p.Text())
			}
		}
	}
	if len(notes) > 0 {
		shown := min(len(lines), maxNamed)
		if len(lines) > shown {
			lines[shown-1] = fmt.Sprintf("- and %d more", len(lines)-shown+1)
		}
		r.warnings = append(r.warnings, problem.Problem{Summary: "Files of others are broken", Detail: fmt.Sprintf(
			"manifests has a note in place of %s. kalypso_gitops_commit fails, or leaves packages of these files unchanged (on_error = "+
				"\"keep\"). Fix the files, or take the changes back:\n%s",
			wording.Count(len(notes), "broken file"), strings.Join(lines[:shown], "\n"))})
		notes = append(notes, &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "links"},
			NoteSpec: manifest.NoteSpec{Links: r.links(sources)}})
	}
	if ids := r.unfenced(sources); len(ids) > 0 {
		notes = append(notes, &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "unfenced"},
			NoteSpec: manifest.NoteSpec{Sources: ids}})
	}
	return notes
}

// filesOf returns the files of sources, each once.
func filesOf(sources []*source) []*file {
	var all []*file
	seen := map[*file]bool{}
	for _, s := range sources {
		for _, f := range s.files {
			if !seen[f] {
				seen[f] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// baseRepos returns those of all files, in their order.
func baseRepos(files []*file) []*manifest.BaseRepo {
	var all []*manifest.BaseRepo
	for _, f := range files {
		for _, d := range f.documents {
			if b, ok := d.Object.(*manifest.BaseRepo); ok {
				all = append(all, b)
			}
		}
	}
	return all
}

// sorted returns the sources: the control plane, then the others by place.
func (r *run) sorted() []*source {
	var others []*source
	for _, s := range r.sources {
		if s != r.start {
			others = append(others, s)
		}
	}
	slices.SortFunc(others, func(a, b *source) int {
		return cmp.Or(
			strings.Compare(a.revision.Repo, b.revision.Repo),
			strings.Compare(a.revision.Branch, b.revision.Branch),
			strings.Compare(a.revision.Commit, b.revision.Commit),
			strings.Compare(a.path, b.path),
		)
	})
	return append([]*source{r.start}, others...)
}

// reasons names the objects that lead to a source, sorted. It leaves out those in broken files.
func (s *source) reasons() []string {
	var ids []string
	for _, l := range s.links {
		if !l.file.broken {
			ids = append(ids, l.object.Metadata().ID())
		}
	}
	return wording.Sorted(ids)
}

// manifests returns the documents of a file. The workloads in it that a
// registration delivers say so, as Flux makes them (docs/guides/semantics.md, section 1).
func (r *run) manifests(f *file) []string {
	owner := r.owner(f)
	var texts []string
	for _, d := range f.documents {
		texts = append(texts, r.delivered(d, owner).Excerpt(f.where))
	}
	return texts
}

// delivered returns a document as its registration, if it has one, delivers it.
func (r *run) delivered(d manifest.Document, owner *manifest.WorkloadRegistration) manifest.Document {
	if owner == nil {
		return d
	}
	return d.WithLabel(manifest.LabelFluxOwner, r.request.Environment+"-"+owner.Name)
}

// owner returns the registration that delivers a file; nil if none does. It reports
// registrations that disagree. Those of the platform team come first: others may not take
// over what it has given to a workspace. Then come those that may bring the file, and those in
// the same repository as the file.
func (r *run) owner(f *file) *manifest.WorkloadRegistration {
	var links []*link
	for _, s := range f.sources {
		for _, l := range s.links {
			if l.registration() != nil && !l.file.broken {
				links = append(links, l)
			}
		}
	}
	for _, comesFirst := range []func(l *link) bool{
		func(l *link) bool { return r.trusts(l.from) },
		func(l *link) bool { return r.mayBring(l, f) },
		func(l *link) bool { return repository(l.from.revision.Repo) == repository(f.sources[0].revision.Repo) },
	} {
		if len(links) > 1 && slices.ContainsFunc(links, comesFirst) {
			links = slices.DeleteFunc(links, func(l *link) bool { return !comesFirst(l) })
		}
	}
	if len(links) == 0 {
		return nil
	}
	slices.SortFunc(links, func(a, b *link) int {
		ma, mb := a.object.Metadata(), b.object.Metadata()
		return cmp.Or(strings.Compare(ma.Name, mb.Name), strings.Compare(ma.Source.String(), mb.Source.String()))
	})
	first := links[0].registration()
	for _, l := range links {
		one := l.registration()
		if i := slices.IndexFunc(links, func(o *link) bool { return o.registration().Workspace != one.Workspace }); i >= 0 {
			other := links[i].registration()
			r.report(l, problem.Problem{
				Summary: "Two workspaces for one workload", Subject: one.ID(), Where: one.Source.String(),
				Detail: fmt.Sprintf("%s is delivered by %s (%s) for the workspace %q and by %s for the workspace %q. "+
					"Remove one of the registrations or change its path.",
					f.where, other.ID(), other.Source, other.Workspace, one.ID(), one.Workspace),
			})
		}
	}
	if label := r.request.Environment + "-" + first.Name; len(validation.IsValidLabelValue(label)) > 0 {
		r.report(links[0], problem.Problem{
			Summary: "Invalid name", Subject: first.ID(), Where: first.Source.String(),
			Detail: fmt.Sprintf("Flux labels what the registration delivers with %q, which is too long for a label or none. "+
				"Shorten the registration's name.", label),
		})
	}
	return first
}

// given returns the source of the manifests of the request, which need no reading.
func (r *run) given() *source {
	s := &source{platform: true, read: true}
	for _, in := range r.request.Manifests {
		in = in.WithCommits(r.request.BaseCommits)
		objects, err := manifest.Decode([]manifest.Text{in})
		r.problems.AddErr("Invalid YAML", err)
		f := &file{key: fileKey{path: in.Name}, text: in.Text}
		for _, o := range objects {
			f.documents = append(f.documents, manifest.Document{Object: o})
		}
		r.files[f.key] = f
		s.files = append(s.files, f)
	}
	return s
}

// passedOn returns the texts of given files unchanged. It leaves out a file with a single
// object that one of the others delivers unchanged: the object was read from there before.
func (r *run) passedOn(given, others []*file, notes []*manifest.Note) []string {
	delivered := map[string]bool{}
	for _, n := range notes {
		delivered[r.content(&file{}, n)] = true
	}
	for _, f := range others {
		for _, d := range f.documents {
			delivered[r.content(f, d.Object)] = true
		}
	}
	var texts []string
	for _, f := range given {
		if len(f.documents) != 1 || !delivered[r.content(f, f.documents[0].Object)] {
			texts = append(texts, f.text)
		}
	}
	return texts
}

// content returns which file an object was read from, and what it says as it is delivered.
func (r *run) content(f *file, o manifest.Object) string {
	d := r.delivered(manifest.Document{Object: o}, r.owner(f))
	return cmp.Or(f.where, o.Metadata().Source.Origin) + "\n" + manifest.Encode(d.Object)
}
