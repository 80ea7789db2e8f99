// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"cmp"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

const (
	// maxDocument is how many bytes a document may have, and how many its aliases may stand for.
	// Kubernetes takes no object of this size, and parsing takes many times as much memory.
	maxDocument = 2 << 20
	// maxDepth is how deep a document may nest, aliases included.
	maxDepth = 1000
)

func tooLarge(at Origin) problem.Problem {
	return problem.Problem{
		Summary: "Document too large",
		Where:   at.String(),
		Detail: fmt.Sprintf("The document is larger than %d MiB, and Kubernetes takes no object of that size. Split it: of a List, write each "+
			"item into a file of its own, as `kubectl get crd NAME -o yaml` prints one CustomResourceDefinition.", maxDocument>>20),
	}
}

// isBounded reports whether every alias in the document can be followed without further care.
func (d *document) isBounded() bool {
	if d.inList {
		return true // it was checked with its list, which may hold the anchors of its aliases
	}
	if n := d.unbounded(); n != nil {
		d.report(n, "Invalid YAML", "The document nests too deeply, or its aliases stand for too much. Flatten it, or write out what the "+
			"aliases stand for.")
		return false
	}
	return true
}

// unbounded returns a node that nests too deeply, or an alias that stands for too much, together
// with those before it; nil if there is none. A few lines of aliases of aliases could stand for
// billions, and an alias can stand for what contains it.
func (d *document) unbounded() *yaml.Node {
	aliased := 0
	var walk func(n, alias *yaml.Node, depth int) *yaml.Node
	walk = func(n, alias *yaml.Node, depth int) *yaml.Node {
		if n.Kind == yaml.AliasNode {
			n, alias = n.Alias, cmp.Or(alias, n)
		}
		if alias != nil {
			aliased += 1 + len(n.Value)
		}
		if depth > maxDepth || aliased > maxDocument {
			return cmp.Or(alias, n)
		}
		for _, child := range n.Content {
			if at := walk(child, alias, depth+1); at != nil {
				return at
			}
		}
		return nil
	}
	return walk(d.root, nil, 1)
}
