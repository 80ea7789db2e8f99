// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// KindConfigSchema is the kind of a ConfigSchema.
const KindConfigSchema Kind = "ConfigSchema"

// ConfigSchema is a JSON Schema that composed configuration has to satisfy.
type ConfigSchema struct {
	Meta   `json:"-"`
	Schema string `json:"schema"`
}

func decodeConfigSchema(d *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	c := &ConfigSchema{Meta: m, Schema: s.required("schema", "the text of a JSON Schema")}
	if c.Schema != "" {
		d.checkSchema(s.at("schema"), "spec.schema", c.Schema)
	}
	return c
}

func (c *ConfigSchema) encode(to *envelope) { to.Spec = written(c) }

// checkSchema reports a schema's text that is not YAML and does not begin with a JSON
// object. The package composition compiles it, and so decides whether it is a JSON Schema.
func (d *document) checkSchema(n *yaml.Node, path, schema string) {
	schema = strings.TrimPrefix(schema, "\ufeff") // an editor's byte order mark
	var object map[string]any
	if json.NewDecoder(strings.NewReader(schema)).Decode(&object) == nil {
		return
	}
	roots, err := parse(schema)
	switch {
	case err != nil:
		d.report(n, "Invalid schema", "%s is neither JSON nor YAML: %s. Write a JSON Schema.", path, strings.TrimPrefix(err.Error(), "yaml: "))
	case len(roots) != 1:
		d.report(n, "Invalid schema", "%s holds %d documents, but one is needed. Write one JSON Schema.", path, len(roots))
	}
}
