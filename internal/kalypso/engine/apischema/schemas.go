// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package apischema checks Kubernetes objects as strictly as an API server does on
// request. It reports unknown fields, wrong types, missing fields and values that are not
// allowed. It knows the kinds of Kubernetes itself, of Flux and Argo CD, and of
// CustomResourceDefinitions.
//
// It does not check CEL rules (x-kubernetes-validations), the formats of texts, and the
// keys of lists. It does not check status either, because controllers write it.
package apischema

import (
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Schemas are the schemas of all kinds that are known. They are compiled when they are
// first asked for. Safe for concurrent use.
type Schemas struct {
	definitions map[groupKind][]*manifest.CustomResourceDefinition

	mutex    sync.Mutex
	compiler compiler
	compiled map[kindVersion]*Schema
	doubts   map[Doubt]bool
}

// groupKind is a kind with its group, and kindVersion one version of it.
type (
	groupKind   struct{ group, kind string }
	kindVersion struct{ apiVersion, kind string }
)

// New returns the schemas of the kinds of Kubernetes itself and of
// CustomResourceDefinitions. If both have a schema, that of the CustomResourceDefinition
// comes first.
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
	// by names the CustomResourceDefinition that has it; empty for Kubernetes' own.
	by string
	// refusal says why there are no such objects, in the words of Fault.What. It is empty
	// if there are such objects.
	refusal string
	// removed says which version no longer exists, and what to write; empty for all
	// others.
	removed string
}

// Of returns the schema of a kind. It is nil if none is known, or if it cannot be used. If
// a known group certainly lacks a kind or a version, its schema refuses every object.
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

// compile returns the schema of a kind; nil if none is known.
func (s *Schemas) compile(kv kindVersion) *Schema {
	group, version := cutVersion(kv.apiVersion)
	d := s.definition(groupKind{group, kv.kind})
	if d == nil {
		if _, delivers := deliveryGroups[group]; delivers {
			return s.ofDelivery(group, version, kv.kind)
		}
		if schema := s.compiler.ofKubernetes(kv.apiVersion + "/" + kv.kind); schema != nil {
			return schema
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

// ofVersion returns the schema of a version of a CustomResourceDefinition; nil if it
// cannot be used.
func (s *Schemas) ofVersion(d *manifest.CustomResourceDefinition, v manifest.CustomResourceVersion) *Schema {
	if v.Schema == nil {
		s.withoutSchema(d)
		return nil
	}
	schema, err := s.compiler.ofDefinition(v.Schema)
	if err != nil {
		s.unusable(d)
		return nil
	}
	schema.by = nameOf(d)
	return schema
}

// definition returns the first CustomResourceDefinition of a kind that has versions; nil
// if there is none.
func (s *Schemas) definition(of groupKind) *manifest.CustomResourceDefinition {
	all := s.definitions[of]
	if len(all) == 0 {
		return nil
	}
	first := all[max(0, slices.IndexFunc(all, func(d *manifest.CustomResourceDefinition) bool { return len(d.Versions) > 0 }))]
	for _, other := range all {
		if other != first && !other.Same(first) {
			s.twice(first, other)
			break
		}
	}
	return first
}

// cutVersion returns the group of an apiVersion, which Kubernetes' core lacks, and the version.
func cutVersion(apiVersion string) (group, version string) {
	if group, version, isNamed := strings.Cut(apiVersion, "/"); isNamed {
		return group, version
	}
	return "", apiVersion
}
