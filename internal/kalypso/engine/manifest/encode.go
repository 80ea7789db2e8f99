// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Encode returns an object as one YAML document, always the same bytes for the same
// object; Decode gives the object back. Encode writes long texts as block scalars. Bytes
// that are not UTF-8 become U+FFFD, because YAML cannot contain them.
func Encode(o Object) string {
	m := o.Metadata()
	k, _ := lookup(m.Kind)
	e := envelope{APIVersion: k.apiVersion, Kind: m.Kind, Metadata: metadata{Name: text(m.Name), Namespace: text(m.Namespace),
		Labels: texts(m.Labels)}}
	o.encode(&e)
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Strings, lists and mappings of valid UTF-8, into memory: nothing here can fail.
	_ = encoder.Encode(e)
	_ = encoder.Close()
	return b.String()
}

// envelope is the shape of a document. Its fields, like those of every spec, are
// in the order that a reader expects.
type envelope struct {
	APIVersion string        `yaml:"apiVersion"`
	Kind       Kind          `yaml:"kind"`
	Metadata   metadata      `yaml:"metadata"`
	Spec       any           `yaml:"spec,omitempty"`
	Data       map[text]text `yaml:"data,omitempty"`
	Status     any           `yaml:"status,omitempty"`
}

type metadata struct {
	Name        text          `yaml:"name"`
	Namespace   text          `yaml:"namespace,omitempty"`
	Labels      map[text]text `yaml:"labels,omitempty"`
	Annotations map[text]text `yaml:"annotations,omitempty"`
}
