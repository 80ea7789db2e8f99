// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Bounds of texts that strangers wrote: bytes of a name, a URL or a similar text; values of
// a package; and bytes of a key, as in Kubernetes.
const (
	maxText   = 4096
	maxValues = 1000
	maxKey    = 253
)

// textAt returns the scalar at a path of keys in its written form, whatever its type: a
// template without quotes around 1.10 means 1.10. It returns "" for anything else, and for a
// text that is too long to be a name.
func textAt(n *yaml.Node, path ...string) string {
	if n = yamlnode.At(n, path...); n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" || len(n.Value) > maxText {
		return ""
	}
	return n.Value
}

// textsOf returns a mapping of texts; nil for null. Errors: the node or a value has another
// type, or the mapping exceeds the bounds of a package or file.
func textsOf(n *yaml.Node) (map[string]string, error) {
	texts := map[string]string{}
	if n == nil || n.Tag == "!!null" {
		return texts, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("not a mapping (line %d)", n.Line)
	}
	size := 0
	for key, value := range yamlnode.Entries(n) {
		if _, known := texts[key.Value]; known || key.Kind != yaml.ScalarNode {
			continue
		}
		switch {
		case value.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("a value that is not a text (line %d)", key.Line)
		case len(key.Value) > maxKey:
			return nil, fmt.Errorf("a key of more than %d bytes (line %d)", maxKey, key.Line)
		case len(texts) == maxValues:
			return nil, fmt.Errorf("more than %d values", maxValues)
		}
		if size += len(key.Value) + len(value.Value); size > MaxFile { // of aliases
			return nil, fmt.Errorf("more than %d MiB", MaxFile>>20)
		}
		if texts[key.Value] = value.Value; value.Tag == "!!null" {
			texts[key.Value] = ""
		}
	}
	return texts, nil
}

// odd returns where a path of keys below a node has a value that is not a mapping. It
// returns "" if all values are mappings.
func odd(n *yaml.Node, path ...string) string {
	for i := range len(path) + 1 {
		if found := yamlnode.At(n, path[:i]...); found != nil && found.Kind != yaml.MappingNode && found.Tag != "!!null" {
			return fmt.Sprintf(" (line %d)", found.Line)
		}
	}
	return ""
}
