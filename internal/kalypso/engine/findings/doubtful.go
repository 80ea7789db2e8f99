// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// probableMistakes reports input that we read as Kalypso reads it, but that is probably a mistake.
func probableMistakes(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, b := range f.BaseRepos {
		if !b.HasCommitID() {
			found = append(found, newFinding(ManifestDoubtful, b.ID(), fmt.Sprintf(
				"BaseRepo %s is pinned to %q, which is not a commit id, so nothing can be read there. Write the 40 hexadecimal digits of a commit.",
				b.Name, b.Commit)))
		}
	}
	for _, t := range f.Templates {
		if !t.HasContentType() {
			found = append(found, newFinding(ManifestDoubtful, t.ID(), fmt.Sprintf(
				"Template %s has the content type %q, which Kalypso does not know, so its files end in .yaml. Write sh for files that end in .sh, or "+
					"leave it out.", t.Name, t.ContentType)))
		}
	}
	for _, c := range f.ConfigMaps {
		for _, key := range []string{"true", "false"} {
			if _, set := c.Data[key]; set {
				found = append(found, newFinding(ManifestDoubtful, c.ID(), fmt.Sprintf(
					"ConfigMap %s has the key %s, which is what Kubernetes makes of words like yes, y, no and off without quotes. Put the key in quotes "+
						"if it is to be the word.", c.Name, key)))
			}
		}
	}
	return found
}

// doubtfulDefinitions names the CustomResourceDefinitions that check nothing, or that do
// not check as they are meant to.
func doubtfulDefinitions(schemas *apischema.Schemas) []Finding {
	var found []Finding
	for _, d := range schemas.Doubts() {
		found = append(found, newFinding(ManifestDoubtful, d.Definition.ID(), d.Message))
	}
	return found
}

// ignoredKeywords names the keywords of schemas that are not enforced.
func ignoredKeywords(composer *composition.Composer) []Finding {
	var found []Finding
	for _, i := range composer.IgnoredKeywords() {
		if i.Meant != "" {
			found = append(found, newFinding(SchemaIgnored, i.Owner, fmt.Sprintf(
				"The keyword at %s of a schema does not exist, so it is not enforced. Did you mean %s?", i.Path, i.Meant)))
			continue
		}
		found = append(found, newFinding(SchemaIgnored, i.Owner, fmt.Sprintf(
			"A part of a schema is not enforced: %s. Schemas are read as Kalypso's validator does, by drafts 4 to 7, without what is beside a "+
				"$ref. Say it by a keyword of draft 7, or remove it.", i.Path)))
	}
	return found
}
