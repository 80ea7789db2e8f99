// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// sources reports what the notes among the manifests say about the fleet's sources.
func sources(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, note := range f.Notes {
		if len(note.Problems) == 0 {
			for _, id := range note.Sources {
				found = append(found, newFinding(SourceUnfenced, id,
					"It leads to another repository, which may bring every kind of object that the source can have. Limit it with an allow block."))
			}
			continue
		}
		texts := make([]string, len(note.Problems))
		for i, p := range note.Problems {
			texts[i] = p.Error()
		}
		found = append(found, newFinding(FileBroken, "File/"+note.Name, "The manifests lack its objects. "+strings.Join(texts, " ")))
	}
	return found
}
