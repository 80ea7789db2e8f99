// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command schemas makes the strict JSON Schemas of the engine.
//
//   - go run ./schemas kubernetes VERSION FOLDER >kubernetes.json reads the OpenAPI v3 schemas of
//     Kubernetes. FOLDER is api/openapi-spec/v3 of the module k8s.io/kubernetes.
//     scripts/generate-schemas runs this for the pinned version.
//   - go run ./schemas crds FILE... | gzip -9n >delivery.json.gz reads CustomResourceDefinitions.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const refPrefix = "#/components/schemas/"

func main() {
	switch os.Args[1] {
	case "kubernetes":
		ofKubernetes(os.Args[2], os.Args[3])
	case "crds":
		ofCRDs(os.Args[2:])
	}
}

// The definitions with a rule that their schemas do not contain.
const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"

	containerPort = "io.k8s.api.core.v1.ContainerPort"
)

func ofKubernetes(version, folder string) {
	published, definitions, kinds := map[string]map[string]any{}, map[string]any{}, map[string]string{}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		log.Fatal("no files: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var document struct {
			Paths      map[string]map[string]any
			Components struct{ Schemas map[string]map[string]any }
		}
		if err := json.Unmarshal(text, &document); err != nil {
			log.Fatal(file, err)
		}
		created := createdBy(document.Paths)
		for name, schema := range document.Components.Schemas {
			published[name], definitions[name] = schema, cut(schema)
			for _, gvk := range list(schema["x-kubernetes-group-version-kind"]) {
				gvk := gvk.(map[string]any)
				if len(list(schema["x-kubernetes-group-version-kind"])) == 1 && created[name] {
					kinds[strings.TrimPrefix(gvk["group"].(string)+"/"+gvk["version"].(string)+"/"+gvk["kind"].(string), "/")] = name
				}
			}
		}
	}
	for name, schema := range definitions {
		require(schema.(map[string]any), demanded(published, name))
	}
	definitions = used(definitions, kinds)
	for name, schema := range definitions {
		definitions[name] = strict(schema)
	}
	for _, name := range kinds {
		openStatus(definitions[name].(map[string]any))
	}
	definitions[quantity].(map[string]any)["format"] = "quantity"
	labels := definitions[objectMeta].(map[string]any)["properties"].(map[string]any)["labels"].(map[string]any)
	labels["additionalProperties"].(map[string]any)["format"] = "label"
	definitions[containerPort].(map[string]any)["properties"].(map[string]any)["name"].(map[string]any)["format"] = "port"
	write(version, kinds, definitions)
}

// ofCRDs writes the served versions of CustomResourceDefinitions.
func ofCRDs(files []string) {
	definitions, kinds := map[string]any{}, map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		for _, document := range bytes.Split(text, []byte("\n---\n")) {
			var crd struct {
				Spec struct {
					Group    string
					Names    struct{ Kind string }
					Versions []struct {
						Name   string
						Served *bool
						Schema struct {
							OpenAPIV3Schema any `yaml:"openAPIV3Schema"`
						}
					}
				}
			}
			if err := yaml.Unmarshal(document, &crd); err != nil {
				log.Fatal(file, err)
			}
			for _, v := range crd.Spec.Versions {
				if v.Served == nil || *v.Served {
					name := crd.Spec.Group + "/" + v.Name + "/" + crd.Spec.Names.Kind
					schema := strict(v.Schema.OpenAPIV3Schema)
					embed(schema)
					openStatus(schema)
					kinds[name], definitions[strings.ReplaceAll(name, "/", ".")] = strings.ReplaceAll(name, "/", "."), schema
				}
			}
		}
	}
	write("", kinds, definitions)
}

// notRequired has, by definition, the texts and lists that the schemas require and the API
// server does not. TestAccFlux_strict has found them.
var notRequired = map[string]string{
	"io.k8s.api.batch.v1.PodFailurePolicy": "rules",
	"io.k8s.api.core.v1.HTTPHeader":        "value",
	"io.k8s.api.core.v1.LimitRangeSpec":    "limits",
	"io.k8s.api.core.v1.Sysctl":            "value",
	"io.k8s.api.storage.v1.CSINodeSpec":    "drivers",
	"io.k8s.api.storage.v1.TokenRequest":   "audience",
}

// notEmpty has, by definition, the numbers that the API server refuses if they are 0, and
// the structures that it refuses if they are empty. TestAccFlux_strict has found them.
var notEmpty = map[string]string{
	"io.k8s.api.admissionregistration.v1.ValidatingWebhook":             "clientConfig",
	"io.k8s.api.apps.v1.DaemonSetSpec":                                  "template",
	"io.k8s.api.apps.v1.DeploymentSpec":                                 "template",
	"io.k8s.api.apps.v1.StatefulSetSpec":                                "template",
	"io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec":             "maxReplicas",
	"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec":             "maxReplicas",
	"io.k8s.api.batch.v1.CronJobSpec":                                   "jobTemplate",
	"io.k8s.api.batch.v1.JobSpec":                                       "template",
	"io.k8s.api.core.v1.ContainerPort":                                  "containerPort",
	"io.k8s.api.core.v1.GRPCAction":                                     "port",
	"io.k8s.api.core.v1.PreferredSchedulingTerm":                        "weight",
	"io.k8s.api.core.v1.ServicePort":                                    "port",
	"io.k8s.api.core.v1.TopologySpreadConstraint":                       "maxSkew",
	"io.k8s.api.core.v1.WeightedPodAffinityTerm":                        "weight",
	"io.k8s.api.networking.v1.HTTPIngressPath":                          "backend",
	"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec": "groupPriorityMinimum",
}

