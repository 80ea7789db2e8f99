// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Doubt is about a CustomResourceDefinition that checks nothing, or not what its author
// wants.
type Doubt struct {
	Definition *manifest.CustomResourceDefinition
	// Message says what is probably a mistake, and what to do.
	Message string
}

// takeAnother says what to do about a definition that checks nothing.
const takeAnother = "Use the definition of a cluster (kubectl get crd), or remove this one."

// unusable records a schema that is not structural.
func (s *Schemas) unusable(d *manifest.CustomResourceDefinition) {
	s.doubt(d, "The schema of %s is not a structural schema, so a cluster would refuse it. "+
		"Rendered objects of its kind are not checked. "+takeAnother, nameOf(d))
}

// withoutSchema records a version without a schema, or a definition without versions.
func (s *Schemas) withoutSchema(d *manifest.CustomResourceDefinition) {
	s.doubt(d, "%s has no schema, so rendered objects of its kind are not checked. "+
		"Clusters take apiextensions.k8s.io/v1 with spec.versions[].schema.openAPIV3Schema. "+takeAnother, nameOf(d))
}

// twice records two different definitions of one kind.
func (s *Schemas) twice(first, other *manifest.CustomResourceDefinition) {
	s.doubt(first, "%s also exists in %s, with other content. The first one checks rendered objects of its kind. "+
		"Remove the one that the clusters do not have.", nameOf(first), other.Source)
}

func (s *Schemas) doubt(d *manifest.CustomResourceDefinition, format string, args ...any) {
	s.doubts[Doubt{d, fmt.Sprintf(format, args...)}] = true
}

// nameOf names a CustomResourceDefinition for a message, with its file and line.
func nameOf(d *manifest.CustomResourceDefinition) string {
	return fmt.Sprintf("CustomResourceDefinition %s (%s)", d.Name, d.Source)
}

// Doubts returns the probable mistakes in the CustomResourceDefinitions whose schemas were
// needed, in any order.
func (s *Schemas) Doubts() []Doubt {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Collect(maps.Keys(s.doubts))
}
