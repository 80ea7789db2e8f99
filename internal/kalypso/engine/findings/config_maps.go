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
			if value := labels[name][key]; value != "" && composition.IsSelecting(key) {
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

// unmarkedConfigMaps names the ConfigMaps that are not platform configuration, but probably
// should be: their label platform-config is misspelled, or a label names a cluster type, a workload
// or a deployment target, or all their labels occur on cluster types and deployment targets. One with
// the label "false" is left out on purpose.
func unmarkedConfigMaps(f *fleet.Fleet) []Finding {
	if len(f.Unmarked) == 0 {
		return nil
	}
	var found []Finding
	words := newVocabulary(f)
	for _, c := range f.Unmarked {
		if why := doubtOfMark(c.Labels, words); why != "" {
			found = append(found, newFinding(ConfigUnused, c.ID(), fmt.Sprintf("ConfigMap %s applies to no assignment: %s. Write the label "+
				"platform-config: \"true\", in quotes, if its values should count.", c.Name, why)))
		}
	}
	return found
}

// doubtOfMark says why labels are probably meant to mark platform configuration; empty if
// they are probably not.
func doubtOfMark(labels map[string]string, words *vocabulary) string {
	selecting, unknown, names := 0, 0, 0
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		switch distance := wording.Distance(strings.ToLower(key), manifest.LabelPlatformConfig); {
		case distance == 0 && value == "false":
			return ""
		case distance <= maxMisspelled:
			return fmt.Sprintf("it has the label %s: %q", key, value)
		case !composition.IsSelecting(key):
		case words.either.values[key][value] && composition.IsName(key):
			names++
		case words.either.values[key][value]:
			selecting++
		default:
			unknown++
		}
	}
	if names > 0 || selecting > 0 && unknown == 0 {
		return "its labels select assignments, but it does not have the label platform-config"
	}
	return ""
}

// maxMisspelled letters differ in a label that was meant to be platform-config.
const maxMisspelled = 2

// overridden names the ConfigMaps that apply, and of whose values none is used. conflicts names those
// that lose by their names alone, and they are not among those that are overridden here.
func overridden(here, everywhere map[string][]string) []Finding {
	var found []Finding
	for name := range here {
		by, isUnused := everywhere[name]
		if !isUnused {
			continue
		}
		winners := wording.First(by, maxListed)
		found = append(found, newFinding(ConfigUnused, "ConfigMap/"+name, fmt.Sprintf("ConfigMap %s applies, but none of its values is used: %s "+
			"overrides all of them. The last one in alphabetical order wins. To let %[1]s win, give it a name that comes later. If %[2]s has to "+
			"win everywhere, remove %[1]s.", name, winners)))
	}
	return found
}

// rewritten names the values of platform ConfigMaps whose text changes on the way to a cluster.
func rewritten(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, c := range f.ConfigMaps {
		for _, key := range slices.Sorted(maps.Keys(c.Data)) {
			if how := composition.Rewritten(key, c.Data[key]); how != "" {
				found = append(found, newFinding(ConfigRewritten, c.ID(), fmt.Sprintf("ConfigMap %s: the value of %s reads as a list or a map, so "+
					"it is written anew: %s. To keep the text, put it in single quotes ('…').", c.Name, key, how)))
			}
		}
	}
	return found
}

// conflicts names the pairs of ConfigMaps of which one wins by its name alone.
func conflicts(of []composition.Conflict) []Finding {
	var found []Finding
	for _, c := range of {
		found = append(found, newFinding(ConfigConflict, "ConfigMap/"+c.Winner, fmt.Sprintf(
			"ConfigMaps %s and %s both apply to %s and set %s differently. %s wins by its name: the last one in alphabetical order wins. To let "+
				"%s win, give it a name that comes later. Or set the value in only one of them.",
			c.Loser, c.Winner, wording.First(c.Assignments, maxListed), wording.First(c.Paths, maxListed), c.Winner, c.Loser)))
	}
	return found
}

// maxListed is how many names a message lists.
const maxListed = 3
