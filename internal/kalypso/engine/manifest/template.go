// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// TemplateType says which of an assignment's files a Template renders.
type TemplateType string

// ContentTypeShell makes a template's file end in .sh; every other content type makes it .yaml.
const ContentTypeShell = "sh"

// Template holds texts of Go's text/template, one per manifest.
type Template struct {
	Meta        `json:"-"`
	Type        TemplateType `json:"type" needs:"one of " words:"reconciler,namespace,config"`
	ContentType string       `json:"contentType,omitempty"`
	Manifests   []string     `json:"manifests" needs:"a list of template sources" is:"template"`
	// Starts are the positions of the first lines of the manifests in the input. A position has
	// no line if the lines of the manifest are not those of the input.
	Starts []Origin `json:"-"`
}

// At returns the position of a line of a manifest in the input. Manifests count from 0,
// lines from 1, and line 0 is the manifest as a whole. If the position is unknown, At returns
// the position of the template.
func (t *Template) At(manifest, line int) Origin {
	if manifest >= len(t.Starts) || t.Starts[manifest].Line == 0 {
		return t.Source
	}
	at := t.Starts[manifest]
	at.Line += max(line, 1) - 1
	return at
}

// check notes where the manifests begin.
func (t *Template) check(m *mapping) {
	if n := m.at("manifests"); n.Kind == yaml.SequenceNode {
		for _, manifest := range n.Content {
			t.Starts = append(t.Starts, m.doc.firstLine(yamlnode.Resolve(manifest)))
		}
	}
}

// firstLine returns the position of the first line of a text. The line is 0 if the lines of the text
// are not lines of the input.
func (d *document) firstLine(n *yaml.Node) Origin {
	at := d.at(n)
	switch {
	case d.input.line > 0:
		at.Line = 0
	case n.Style&yaml.LiteralStyle != 0:
		at.Line++ // behind the line of the bar
	case n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "\n"):
		at.Line = 0
	}
	return at
}

// templateText returns a template's text: a string, or an object, which is written as YAML.
func (d *document) templateText(n *yaml.Node, path string) string {
	if n.Kind != yaml.MappingNode {
		return d.text(n, path)
	}
	text, err := yaml.Marshal(d.block(n, path))
	if err != nil {
		d.report(n, "Wrong type", "%s cannot be written as YAML: %s. Write it as a string.", path, err)
	}
	return string(text)
}

// block returns a copy of a node as it is written out by itself: in block style,
// without comments, anchors and aliases.
func (d *document) block(n *yaml.Node, path string) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.FlowStyle}
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range d.entries(n, path) {
			key := e.at
			if isBooleanWord(key) {
				key = plain(e.key)
			}
			c.Content = append(c.Content, d.block(key, path), d.block(e.value, field(path, e.key)))
		}
	case yaml.SequenceNode:
		for _, child := range n.Content {
			c.Content = append(c.Content, d.block(yamlnode.Resolve(child), path))
		}
	default:
		if style := scalarStyle(n.Value); n.Tag == stringTag && style != 0 {
			c.Style = style
		} else if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			c.Style = yaml.DoubleQuotedStyle
		}
	}
	return c
}
