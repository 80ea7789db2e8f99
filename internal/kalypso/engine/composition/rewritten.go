// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Value is a value of a ConfigMap.
type Value struct{ ConfigMap, Key string }

// Rewritten says in a message, for each value whose text changes on the way to a cluster, how it does,
// because a structure is written anew as YAML. Values of which only the layout changes are left out.
func (c *Composer) Rewritten() map[Value]string {
	all := map[Value]string{}
	for _, l := range c.layers {
		for _, e := range l.entries {
			key := cmp.Or(l.appKey, e.key)
			if how := rewritten(key, e); how != "" {
				all[Value{l.configMap, key}] = how
			}
		}
	}
	return all
}

func rewritten(key string, e entry) string {
	if _, isText := e.value.(string); isText {
		return ""
	}
	switch extension := strings.ToLower(path.Ext(key)); {
	case extension != "" && !slices.Contains([]string{".yaml", ".yml"}, extension):
		return "it becomes YAML, which is not the format of a file " + extension
	case extension != "" && hasComments(e.text):
		return "it loses its comments"
	}
	var was, is any
	written, err := yaml.Marshal(e.value)
	if err == nil && yaml.Unmarshal([]byte(e.text), &was) == nil && yaml.Unmarshal(written, &is) == nil && !reflect.DeepEqual(was, is) {
		return "YAML 1.1 reads a word such as on, yes or 0644 in it as another value"
	}
	return ""
}

// hasComments reports whether a YAML text has comments.
func hasComments(text string) bool {
	var document yaml.Node
	return strings.Contains(text, "#") && yaml.Unmarshal([]byte(text), &document) == nil && isCommented(&document)
}

func isCommented(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, isCommented)
}
