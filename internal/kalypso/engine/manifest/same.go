// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Same reports whether two lists of manifests have the same objects: without regard to comments,
// to the order of documents and of keys, and to which text has an object. Texts that are not YAML
// are the same only if they are equal.
func Same(a, b []Text) bool {
	if slices.EqualFunc(a, b, func(a, b Text) bool { return a.Text == b.Text }) {
		return true
	}
	left, ok := canonical(a)
	right, also := canonical(b)
	return ok && also && slices.Equal(left, right)
}

// canonical returns a text for each object, sorted. It returns false if a text is not YAML.
func canonical(texts []Text) (all []string, ok bool) {
	for _, text := range texts {
		_, isNote, _ := text.note()
		decoder := yaml.NewDecoder(strings.NewReader(text.Text))
		for {
			var object any
			if err := decoder.Decode(&object); err != nil {
				if errors.Is(err, io.EOF) {
					break
				}
				return nil, false
			}
			if object == nil {
				continue
			}
			written, err := json.Marshal([]any{isNote, object})
			if err != nil {
				return nil, false
			}
			all = append(all, string(written))
		}
	}
	slices.Sort(all)
	return all, true
}
