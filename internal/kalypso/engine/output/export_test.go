// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// Parse returns the objects in a text as the library reads it, checked by schemas.
func Parse(text string, schemas *apischema.Schemas) ([]Identity, error) {
	c, err := parse([]byte(text), schemas)
	if err != nil {
		return nil, err
	}
	return c.objects, nil
}

// Match returns the objects in a text by those in a reference, checked by schemas. Not ok where the text
// does not match, or the reference is none.
func Match(reference, text string, schemas *apischema.Schemas) (objects []Identity, ok bool) {
	reference, text = strings.TrimPrefix(reference, string(version)), strings.TrimPrefix(text, string(version))
	c, err := parse([]byte(reference), schemas)
	if err != nil || !isCommon([]byte(reference)) {
		return nil, false
	}
	r, ok := newReference([]byte(reference), c)
	if !ok {
		return nil, false
	}
	var m matcher
	if end, _, ok := m.match(r, []byte(text)); !ok || end < len(text) {
		return nil, false
	}
	return r.objects, true
}
