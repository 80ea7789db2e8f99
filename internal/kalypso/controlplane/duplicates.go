// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

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
			i := slices.IndexFunc(all, r.excludes(h))
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

// excludes reports whether another object may not have the same name. A given object may if
// it was read from the same file and says the same, see passedOn.
func (r *run) excludes(h holder) func(other holder) bool {
	return func(other holder) bool {
		return other.of != h.of && (other.file.where != "" || r.content(other.file, other.object) != r.content(h.file, h.object))
	}
}
