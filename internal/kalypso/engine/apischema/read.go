// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// isList reports whether objects of a kind are lists of other objects, if they have items:
// List, ConfigMapList.
func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// Objects returns the object of a document, or the items of a List, which may be Lists
// themselves: each List once, because an alias can put it into itself. It returns nil for a null document.
func Objects(document *yaml.Node) []*yaml.Node {
	if yamlnode.IsNull(document) {
		return nil
	}
	return appendObjects(nil, document, map[*yaml.Node]bool{})
}

func appendObjects(all []*yaml.Node, n *yaml.Node, seen map[*yaml.Node]bool) []*yaml.Node {
	items := yamlnode.At(n, "items")
	if seen[items] {
		return all
	}
	if items == nil || items.Kind != yaml.SequenceNode || !isList(yamlnode.Text(n, "kind")) {
		return append(all, yamlnode.Resolve(n))
	}
	seen[items] = true
	for _, item := range items.Content {
		all = appendObjects(all, item, seen)
	}
	return all
}

// readings returns an object as JSON, as the tools that bring it to a cluster read it: kubectl
// with YAML 1.1, and Flux with the YAML reader of kustomize. They read the same in most objects,
// and then there is one reading. Nulls are left out, because a server takes them for missing or empty values.
func readings(n *yaml.Node) []any {
	r := reader{isKubectl: true}
	all := []any{r.value(n)}
	if r.differs {
		r.isKubectl = false
		all = append(all, r.value(n))
	}
	return all
}

// words has what both tools make of plain scalars, which takes long to find out.
var words sync.Map

type reader struct {
	// isKubectl reports whether the tool is kubectl. differs reports whether Flux reads another
	// value anywhere.
	isKubectl, differs bool
}

func (r *reader) value(n *yaml.Node) any {
	switch n = yamlnode.Resolve(n); n.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for _, e := range yamlnode.Fields(n) {
			if value := r.value(e.Value); value != nil {
				all[fmt.Sprint(r.value(e.Key))] = value
			}
		}
		return all
	case yaml.SequenceNode:
		all := make([]any, 0, len(n.Content))
		for _, element := range n.Content {
			if value := r.value(element); value != nil {
				all = append(all, value)
			}
		}
		return all
	default:
		return r.scalar(n)
	}
}

// scalar returns what a tool makes of a scalar. Only a short plain scalar can be more than a
// text: the longest words are "false" and "~".
func (r *reader) scalar(n *yaml.Node) any {
	const longestWord = len("false")
	isPlain := n.Style == 0 && n.ShortTag() != "!!binary" && n.Value != ""
	if number, err := strconv.Atoi(n.Value); err == nil && isPlain && strconv.Itoa(number) == n.Value {
		return number
	}
	if isPlain && (len(n.Value) <= longestWord || strings.IndexByte("+-.0123456789", n.Value[0]) >= 0) {
		read, known := words.Load(n.Value)
		if !known {
			read = word{byKubectl(n), byFlux(n)}
			words.Store(n.Value, read)
		}
		w := read.(word) //nolint:errcheck,forcetypeassert // it has nothing else
		r.differs = r.differs || typeName(w.kubectl) != typeName(w.flux) || typeName(w.kubectl) == "string" && w.kubectl != w.flux
		if r.isKubectl {
			return w.kubectl
		}
		return w.flux
	}
	return byFlux(n)
}

// word is what the tools make of a plain scalar.
type word struct{ kubectl, flux any }

func byKubectl(n *yaml.Node) any {
	var value any
	if sigsyaml.Unmarshal([]byte(n.Value), &value) != nil || slices.Contains([]string{"object", "array"}, typeName(value)) {
		return n.Value
	}
	return value
}

func byFlux(n *yaml.Node) any {
	var value any
	if n.ShortTag() == "!!str" || n.Decode(&value) != nil {
		return n.Value
	}
	switch value := value.(type) {
	case time.Time:
		return value.Format(time.RFC3339Nano)
	case float64:
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return n.Value // JSON has no such numbers
		}
	}
	return value
}

// types are the types of JSON Schema in the words of messages.
var types = map[string]string{
	"object": "a mapping", "array": "a list", "string": "text", "integer": "an integer", "number": "a number", "boolean": "true or false",
	"null": "null",
}

// typeName returns the type of a value in JSON Schema.
func typeName(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if value != math.Trunc(value) {
			return "number"
		}
	}
	return "integer"
}

// at returns the value at a path of fields and indexes, and the path as text: spec.containers[0].
// The value of a path that does not exist is nil.
func at(value any, path []string) (found any, text string) {
	for _, step := range path {
		switch within := value.(type) {
		case []any:
			text += "[" + step + "]"
			i, err := strconv.Atoi(step)
			if value = nil; err == nil && i < len(within) {
				value = within[i]
			}
			continue
		case map[string]any:
			value = within[step]
		default:
			value = nil
		}
		switch {
		case strings.ContainsAny(step, "./ "):
			text += "[" + step + "]"
		case text == "":
			text = step
		default:
			text += "." + step
		}
	}
	return value, text
}
