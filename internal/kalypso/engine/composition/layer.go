// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// layer is the unit of a merge: a platform ConfigMap, or one key of a ConfigMap from Azure
// App Configuration, because each key has its own labels.
type layer struct {
	configMap string
	// appKey is the key in a ConfigMap from Azure App Configuration; empty for a
	// platform ConfigMap.
	appKey  string
	labels  map[string]string
	entries []entry
}

// entry is a decoded value under its top-level key.
type entry struct {
	key, text string
	value     any
}

// newLayers returns the layers in the order of the merge (docs/guides/semantics.md, sections
// 3.1 and 3.5). The ConfigMaps must be sorted by name.
func newLayers(configMaps []*manifest.ConfigMap) []layer {
	var layers []layer
	for _, c := range configMaps {
		if c.IsPlatformConfig() {
			l := layer{configMap: c.Name, labels: c.Labels}
			for key, text := range c.Data {
				l.entries = append(l.entries, entry{key, text, decode(text)})
			}
			layers = append(layers, l)
		}
	}
	for _, c := range configMaps {
		if !strings.HasPrefix(c.Name, manifest.AppConfigPrefix) {
			continue
		}
		for _, appKey := range sortedAppKeys(c.Data) {
			key, labels := splitAppKey(appKey)
			layers = append(layers, layer{c.Name, appKey, labels, []entry{{key, c.Data[appKey], decode(c.Data[appKey])}}})
		}
	}
	return layers
}

// sortedAppKeys returns the keys from the most general, which is the shortest, to the most
// specific. Keys of one length are in byte order.
func sortedAppKeys(data map[string]string) []string {
	return slices.SortedFunc(maps.Keys(data), func(a, b string) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b)), strings.Compare(a, b))
	})
}

// splitAppKey parses "label1.value1.….key". Like Kalypso, it ignores the text between pairs,
// and a key without a partner.
func splitAppKey(appKey string) (key string, labels map[string]string) {
	segments := strings.Split(appKey, ".")
	last := len(segments) - 1
	labels = make(map[string]string, last)
	for i := 0; i+1 < last; i += 2 {
		labels[segments[i]] = segments[i+1]
	}
	return segments[last], labels
}
