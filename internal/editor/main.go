// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command editor writes a JSON Schema for each kind that manifests may hold, and
// kalypso.json, which chooses by kind. Editors check files with these schemas. The argument
// is the folder. The schemas describe what the reader of manifests accepts: the command
// gives the reader small documents, and looks at the problems that the reader reports.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes all schemas into a folder, which exists.
func write(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for name, s := range files() {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(s); err != nil {
			return err
		}
		if err := root.WriteFile(name, text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// draft is the version of JSON Schema that all editors know.
const draft = "http://json-schema.org/draft-07/schema#"

// files returns the schemas by the names of their files.
func files() map[string]schema {
	all, versions := map[string]schema{}, map[string]string{}
	for _, kind := range manifest.AllKinds() {
		// CustomResourceDefinitions have a schema of Kubernetes' own, and the reader never refuses them.
		if kind != string(manifest.KindCustomResourceDefinition) {
			versions[kind] = apiVersion(kind)
			all[kind+".json"] = kindSchema(kind, versions[kind])
		}
	}
	all["kalypso.json"] = chooser(versions)
	return all
}

// kindSchema returns the schema of a kind.
func kindSchema(kind, version string) schema {
	p := probe{base: map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": "x"}}}
	isConfigMap := kind == string(manifest.KindConfigMap)
	if isConfigMap { // a platform configuration twice, so that a probe can replace either
		p.base["metadata"] = map[string]any{
			"name": manifest.AppConfigPrefix, "labels": map[string]any{manifest.LabelPlatformConfig: "true"},
		}
	}
	body := p.schema(nil)
	properties := within(body, "properties")
	properties["apiVersion"], properties["kind"] = schema{"const": version}, schema{"const": kind}
	for _, found := range read(p.base) {
		if label := neededLabel.FindStringSubmatch(found.Detail); label != nil {
			needLabel(within(properties, "metadata"), label[1])
		}
	}
	whole := schema{"$schema": draft, "title": kind}
	if !isConfigMap {
		body["required"] = sorted(append(names(body["required"]), "apiVersion", "kind"))
		maps.Copy(whole, body)
		return whole
	}
	properties["apiVersion"] = schema{"enum": []any{version, "", nil}}
	whole["properties"] = map[string]any{"apiVersion": properties["apiVersion"], "kind": properties["kind"]}
	whole["if"] = has("metadata", schema{"anyOf": []any{
		has("name", schema{"type": "string", "pattern": "^" + manifest.AppConfigPrefix}),
		has("labels", has(manifest.LabelPlatformConfig, schema{"enum": []any{"true", true}})),
	}})
	whole["then"] = body
	return whole
}

// neededLabel matches a message about a label that a kind needs.
var neededLabel = regexp.MustCompile(`^The label (\S+) is missing`)

// needLabel makes the schema of metadata require a label that is not empty.
func needLabel(metadata schema, label string) {
	metadata["required"] = sorted(append(names(metadata["required"]), "labels"))
	labels := within(metadata, "properties", "labels")
	value := maps.Clone(within(labels, "additionalProperties"))
	value["minLength"] = 1
	labels["type"], labels["required"], labels["properties"] = "object", []string{label}, map[string]any{label: value}
}

// within returns a part of a schema.
func within(s schema, names ...string) schema {
	for _, name := range names {
		s, _ = s[name].(schema)
	}
	return s
}

// has returns the schema of a mapping that has a field, with a schema for the field.
func has(field string, is schema) schema {
	return schema{"type": "object", "required": []string{field}, "properties": schema{field: is}}
}
