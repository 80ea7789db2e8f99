// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// redact replaces credentials in a file by digests: the values of Kubernetes Secrets, and
// all other texts that look like a credential.
func redact(content []byte) []byte {
	hidden := redactSecrets(content)
	if redacted := credential.Redact(string(hidden)); redacted != string(hidden) {
		return []byte(redacted)
	}
	return hidden
}

// redactSecrets replaces the values of Kubernetes Secrets in a YAML stream by digests. It
// writes documents with Secrets anew, without comments, and leaves everything else
// unchanged. It replaces the whole text if the text may contain a Secret and is not valid
// YAML.
func redactSecrets(content []byte) []byte {
	if !bytes.Contains(content, []byte("Secret")) && bytes.IndexByte(content, '\\') < 0 { // escapes may hold the word
		return content
	}
	var result bytes.Buffer
	for _, part := range splitDocuments(content) {
		shown, err := redactPart(part)
		if err != nil && kindSecret.Match(content) {
			return fmt.Appendf(nil, "%s: not valid YAML, and may contain a Secret\n", credential.Digest(string(content)))
		}
		if err != nil {
			return content
		}
		result.Write(shown)
	}
	return result.Bytes()
}

// kindSecret matches a text that may contain the manifest of a Secret, or a list of Secrets,
// in any notation.
var kindSecret = regexp.MustCompile(`(?s)kind.*Secret|Secret.*kind`)

// splitDocuments cuts a stream before its document markers. A marker is at the start of a
// line, where values cannot contain a marker.
func splitDocuments(content []byte) [][]byte {
	var parts [][]byte
	start, position := 0, 0
	for line := range bytes.Lines(content) {
		if position > start && separator.Match(line) {
			parts = append(parts, content[start:position])
			start = position
		}
		position += len(line)
	}
	return append(parts, content[start:])
}

// separator is the line of a document marker.
var separator = regexp.MustCompile(`^---(\s|$)`)

// redactPart redacts the text between two document markers.
func redactPart(part []byte) ([]byte, error) {
	documents, err := yamlnode.Documents(part)
	if err != nil {
		return nil, err
	}
	r := redaction{done: map[*yaml.Node]bool{}}
	for _, d := range documents {
		r.walk(d)
	}
	if len(r.done) == 0 {
		return part, nil
	}
	var b bytes.Buffer
	for _, d := range documents {
		withoutComments(d)
		b.WriteString("---\n")
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(2)
		if err := errors.Join(encoder.Encode(d), encoder.Close()); err != nil {
			return nil, err
		}
	}
	if !bytes.HasPrefix(part, []byte("---")) {
		return bytes.TrimPrefix(b.Bytes(), []byte("---\n")), nil
	}
	return b.Bytes(), nil
}

// redaction replaces values in the nodes of a document.
type redaction struct {
	// done are the replaced nodes, because a document may refer to a node often.
	done map[*yaml.Node]bool
}

// walk redacts the Secrets in a node, at any depth, and texts that contain the manifest of a
// Secret.
func (r redaction) walk(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		kind := kindOf(n)
		for key, value := range yamlnode.Entries(n) {
			switch {
			case kind == "Secret":
				r.secret(key, value)
			case kind == "SecretList" && key.Value == "items": // its items may leave out their kind
				for _, item := range value.Content {
					for key, value := range yamlnode.Entries(item) {
						r.secret(key, value)
					}
				}
			}
			if key.Value == lastApplied {
				r.replace(value)
			}
		}
	}
	if n.Kind == yaml.ScalarNode && kindSecret.MatchString(n.Value) {
		r.replace(n)
	}
	for _, child := range n.Content { // walk reads the node of an alias at its anchor
		r.walk(child)
	}
}

// lastApplied is the annotation in which kubectl keeps the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// kindOf returns the kind of an object. If the object has several kinds, Secret wins.
func kindOf(mapping *yaml.Node) string {
	kind := ""
	for key, value := range yamlnode.Entries(mapping) {
		if key.Value == "kind" && value.Kind == yaml.ScalarNode && kind != "Secret" {
			kind = value.Value
		}
	}
	return kind
}

// secret redacts a field of a Secret if it contains values.
func (r redaction) secret(key, value *yaml.Node) {
	if key.Value == "data" || key.Value == "stringData" {
		r.values(value)
	}
}

// values redacts each value of a mapping, or else the whole node.
func (r redaction) values(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.replace(n)
		return
	}
	for _, value := range yamlnode.Entries(n) {
		r.replace(value)
	}
}

// replace replaces the node by a digest. No part of the node stays visible.
func (r redaction) replace(n *yaml.Node) {
	if r.done[n] || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	text := n.Value
	if n.Kind != yaml.ScalarNode {
		encoded, err := yaml.Marshal(n)
		if err != nil {
			encoded = nil // a change of the value does not show then
		}
		text = string(encoded)
	}
	r.done[n] = true
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: credential.Digest(text), Anchor: n.Anchor}
}

func withoutComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		withoutComments(child)
	}
}
