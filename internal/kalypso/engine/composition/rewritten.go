// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Value is a value of a ConfigMap.
type Value struct{ ConfigMap, Key string }

// Rewritten returns the values of which a cluster gets other text, because a list or map is written anew as YAML: with
// other words, without comments in a file, or in a file that is not YAML. Values of which only the layout changes
// are left out.
func (c *Composer) Rewritten() (all []Value) {
	for _, l := range c.layers {
		for _, e := range l.entries {
			if _, isText := e.value.(string); !isText && changesText(e) {
				all = append(all, Value{l.configMap, cmp.Or(l.appKey, e.key)})
			}
		}
	}
	return all
}

func changesText(e entry) bool {
	var was, is yaml.Node
	written, err := yaml.Marshal(e.value)
	if err != nil || yaml.Unmarshal([]byte(e.text), &was) != nil || yaml.Unmarshal(written, &is) != nil {
		return false
	}
	extension := strings.ToLower(path.Ext(e.key))
	return !slices.Contains([]string{"", ".yaml", ".yml"}, extension) || extension != "" && isCommented(&was) ||
		!slices.Equal(slices.Sorted(slices.Values(scalarsOf(nil, &was))), slices.Sorted(slices.Values(scalarsOf(nil, &is))))
}

func isCommented(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, isCommented)
}

// scalarsOf appends the scalars of a structure with their types.
func scalarsOf(all []string, n *yaml.Node) []string {
	switch n = yamlnode.Resolve(n); {
	case n.Kind == yaml.SequenceNode:
		for _, element := range n.Content {
			all = scalarsOf(all, element)
		}
	case n.Kind == yaml.MappingNode:
		for _, e := range yamlnode.Fields(n) {
			all = scalarsOf(scalarsOf(all, e.Key), e.Value)
		}
	case !yamlnode.IsNull(n):
		all = append(all, n.ShortTag()+strings.ToLower(n.Value))
	}
	return all
}