// demanded returns which of a definition's required fields the API server demands. A field
// with a default is not a pointer in Go, so a missing field is the same as an empty field.
// The API server accepts most empty numbers and booleans, and an empty structure if the
// structure has no demanded field.
func demanded(published map[string]map[string]any, name string) []any {
	var all []any
	for _, field := range list(published[name]["required"]) {
		field := field.(string)
		property := published[name]["properties"].(map[string]any)[field].(map[string]any)
		willDo := notRequired[name] == field
		switch property["default"].(type) {
		case float64, bool:
			willDo = true
		case map[string]any:
			willDo = len(demanded(published, cut(property)["$ref"].(string))) == 0
		}
		if !willDo || notEmpty[name] == field {
			all = append(all, field)
		}
	}
	return all
}

// require makes a schema require these fields, and no others.
func require(schema map[string]any, fields []any) {
	delete(schema, "required")
	if len(fields) > 0 {
		schema["required"] = fields
	}
}

// createdBy returns the definitions of objects that can be created.
func createdBy(paths map[string]map[string]any) map[string]bool {
	created := map[string]bool{}
	for _, operations := range paths {
		post, _ := operations["post"].(map[string]any)
		body, _ := post["requestBody"].(map[string]any)
		content, _ := body["content"].(map[string]any)
		for _, media := range content {
			schema := media.(map[string]any)["schema"].(map[string]any)
			if ref, ok := schema["$ref"].(string); ok {
				created[strings.TrimPrefix(ref, refPrefix)] = true
			}
		}
	}
	return created
}

// cut returns a schema without descriptions, and without the rules for merging objects. A
// schema without fields accepts all fields, as in Kubernetes.
func cut(schema map[string]any) map[string]any {
	short := map[string]any{}
	for key, value := range schema {
		switch key {
		case "type", "required", "format", "oneOf":
			short[key] = value
		case "$ref":
			short[key] = strings.TrimPrefix(value.(string), refPrefix)
		case "allOf": // a single $ref beside a default
			for _, s := range value.([]any) {
				maps.Copy(short, cut(s.(map[string]any)))
			}
		case "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = cut(property.(map[string]any))
			}
			short[key] = properties
		case "items", "additionalProperties":
			if s, ok := value.(map[string]any); ok {
				value = cut(s)
			}
			short[key] = value
		}
	}
	_, named := schema["properties"]
	_, additional := schema["additionalProperties"]
	if schema["type"] == "object" && !named && !additional {
		short["x-kubernetes-preserve-unknown-fields"] = true
	}
	// A scalar that may be of several types.
	var types []any
	for _, s := range list(schema["oneOf"]) {
		types = append(types, s.(map[string]any)["type"])
	}
	if len(types) > 0 {
		delete(short, "oneOf")
		short["type"] = types
	}
	return short
}

// used returns the definitions that the kinds consist of.
func used(all map[string]any, kinds map[string]string) map[string]any {
	reached := map[string]any{}
	var reach func(v any)
	reach = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if name, ok := v["$ref"].(string); ok && reached[name] == nil {
				reached[name] = all[name]
				reach(all[name])
			}
			for _, child := range v {
				reach(child)
			}
		case []any:
			for _, child := range v {
				reach(child)
			}
		}
	}
	for _, name := range kinds {
		reached[name] = all[name]
		reach(all[name])
	}
	return reached
}

// write prints the bundle with a line for each definition, so that a new version of
// Kubernetes can be read as a diff.
func write(version string, kinds map[string]string, definitions map[string]any) {
	var b bytes.Buffer
	line := func(name string, value any, isLast bool) {
		text, err := json.Marshal(value)
		if err != nil {
			log.Fatal(err)
		}
		comma := ","
		if isLast {
			comma = ""
		}
		fmt.Fprintf(&b, "%q:%s%s\n", name, text, comma)
	}
	fmt.Fprintf(&b, "{\"version\":%q,\"kinds\":{\n", version)
	names := slices.Sorted(maps.Keys(kinds))
	for i, name := range names {
		line(name, kinds[name], i == len(names)-1)
	}
	fmt.Fprint(&b, "},\"definitions\":{\n")
	names = slices.Sorted(maps.Keys(definitions))
	for i, name := range names {
		line(name, definitions[name], i == len(names)-1)
	}
	fmt.Fprint(&b, "}}\n")
	if _, err := os.Stdout.Write(b.Bytes()); err != nil {
		log.Fatal(err)
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
