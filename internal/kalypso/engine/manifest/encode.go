// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Encode returns an object as one YAML document, always the same bytes for the same
// object; Decode gives the object back. Encode writes long texts as block scalars. Bytes
// that are not UTF-8 become U+FFFD, because YAML cannot contain them.
func Encode(o Object) string {
	m := o.Metadata()
	k, _ := lookup(m.Kind)
	e := envelope{APIVersion: k.apiVersion, Kind: m.Kind, Metadata: metadata{Name: text(m.Name), Namespace: text(m.Namespace),
		Labels: texts(m.Labels)}}
	o.encode(&e)
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Strings, lists and mappings of valid UTF-8, into memory: nothing here can fail.
	_ = encoder.Encode(e)
	_ = encoder.Close()
	return b.String()
}

// envelope is the shape of a document. Its fields, like those of every spec, are
// in the order that a reader expects.
type envelope struct {
	APIVersion string        `yaml:"apiVersion"`
	Kind       Kind          `yaml:"kind"`
	Metadata   metadata      `yaml:"metadata"`
	Spec       any           `yaml:"spec,omitempty"`
	Data       map[text]text `yaml:"data,omitempty"`
	Status     any           `yaml:"status,omitempty"`
}

type metadata struct {
	Name        text          `yaml:"name"`
	Namespace   text          `yaml:"namespace,omitempty"`
	Labels      map[text]text `yaml:"labels,omitempty"`
	Annotations map[text]text `yaml:"annotations,omitempty"`
}

// unixLines replaces the line ends of Windows, so that all check-outs give the same files. YAML
// does so itself, except for escapes: yamlencode escapes the line ends of heredocs and file().
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// text is a string that is read back as it was, except for line ends, however it is made.
type text string

// MarshalYAML returns the string in the most readable style that keeps it.
func (t text) MarshalYAML() (any, error) {
	s := unixLines(strings.ToValidUTF8(string(t), "\ufffd"))
	if style := scalarStyle(s); style != 0 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: s, Style: style}, nil
	}
	return s, nil // the encoder puts it in quotes where it has to
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

// texts returns a mapping as it is to be written.
func texts(m map[string]string) map[text]text {
	all := make(map[text]text, len(m))
	for key, value := range m {
		all[text(key)] = text(value)
	}
	return all
}

// textList returns a list as it is to be written, never nil.
func textList(values []string) []text {
	all := make([]text, len(values))
	for i, value := range values {
		all[i] = text(value)
	}
	return all
}
