// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Value is a value of a ConfigMap.
type Value struct{ ConfigMap, Key string }

// Rewritten says in a message, for each value whose text changes on the way to a cluster, how it does,
// because a structure is written anew as YAML. Values of which only the layout changes are left out.
func (c *Composer) Rewritten() map[Value]string {
	all := map[Value]string{}
	for _, l := range c.layers {
		for _, e := range l.entries {
			if how := rewritten(e); how != "" {
				all[Value{l.configMap, cmp.Or(l.appKey, e.key)}] = how
			}
		}
	}
	return all
}

func rewritten(e entry) string {
	if _, isText := e.value.(string); isText {
		return ""
	}
	var was, is yaml.Node
	written, err := yaml.Marshal(e.value)
	if err != nil || yaml.Unmarshal([]byte(e.text), &was) != nil || yaml.Unmarshal(written, &is) != nil {
		return ""
	}
	switch extension := strings.ToLower(path.Ext(e.key)); {
	case extension != "" && !slices.Contains([]string{".yaml", ".yml"}, extension):
		return "it becomes YAML, which is not the format of a file " + extension
	case extension != "" && isCommented(&was):
		return "it loses its comments"
	case !reflect.DeepEqual(scalars(&was), scalars(&is)):
		return "YAML 1.1 reads a word such as on, yes, 0644 or 1.10 in it as another value, or it has a key twice"
	}
	return ""
}

func isCommented(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, isCommented)
}

// scalars returns a node without its layout: mappings are sorted by their keys, and each scalar is its
// type and its text.
func scalars(n *yaml.Node) any {
	switch n = yamlnode.Resolve(n); n.Kind {
	case yaml.MappingNode:
		var entries [][2]any
		for _, e := range yamlnode.Fields(n) {
			entries = append(entries, [2]any{scalars(e.Key), scalars(e.Value)})
		}
		slices.SortFunc(entries, func(a, b [2]any) int { return strings.Compare(fmt.Sprint(a[0]), fmt.Sprint(b[0])) })
		return entries
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, element := range n.Content {
			list[i] = scalars(element)
		}
		return list
	case yaml.DocumentNode, yaml.AliasNode, yaml.ScalarNode: // Only a scalar is left.
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return tag
	case "!!bool":
		return strings.ToLower(n.Value)
	default:
		return [2]string{tag, n.Value}
	}
}
