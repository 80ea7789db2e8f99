// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// judge finds the files that others than the platform team have broken: that cannot be
// read, that bring what they may not, or that bring an object which another file brings too.
// A broken file brings nothing, so the files that only it led to break too: nobody may bring
// their objects. A broken file of the platform team is a problem of all.
func (r *run) judge(sources []*source) {
	for _, s := range sources {
		for _, f := range s.files {
			f.sources = append(f.sources, s)
		}
	}
	files := filesOf(sources)
	for _, f := range files {
		f.platform = slices.ContainsFunc(f.sources, func(s *source) bool { return s.platform })
		f.others = !slices.ContainsFunc(f.sources, r.trusts)
		if !f.others {
			r.problems = append(r.problems, f.problems...)
		}
		if !f.platform { // what an application has for itself on a hub, or for its own objects
			f.documents = slices.DeleteFunc(f.documents, func(d manifest.Document) bool {
				kind := d.Object.Metadata().Kind
				return kind.IsOCM() || kind == manifest.KindCustomResourceDefinition
			})
		}
	}
	for changed := true; changed; {
		for _, f := range files {
			if f.others && !f.broken {
				r.check(f)
			}
		}
		if changed = breakFiles(files); !changed { // those that are broken take no names
			r.findDuplicates(files)
			changed = breakFiles(files)
		}
	}
	for _, f := range files {
		if f.broken {
			f.documents = nil
		}
	}
}

// breakFiles marks the files of others with problems, and reports whether one is new.
func breakFiles(files []*file) (changed bool) {
	for _, f := range files {
		if f.others && !f.broken && len(f.problems) > 0 {
			f.broken, changed = true, true
		}
	}
	return changed
}

// check finds what is wrong with a file of others in itself.
func (r *run) check(f *file) {
	owner := r.owner(f)
	objects := make([]manifest.Object, len(f.documents))
	for i, d := range f.documents {
		objects[i] = d.Object
		f.problems.AddErr("Document too large", r.delivered(d, owner).CheckSize())
		if p := r.refused(f, d.Object, owner); p.Summary != "" {
			m := d.Object.Metadata()
			p.Subject, p.Where = m.ID(), m.Source.String()
			f.problems.Add(p)
		}
	}
	_, err := fleet.New(objects, r.request.Environment)
	f.problems.AddErr("Invalid fleet", err)
}

// refused says why none of the sources of a file may bring an object.
func (r *run) refused(f *file, o manifest.Object, owner *manifest.WorkloadRegistration) (p problem.Problem) {
	for _, s := range f.sources {
		if p = r.refusal(s, o, owner); p.Summary == "" {
			return p
		}
	}
	return p
}

// maxNoted problems of a file are in its note.
const maxNoted = 10

// note returns the note on a broken file. It names no commit.
func (f *file) note() *manifest.Note {
	n := &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: f.where}}
	for _, s := range f.sources {
		n.Sources = append(n.Sources, s.reasons()...)
	}
	n.Sources = wording.Sorted(n.Sources)
	var sorted problem.List
	sorted.AddErr("Invalid YAML", f.problems.Err())
	n.Problems = sorted[:min(len(sorted), maxNoted)]
	for i := range n.Problems {
		n.Problems[i].Where = strings.ReplaceAll(n.Problems[i].Where, f.name, f.where)
	}
	return n
}

// holder is an object that takes a name.
type holder struct {
	file   *file
	object manifest.Object
	// of is the same for two objects that may both take the name.
	of any
}

// findDuplicates breaks files of others that bring what another file brings too: an object of
// the same name, or a deployment target of the same full name.
func (r *run) findDuplicates(files []*file) {
	holders := map[string][]holder{}
	for _, f := range files {
		if f.broken {
			continue
		}
		for _, d := range f.documents {
			if d.Object.Metadata().Kind == manifest.KindCustomResourceDefinition {
				continue // vendors deliver one with everything
			}
			for name, workload := range manifest.TakenNames(d.Object, r.request.Environment) {
				h := holder{f, d.Object, f}
				if workload != "" {
					h.of = workload
				}
				holders[name] = append(holders[name], h)
			}
		}
	}
	for name, all := range holders {
		for _, h := range all {
			i := slices.IndexFunc(all, func(other holder) bool { // a given object may be the delivered one, see passedOn
				return other.of != h.of && (other.file.where != "" || r.content(other.file, other.object) != r.content(h.file, h.object))
			})
			if i < 0 || !h.file.others {
				continue
			}
			m := h.object.Metadata()
			h.file.problems.Add(problem.Problem{Summary: "Duplicate object", Subject: m.ID(), Where: m.Source.String(), Detail: fmt.Sprintf(
				"The %s is in %s too. Rename one of them, or remove it. %s", name,
				cmp.Or(all[i].file.where, all[i].object.Metadata().Source.String()), keepApart(name, m))})
		}
	}
}

// keepApart says how teams avoid to take the same name as an object.
func keepApart(name string, m manifest.Meta) string {
	if name == m.ID() {
		return "A fence with names keeps teams apart."
	}
	return "This name is the workload's name, a dash and the target's name, and fences do not limit the names of targets. Give no workload " +
		"of a team a name that begins with the name of another team's workload and a dash."
}
