// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"bytes"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// redact replaces credentials in a file by digests: documents with a Kubernetes Secret, and all other texts that
// look like a credential.
func redact(content []byte) []byte {
	hidden := hideSecrets(content)
	if redacted := credential.Redact(string(hidden)); redacted != string(hidden) {
		return []byte(redacted)
	}
	return hidden
}

// hideSecrets replaces each document of a YAML stream that has values of a Kubernetes Secret by a digest.
func hideSecrets(content []byte) []byte {
	if !bytes.Contains(content, []byte("Secret")) && bytes.IndexByte(content, '\\') < 0 { // escapes may hold the word
		return content
	}
	var shown bytes.Buffer
	for _, part := range splitDocuments(content) {
		if !hasSecret(part) {
			shown.Write(part)
			continue
		}
		if bytes.HasPrefix(part, []byte("---")) {
			shown.WriteString("---\n")
		}
		shown.WriteString(credential.Digest(string(part)) + "\n")
	}
	return shown.Bytes()
}

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

var separator = regexp.MustCompile(`^---(\s|$)`)

// hasSecret reports whether the text between two document markers has values of a Secret.
func hasSecret(part []byte) bool {
	documents, err := yamlnode.Documents(part)
	return err != nil && kindSecret.Match(part) || slices.ContainsFunc(documents, isSecret)
}

// kindSecret matches a text with the manifest of a Secret, or of a list of Secrets, in any notation.
var kindSecret = regexp.MustCompile(`kind(\W|!\S+\s)+Secret(List)?\b`)

// isSecret reports whether a node has values of a Secret, at any depth, or a text with the manifest of a Secret. A
// reference has no values.
func isSecret(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return kindSecret.MatchString(n.Value)
	}
	is, has := false, false
	if n.Kind == yaml.MappingNode {
		for key, value := range yamlnode.Entries(n) {
			is = is || key.Value == "kind" && (value.Value == "Secret" || value.Value == "SecretList")
			has = has || slices.Contains([]string{"data", "stringData", "items"}, key.Value)
		}
	}
	return is && has || slices.ContainsFunc(n.Content, isSecret) // the node of an alias is at its anchor
}
