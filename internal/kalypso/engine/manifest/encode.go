// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Encode returns an object as one YAML document, always the same bytes for the same
// object; Decode gives the object back. Encode writes long texts as block scalars. Bytes
// that are not UTF-8 become U+FFFD, because YAML cannot contain them.
func Encode(o Object) string {
	if note, isNote := o.(*Note); isNote { // not in the table
		return note.Text()
	}
	row := o.Metadata().Kind.Row()
	document := encodeFields(row.Fields, reflect.ValueOf(o).Elem())
	head := []*yaml.Node{plain("apiVersion"), plain(row.APIVersion), plain("kind"), plain(string(row.Kind))}
	document.Content = append(head, document.Content...)
	return write(document)
}

func write(document any) string {
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Texts, lists and mappings of valid UTF-8, into memory: nothing here can fail.
	_ = encoder.Encode(document)
	_ = encoder.Close()
	return b.String()
}

// encodeFields returns a struct as a mapping, in the order of the rows, which a reader expects.
// Values that a missing field has are left out.
func encodeFields(fields []Field, of reflect.Value) *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	for i := range fields {
		f := &fields[i]
		if f.Type == Anything {
			continue
		}
		value := of.FieldByIndex(f.index)
		if f.isLeftOut(value) {
			continue
		}
		n := f.encode(value)
		if isEmptyPart := f.index == nil && len(n.Content) == 0; !isEmptyPart || !f.omitEmpty {
			mapping.Content = append(mapping.Content, plain(f.Name), n)
		}
	}
	return mapping
}

// isLeftOut reports whether a missing field has the value, so that a document need not say it.
func (f *Field) isLeftOut(value reflect.Value) bool {
	isEmpty := value.IsZero() || (f.Type == List || f.Type == Map) && value.Len() == 0
	switch {
	case f.usual.IsValid():
		return value.Equal(f.usual)
	case value.Kind() == reflect.Pointer:
		return isEmpty
	default:
		return isEmpty && f.omitEmpty
	}
}

func (f *Field) encode(value reflect.Value) *yaml.Node {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	switch f.Type { //nolint:exhaustive // the others are texts
	case Mapping:
		return encodeFields(f.Fields, value)
	case List:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range value.Len() {
			list.Content = append(list.Content, f.Of.encode(value.Index(i)))
		}
		return list
	case Map:
		mapping := &yaml.Node{Kind: yaml.MappingNode}
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			mapping.Content = append(mapping.Content, plain(key.String()), f.Of.encode(value.MapIndex(key)))
		}
		return mapping
	case Integer:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value.Interface())}
	case Number:
		written, _ := json.Marshal(value.Interface()) // its own form
		if unquoted, err := strconv.Unquote(string(written)); err == nil {
			return plain(unquoted)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: string(written)}
	}
	return plain(f.text(value))
}

// unixLines replaces the line ends of Windows, so that all check-outs give the same files. YAML
// does so itself, except for escapes: yamlencode escapes the line ends of heredocs and file().
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// plain returns a text in the most readable style that keeps it, except for line ends.
func plain(s string) *yaml.Node {
	s = unixLines(strings.ToValidUTF8(s, "\ufffd"))
	style := scalarStyle(s)
	if booleans[s] != "" {
		style = yaml.DoubleQuotedStyle
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: s, Style: style} // the encoder adds other quotes
}

// scalarStyle returns the style that a string needs; 0 if any will do.
func scalarStyle(s string) yaml.Style {
	switch {
	case strings.ContainsAny(s, "\r\u0085\u2028\u2029\ufeff"):
		// YAML 1.1 takes the first four for line breaks, and drops or replaces them outside of double quotes.
		return yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"):
		return 0
	case strings.HasPrefix(strings.TrimLeft(s, "\n"), " "), strings.HasPrefix(s, "\n"), strings.HasPrefix(s, "\t"):
		// A block scalar takes its indentation from its first line.
		return yaml.DoubleQuotedStyle
	case strings.HasSuffix(s, "\n\n"):
		// A block scalar that keeps its empty lines takes those too that somebody puts behind the document.
		return yaml.DoubleQuotedStyle
	default:
		return yaml.LiteralStyle
	}
}
