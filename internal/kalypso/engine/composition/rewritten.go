// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Rewritten says in a message how the text of a value changes on the way to a cluster, because a
// structure is written anew as YAML. It returns "" if the text stays, or if only its layout changes.
func Rewritten(key, text string) string {
	value := decode(text)
	if _, isText := value.(string); isText {
		return ""
	}
	switch extension := strings.ToLower(path.Ext(key)); {
	case extension != "" && !slices.Contains([]string{".yaml", ".yml"}, extension):
		return "it becomes YAML, which is not the format of a file " + extension
	case extension != "" && hasComments(text):
		return "it loses its comments"
	}
	var was, is any
	written, err := yaml.Marshal(value)
	if err == nil && yaml.Unmarshal([]byte(text), &was) == nil && yaml.Unmarshal(written, &is) == nil && !reflect.DeepEqual(was, is) {
		return "YAML 1.1 reads a word such as on, yes or 0644 in it as another value"
	}
	return ""
}

// hasComments reports whether a YAML text has comments.
func hasComments(text string) bool {
	var document yaml.Node
	if !strings.Contains(text, "#") || yaml.Unmarshal([]byte(text), &document) != nil {
		return false
	}
	return isCommented(&document)
}

func isCommented(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, isCommented)
}
