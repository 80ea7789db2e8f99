// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Object is an object of any kind: a pointer to a ClusterType, a Workload, …
type Object interface{ Metadata() Meta }

// Of returns the objects of one kind, in their order: Of[*Workload](objects).
func Of[O Object](objects []Object) []O {
	var of []O
	for _, object := range objects {
		if o, ok := object.(O); ok {
			of = append(of, o)
		}
	}
	return of
}

// Meta is the metadata that every object has.
type Meta struct {
	Kind      Kind              `json:"-"`
	Name      string            `json:"name" is:"name"`
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty" keys:"label key" values:"label value"`
	Source    Origin            `json:"-"`
}

// ID returns kind/name, as messages name an object, or kind/namespace/name for a kind that may have
// objects of one name in several namespaces. Two objects of a fleet never have the same ID.
func (m Meta) ID() string {
	if m.Kind.isNamespaced() && m.Namespace != "" {
		return string(m.Kind) + "/" + m.Namespace + "/" + m.Name
	}
	return string(m.Kind) + "/" + m.Name
}

// Problem returns one about the object, at its place in the input.
func (m Meta) Problem(summary, format string, args ...any) problem.Problem {
	return problem.Problem{Summary: summary, Subject: m.ID(), Where: m.Source.String(), Detail: fmt.Sprintf(format, args...)}
}

// Metadata returns the metadata that every object has.
func (m Meta) Metadata() Meta { return m }

// Origin is the place in the input that an object comes from.
type Origin struct {
	// Name is the input's: "manifests[3]", or a file's path.
	Name string
	// File is the file that the first line of the input names; empty if it names none. See Excerpt.
	File string
	// Line is the document's first line in that file, else in the input, counted from 1.
	Line int
}

// String returns the place for a message: "manifests[3], line 12". If the input names a file, the
// file comes first: "fleet/workloads.yaml:12, manifests[3]". The input always follows, because
// anybody can write such a first line.
func (s Origin) String() string {
	switch {
	case s.File != "" && s.Line == 0:
		return fmt.Sprintf("%s, %s", s.File, s.Name)
	case s.File != "":
		return fmt.Sprintf("%s:%d, %s", s.File, s.Line, s.Name)
	case s.Line == 0:
		return s.Name
	}
	return fmt.Sprintf("%s, line %d", s.Name, s.Line)
}
