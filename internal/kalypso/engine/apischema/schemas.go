// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package apischema checks Kubernetes objects as strictly as an API server does on request.
// It reports unknown fields, wrong types, missing fields, values that are not allowed, and names
// that clusters refuse. It knows the kinds of Kubernetes itself, of Flux and of Argo CD.
//
// It does not check CEL rules (x-kubernetes-validations), most formats of texts, the keys of
// lists, and the status, which controllers write.
//
//	reading  an object as a tool reads its YAML: kubectl, or Flux
//	breach   a rule of a schema that a value breaks
//	refusal  why no cluster has a kind or a version
//	fault    any of these in words, without values
package apischema

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// The strict schemas of Kubernetes, and of the kinds of Flux and Argo CD that templates write.
// tools/schemas writes them. tools/flux/go.mod has the version of Kubernetes, and the README.md
// of internal/testkit/crd/testdata has the versions of Flux and Argo CD.
var (
	//go:embed kubernetes.json
	kubernetesText []byte
	//go:embed delivery.json
	deliveryText []byte
)

// bundle contains strict schemas, as JSON Schemas of draft 4.
type bundle struct {
	// Version is the version of Kubernetes.
	Version string
	// Kinds are the names of definitions by apiVersion and kind: "apps/v1/Deployment".
	Kinds       map[string]string
	Definitions map[string]any
}

// builtin has all schemas. The first call reads them.
var builtin = sync.OnceValue(func() *bundle {
	var all, delivery bundle
	if err := errors.Join(json.Unmarshal(kubernetesText, &all), json.Unmarshal(deliveryText, &delivery)); err != nil {
		panic(fmt.Sprintf("the schemas of Kubernetes: %v", err)) // the binary contains them, and a test reads them
	}
	maps.Copy(all.Kinds, delivery.Kinds)
	maps.Copy(all.Definitions, delivery.Definitions)
	return &all
})

// KubernetesVersion returns the version of Kubernetes whose kinds this package knows.
func KubernetesVersion() string { return builtin().Version }

// address begins the address of each definition, which its name ends. It does not exist.
const address = "kubernetes:///"

// compiler compiles the schemas: only the definitions that are asked for, because all of them take long.
var compiler = sync.OnceValue(func() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	for name, f := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(value any) error {
			if text, isText := value.(string); isText && !f.holds(text) {
				return errors.New(f.expected)
			}
			return nil
		}})
	}
	for name, definition := range builtin().Definitions {
		if err := c.AddResource(address+name, definition); err != nil {
			panic(fmt.Sprintf("the schema of %s: %v", name, err)) // no name comes twice
		}
	}
	return c
})

// compiling is held while the compiler works. It keeps what it has compiled.
var compiling sync.Mutex

func compiled(url string) *jsonschema.Schema {
	compiling.Lock()
	defer compiling.Unlock()
	return compiler().MustCompile(url) // a test compiles all
}

// schemaOf returns the schema of an apiVersion and kind; nil if the schema is unknown.
func schemaOf(kind string) *jsonschema.Schema {
	name, known := builtin().Kinds[kind]
	if !known {
		return nil
	}
	return compiled(address + name)
}

// Check returns the faults of an object, and nil if it has no faults or if nothing is known about
// its kind. The library could decode the document of the object. Check skips the values that SOPS
// has encrypted, because the cluster gets other values.
func Check(n *yaml.Node) []Fault {
	if sops := yamlnode.At(n, "sops"); sops != nil && !yamlnode.IsNull(sops) {
		return nil
	}
	apiVersion, kind := yamlnode.Text(n, "apiVersion"), yamlnode.Text(n, "kind")
	if refused := refusal(apiVersion, kind); refused.What != "" {
		return []Fault{refused}
	}
	schema := schemaOf(apiVersion + "/" + kind)
	var found []Fault
	for _, object := range readings(n) {
		for _, f := range slices.Concat(faults(schema, object), nameFaults(object), selectorFaults(object)) {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found[:min(len(found), maxFaults)]
}

// format is a rule for texts that Kubernetes checks when it decodes an object. The published
// schemas describe the rule only in prose.
type format struct {
	expected string
	holds    func(value string) bool
}

var formats = map[string]format{
	"quantity": {"a quantity (as 500m or 1.5Gi)", func(value string) bool {
		_, err := resource.ParseQuantity(value)
		return err == nil
	}},
	"base64": {"text in base64", func(value string) bool {
		_, err := base64.StdEncoding.DecodeString(value)
		return err == nil
	}},
	"port": {"the name of a port (at most 15 letters in lower case, digits and -)", func(value string) bool {
		return value == "" || len(validation.IsValidPortName(value)) == 0
	}},
	labelFormat: {"a label's value (letters, digits, -, _ and . between letters or digits)", func(value string) bool {
		return len(validation.IsValidLabelValue(value)) == 0
	}},
}

const labelFormat = "label"

// isKubernetes reports whether an apiVersion is one of Kubernetes itself.
func isKubernetes(apiVersion string) bool {
	group, _ := cutVersion(apiVersion)
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

// cutVersion returns the group of an apiVersion, empty for Kubernetes' core, and the
// version.
func cutVersion(apiVersion string) (group, version string) {
	if group, version, isNamed := strings.Cut(apiVersion, "/"); isNamed {
		return group, version
	}
	return "", apiVersion
}
