// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// unusedConfigMaps names the ConfigMaps that apply nowhere, and their labels
// that occur nowhere.
func unusedConfigMaps(f *fleet.Fleet, unused []string, words *vocabulary) []Finding {
	labels := map[string]map[string]string{}
	for _, c := range f.ConfigMaps {
		if c.IsPlatformConfig() {
			labels[c.Name] = c.Labels
		}
	}
	var found []Finding
	for _, name := range unused {
		var doubts []string
		for _, key := range slices.Sorted(maps.Keys(labels[name])) {
			if value := labels[name][key]; value != "" && key != manifest.LabelPlatformConfig && !strings.HasPrefix(key, manifest.LabelFluxPrefix) {
				doubts = append(doubts, words.either.doubts(key, value)...)
			}
		}
		message := fmt.Sprintf("ConfigMap %s applies to no assignment", name)
		if len(doubts) > 0 {
			message += ": " + listed(doubts)
		}
		found = append(found, newFinding(ConfigUnused, "ConfigMap/"+name, message+"."))
	}
	return found
}

func conflicts(usage *composition.Usage) []Finding {
	var found []Finding
	for _, c := range usage.Conflicts() {
		found = append(found, newFinding(ConfigConflict, "ConfigMap/"+c.Winner, fmt.Sprintf(
			"ConfigMaps %s and %s both apply to %s and set %s differently. %s wins by its name: the last one in alphabetical order wins. To let "+
				"%s win, give it a name that comes later. Or set the value in only one of them.",
			c.Loser, c.Winner, wording.First(c.Assignments, maxListed), wording.First(c.Paths, maxListed), c.Winner, c.Loser)))
	}
	return found
}

// maxListed is how many names a message lists.
const maxListed = 3
