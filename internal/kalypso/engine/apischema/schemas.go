// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package apischema checks Kubernetes objects as strictly as an API server does on request.
// It reports unknown fields, wrong types, missing fields and values that are not allowed. It
// knows the kinds of Kubernetes itself, of Flux and Argo CD, and of
// CustomResourceDefinitions.
//
// It does not check CEL rules (x-kubernetes-validations), the formats of texts, the keys of
// lists, and the status, which controllers write.
package apischema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Schemas are the schemas of all known kinds. A schema is compiled when it is first needed.
// Safe for concurrent use.
type Schemas struct {
	definitions map[groupKind][]*manifest.CustomResourceDefinition

	mutex    sync.Mutex
	compiler compiler
	compiled map[kindVersion]*Schema
	doubts   map[Doubt]bool
}

// groupKind is a kind with its group. kindVersion is one version of a kind.
type (
	groupKind   struct{ group, kind string }
	kindVersion struct{ apiVersion, kind string }
)

// New returns the schemas of the kinds of Kubernetes itself and of
// CustomResourceDefinitions. If both have a schema, the CustomResourceDefinition counts.
func New(definitions []*manifest.CustomResourceDefinition) *Schemas {
	s := &Schemas{definitions: map[groupKind][]*manifest.CustomResourceDefinition{}, compiled: map[kindVersion]*Schema{},
		doubts: map[Doubt]bool{}}
	for _, d := range definitions {
		k := groupKind{d.Group, d.Of}
		s.definitions[k] = append(s.definitions[k], d)
	}
	return s
}

// Schema is the schema of the objects of one kind and version.
type Schema struct {
	root *Value
	// by names the CustomResourceDefinition with the schema; empty for Kubernetes' own
	// schemas.
	by string
	// refusal says why no such object can exist, in the words of Fault.What; empty if such
	// objects can exist.
	refusal string
	// removed names a version that no longer exists, and the version to write; empty for all
	// other versions.
	removed string
}

// Of returns the schema of a kind. It returns nil if the schema is unknown or not usable. If
// a known group certainly lacks a kind or a version, the schema refuses every object.
func (s *Schemas) Of(apiVersion, kind string) *Schema {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	kv := kindVersion{apiVersion, kind}
	schema, known := s.compiled[kv]
	if !known {
		schema = s.compile(kv)
		s.compiled[kv] = schema
	}
	return schema
}

// compile returns the schema of a kind; nil if the schema is unknown.
func (s *Schemas) compile(kv kindVersion) *Schema {
	group, version := cutVersion(kv.apiVersion)
	d := s.definition(groupKind{group, kv.kind})
	if d == nil {
		if _, delivers := deliveryGroups[group]; delivers {
			return s.ofDelivery(group, version, kv.kind)
		}
		if name, known := kubernetes().Kinds[kv.apiVersion+"/"+kv.kind]; known {
			return asRoot(s.compiler.definition(name))
		}
		return refusing(kubernetesRefusal(kv.apiVersion, kv.kind), "")
	}
	if len(d.Versions) == 0 {
		s.withoutSchema(d)
		return nil
	}
	for _, v := range d.Versions {
		if v.Name == version && v.IsServed {
			return s.ofVersion(d, v)
		}
	}
	return refusing(definitionRefusal(d, kv.apiVersion, version), nameOf(d))
}

// ofVersion returns the schema of a version of a CustomResourceDefinition; nil if the schema
// is not usable.
func (s *Schemas) ofVersion(d *manifest.CustomResourceDefinition, v manifest.CustomResourceVersion) *Schema {
	if v.Schema == nil {
		s.withoutSchema(d)
		return nil
	}
	schema, err := s.compiler.ofDefinition(v.Schema)
	if err != nil {
		s.doubt(d, "The schema of %s is not a structural schema, so a cluster would refuse it. "+
			"Rendered objects of its kind are not checked. "+takeAnother, nameOf(d))
		return nil
	}
	schema.by = nameOf(d)
	return schema
}

// definition returns the first CustomResourceDefinition of a kind that has versions; nil if
// no definition has versions.
func (s *Schemas) definition(of groupKind) *manifest.CustomResourceDefinition {
	all := s.definitions[of]
	if len(all) == 0 {
		return nil
	}
	first := all[max(0, slices.IndexFunc(all, func(d *manifest.CustomResourceDefinition) bool { return len(d.Versions) > 0 }))]
	for _, other := range all {
		if other != first && manifest.Encode(other) != manifest.Encode(first) {
			s.doubt(first, "%s also exists in %s, with other content. The first one checks rendered objects of its kind. "+
				"Remove the one that the clusters do not have.", nameOf(first), other.Source)
			break
		}
	}
	return first
}

// cutVersion returns the group of an apiVersion, empty for Kubernetes' core, and the
// version.
func cutVersion(apiVersion string) (group, version string) {
	if group, version, isNamed := strings.Cut(apiVersion, "/"); isNamed {
		return group, version
	}
	return "", apiVersion
}

// Doubt is about a CustomResourceDefinition that checks nothing, or not what its author
// wants.
type Doubt struct {
	Definition *manifest.CustomResourceDefinition
	// Message says what is probably a mistake, and what to do.
	Message string
}

// takeAnother says what to do about a definition that checks nothing.
const takeAnother = "Use the definition of a cluster (kubectl get crd), or remove this one."

// withoutSchema records a version without a schema, or a definition without versions.
func (s *Schemas) withoutSchema(d *manifest.CustomResourceDefinition) {
	s.doubt(d, "%s has no schema, so rendered objects of its kind are not checked. "+
		"Clusters take apiextensions.k8s.io/v1 with spec.versions[].schema.openAPIV3Schema. "+takeAnother, nameOf(d))
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
