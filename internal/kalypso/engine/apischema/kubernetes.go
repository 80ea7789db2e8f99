// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// kubernetesText contains the schemas that Kubernetes publishes. scripts/generate-schemas
// writes it with tools/schemas, and tools/flux/go.mod pins the version.
//
//go:embed kubernetes.json
var kubernetesText []byte

// bundle contains the schemas of one version of Kubernetes.
type bundle struct {
	Version string
	// Kinds are the names of definitions by apiVersion and kind: "apps/v1/Deployment".
	Kinds       map[string]string
	Definitions map[string]json.RawMessage
}

// The definitions with a rule that their schemas do not contain.
const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"
)

// kubernetes is the bundle, which the first call reads.
var kubernetes = sync.OnceValue(func() *bundle {
	var b bundle
	if err := json.Unmarshal(kubernetesText, &b); err != nil {
		panic(fmt.Sprintf("kubernetes.json: %v", err)) // the binary contains it, and a test reads it
	}
	return &b
})

// definition returns a definition of Kubernetes. Definitions may contain themselves.
func (c *compiler) definition(name string) *Value {
	if v := c.definitions[name]; v != nil {
		return v
	}
	v := &Value{}
	if c.definitions == nil {
		c.definitions = map[string]*Value{}
	}
	c.definitions[name] = v
	isKubernetes := c.isKubernetes
	c.isKubernetes = true
	defer func() { c.isKubernetes = isKubernetes }()
	var raw map[string]any
	if err := json.Unmarshal(kubernetes().Definitions[name], &raw); err != nil {
		panic(fmt.Sprintf("kubernetes.json: %s: %v", name, err))
	}
	compiled, err := c.value(raw)
	if err != nil {
		panic(fmt.Sprintf("kubernetes.json: %s: %v", name, err))
	}
	*v = *compiled
	switch name {
	case objectMeta:
		v.properties["labels"].additional.rule = labelRule
	case quantity:
		v.rule = quantityRule
	}
	return v
}

// KubernetesVersion returns the version of Kubernetes whose kinds this package knows.
func KubernetesVersion() string { return kubernetes().Version }
