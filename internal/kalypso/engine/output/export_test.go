// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import "strings"

// Parse returns the objects in a text as the library reads it.
func Parse(text string) ([]Object, error) {
	_, objects, err := parse([]byte(text))
	return objects, err
}

// Match returns the objects in a text by those in a reference. Not ok where the text
// does not match, or the reference is none.
func Match(reference, text string) (objects []Object, ok bool) {
	reference, text = strings.TrimPrefix(reference, string(version)), strings.TrimPrefix(text, string(version))
	documents, known, err := parse([]byte(reference))
	if err != nil || !isCommon([]byte(reference)) {
		return nil, false
	}
	r, ok := newReference([]byte(reference), documents, known)
	if !ok {
		return nil, false
	}
	var m matcher
	if end, _, ok := m.match(r, []byte(text)); !ok || end < len(text) {
		return nil, false
	}
	return r.objects, true
}
