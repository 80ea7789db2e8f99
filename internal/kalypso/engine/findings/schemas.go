// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
)

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
