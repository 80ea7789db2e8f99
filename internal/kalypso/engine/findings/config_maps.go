// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// unusedConfigMaps names the ConfigMaps that apply nowhere, and their labels that occur nowhere.
func unusedConfigMaps(s *search) {
	if len(s.usage().Unused()) == 0 {
		return
	}
	unused := s.everywhere().Unused()
	for _, c := range s.Fleet.ConfigMaps {
		if !slices.Contains(unused, c.Name) {
			continue
		}
		var doubts []string
		for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
			if value := c.Labels[key]; value != "" && c.IsPlatformConfig() && composition.IsSelecting(key) {
				doubts = append(doubts, s.words().either.doubts(key, value)...)
			}
		}
		s.note(c.ID(), "ConfigMap %s applies to no assignment%s.", c.Name, because(doubts))
	}
}

// unmarkedConfigMaps names the ConfigMaps that are not platform configuration, but probably should be:
// their label platform-config is misspelled, or a label names a cluster type, a workload or a deployment
// target, or all their labels occur on cluster types and deployment targets. With the label "false", the
// user leaves a ConfigMap out on purpose.
func unmarkedConfigMaps(s *search) {
	for _, c := range s.Fleet.Unmarked {
		if why := doubtOfMark(c.Labels, s.words()); why != "" {
			s.note(c.ID(), "ConfigMap %s applies to no assignment: %s. Write the label platform-config: \"true\", in quotes, if its values should "+
				"count.", c.Name, why)
		}
	}
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

// rewritten names the values of platform ConfigMaps whose text changes on the way to a cluster.
func rewritten(s *search) {
	for _, value := range s.Composer.Rewritten() {
		s.note("ConfigMap/"+value.ConfigMap, "ConfigMap %s: the value of %s reads as a list or a map, so it is written anew as YAML 1.1, and "+
			"its words or comments change. To keep the text, put it in single quotes ('…').", value.ConfigMap, value.Key)
	}
}

// conflicts names the pairs of ConfigMaps of which one wins by its name alone.
func conflicts(s *search) {
	for _, c := range s.usage().Conflicts() {
		s.note("ConfigMap/"+c.Winner, "ConfigMaps %s and %s both apply to %s and set %s differently. %s wins by its name: the last one in "+
			"alphabetical order wins. To let %s win, give it a name that comes later. Or set the value in only one of them.",
			c.Loser, c.Winner, wording.First(c.Assignments, wording.MaxListed), wording.First(c.Paths, wording.MaxListed), c.Winner, c.Loser)
	}
}
