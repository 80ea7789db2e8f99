// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// kubernetesText has the schemas that Kubernetes publishes, cut by generate.go:
// scripts/generate-schemas writes it, and tools/flux/go.mod pins the version.
//
//go:embed kubernetes.json
var kubernetesText []byte

// bundle has the schemas of one version of Kubernetes.
type bundle struct {
	Version string
	// Kinds are the names of definitions by apiVersion and kind: "apps/v1/Deployment".
	Kinds       map[string]string
	Definitions map[string]json.RawMessage
}

// The definitions that have a rule which their schemas do not tell.
const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"
)

// notRequired are the fields that the schemas require and the API server does not, by
// definition: TestAccFlux_strict has found them.
var notRequired = map[string]string{
	"io.k8s.api.batch.v1.PodFailurePolicy":       "rules",
	"io.k8s.api.core.v1.HTTPHeader":              "value",
	"io.k8s.api.core.v1.LimitRangeSpec":          "limits",
	"io.k8s.api.core.v1.PreferredSchedulingTerm": "preference",
	"io.k8s.api.core.v1.Sysctl":                  "value",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion": "served",
}

// load reads the bundle, when it is first needed.
func (c *compiler) load() *bundle {
	if c.kubernetes == nil {
		c.kubernetes, c.definitions = &bundle{}, map[string]*Value{}
		if err := json.Unmarshal(kubernetesText, c.kubernetes); err != nil {
			panic(fmt.Sprintf("kubernetes.json: %v", err)) // it is compiled in, and a test reads all of it
		}
	}
	return c.kubernetes
}

// ofKubernetes returns the schema of one of Kubernetes' own kinds; nil where it is none.
func (c *compiler) ofKubernetes(kind string) *Schema {
	name, known := c.load().Kinds[kind]
	if !known {
		return nil
	}
	return asRoot(c.definition(name))
}

// definition returns a definition of Kubernetes. Definitions may hold themselves.
func (c *compiler) definition(name string) *Value {
	text := c.load().Definitions[name]
	if v := c.definitions[name]; v != nil {
		return v
	}
	v := &Value{}
	c.definitions[name] = v
	left, isKubernetes := c.left, c.isKubernetes
	c.left, c.isKubernetes = maxSchemas, true
	defer func() { c.left, c.isKubernetes = left, isKubernetes }()
	var raw map[string]any
	if err := json.Unmarshal(text, &raw); err != nil {
		panic(fmt.Sprintf("kubernetes.json: %s: %v", name, err))
	}
	compiled, err := c.value(raw)
	if err != nil {
		panic(fmt.Sprintf("kubernetes.json: %s: %v", name, err))
	}
	*v = *compiled
	v.required = without(v.required, notRequired[name])
	switch name {
	case objectMeta:
		v.properties["labels"].additional.rule = labelRule
	case quantity:
		v.rule = quantityRule
	}
	return v
}

// KubernetesVersion returns the version of Kubernetes whose kinds are known.
func KubernetesVersion() string { return (&compiler{}).load().Version }
