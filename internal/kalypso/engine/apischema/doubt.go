// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Doubt is about a CustomResourceDefinition that checks nothing, or other things than are meant.
type Doubt struct {
	Definition *manifest.CustomResourceDefinition
	Reason     Reason
	// Other is the definition that differs; nil but for Twice.
	Other *manifest.CustomResourceDefinition
}

// Reason says what is wrong with a CustomResourceDefinition.
type Reason int

// The reasons.
const (
	// Unusable is a schema that is not a structural one.
	Unusable Reason = iota
	// NoSchema is a version without a schema, or a definition without versions.
	NoSchema
	// Twice are two definitions of one kind that differ.
	Twice
)

// NameOf names a CustomResourceDefinition for a message, and where it stands.
func NameOf(d *manifest.CustomResourceDefinition) string {
	return fmt.Sprintf("CustomResourceDefinition %s (%s)", d.Name, d.Source)
}

// Doubts returns what is doubtful about CustomResourceDefinitions whose schemas were asked
// for, in any order.
func (s *Schemas) Doubts() []Doubt {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Collect(maps.Keys(s.doubts))
}
