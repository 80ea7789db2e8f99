// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package crd checks manifests of custom resources that examples write, as those of Flux,
// Argo CD and Kalypso's Observability Hub, against their own schemas, strictly: Flux applies a
// manifest with an unknown field without a word.
package crd

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

//go:embed testdata/schemas.json
var text []byte

// schemas are the compiled schemas, by group, version and kind.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	all, ok := document.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("schemas.json is a %T", document)
	}
	compiler, compiled := jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}
	for kind, schema := range all {
		if err := compiler.AddResource("crd:"+kind, schema); err != nil {
			return nil, err
		}
		if compiled[kind], err = compiler.Compile("crd:" + kind); err != nil {
			return nil, err
		}
	}
	return compiled, nil
})

// Delivers reports whether objects of a group deliver something; an apiVersion begins with it.
func Delivers(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	return strings.HasSuffix(group, ".toolkit.fluxcd.io") || group == "argoproj.io" || group == "fleet.cattle.io"
}

// Known reports whether objects of a group are checked; an apiVersion begins with it. Those
// of Kubernetes' own groups are not, of all others there has to be a schema.
func Known(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// Check reports what is wrong with a manifest, as YAML; an unknown field and an unknown
// kind are. Manifests of Kubernetes' own groups are not checked.
func Check(manifest string) error {
	all, err := schemas()
	if err != nil {
		return err
	}
	var object struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		return err
	}
	if !Known(object.APIVersion) {
		return nil
	}
	schema, ok := all[object.APIVersion+"/"+object.Kind]
	if !ok {
		return fmt.Errorf("there is no schema of %s %s", object.APIVersion, object.Kind)
	}
	instance, err := yaml.YAMLToJSONStrict([]byte(manifest))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}
