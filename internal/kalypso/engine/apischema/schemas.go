// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package apischema checks Kubernetes objects as strictly as an API server does that is
// asked to: unknown fields, types, what is missing, and what values may be. It knows
// Kubernetes' own kinds, and those of CustomResourceDefinitions.
//
// What a schema says in CEL (x-kubernetes-validations), the formats of texts, and what
// lists have as keys is not checked, nor is status, which controllers write.
package apischema

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Schemas are the schemas of all kinds that are known. They are compiled when they are
// first asked for. Safe for concurrent use.
type Schemas struct {
	definitions map[groupKind]*manifest.CustomResourceDefinition

	mutex    sync.Mutex
	compiler compiler
	compiled map[kindVersion]*Schema
	// unusable are the CustomResourceDefinitions that could not be compiled.
	unusable map[string]bool
}

// groupKind is a kind with its group, and kindVersion one version of it.
type (
	groupKind   struct{ group, kind string }
	kindVersion struct{ apiVersion, kind string }
)

// New returns the schemas of Kubernetes' own kinds and of CustomResourceDefinitions,
// which come first where both have one.
func New(definitions []*manifest.CustomResourceDefinition) *Schemas {
	s := &Schemas{definitions: map[groupKind]*manifest.CustomResourceDefinition{}, compiled: map[kindVersion]*Schema{}, unusable: map[string]bool{}}
	for _, d := range definitions {
		if k := (groupKind{d.Group, d.Of}); s.definitions[k] == nil {
			s.definitions[k] = d
		}
	}
	return s
}

// Schema is the schema of the objects of one kind and version.
type Schema struct{ root *Value }

// Of returns the schema of a kind; nil where none is known, or where it cannot be used.
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

// Unusable returns the names of CustomResourceDefinitions whose schemas were asked for and
// cannot be used: they are too large, or no structural schemas.
func (s *Schemas) Unusable() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Sorted(maps.Keys(s.unusable))
}

// compile returns the schema of a kind; nil where none is known.
func (s *Schemas) compile(kv kindVersion) *Schema {
	group, version, isNamed := strings.Cut(kv.apiVersion, "/")
	if !isNamed {
		group, version = "", kv.apiVersion
	}
	d := s.definitions[groupKind{group, kv.kind}]
	if d == nil {
		return s.compiler.ofKubernetes(kv.apiVersion + "/" + kv.kind)
	}
	for _, v := range d.Versions {
		if v.Name != version {
			continue
		}
		schema, err := s.compiler.ofDefinition(v.Schema)
		if err != nil {
			s.unusable[d.Name] = true
		}
		return schema
	}
	return nil
}
