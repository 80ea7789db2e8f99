// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

func decodeConfigMap(d *document, m Meta, root *fields) Object {
	c := &ConfigMap{Meta: m}
	c.Data = root.texts("data", func(path string, e entry, _ string) {
		if faults := validation.IsConfigMapKey(e.key); len(faults) > 0 {
			d.report(e.at, "Invalid name", "The key %s in %s cannot be a key of a ConfigMap: %s. Change the key.", quote(e.key), path, strings.Join(faults, "; "))
		}
	})
	root.ignore("immutable", "binaryData") // Kalypso reads data alone
	return c
}

// takesPart tells whether the ConfigMap is configuration of the platform at
// all: by its label, or as one of Azure App Configuration's by its name.
func (c *ConfigMap) takesPart() bool {
	return c.IsPlatformConfig() || strings.HasPrefix(c.Name, AppConfigPrefix)
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

// checkSchema reports a schema's text that is neither JSON nor YAML. Whether it
// is a JSON Schema is for those to say who compile it.
func (d *document) checkSchema(n *yaml.Node, path, schema string) {
	if json.Valid([]byte(schema)) {
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
