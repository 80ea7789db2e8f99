// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// AppConfigPrefix starts the names of ConfigMaps that come from Azure App
// Configuration and carry their label pairs in their keys
// (docs/guides/semantics.md, section 3.5).
const AppConfigPrefix = "azure-app-config"

// ConfigMap is a platform configuration: labelled so, or from Azure App Configuration.
type ConfigMap struct {
	Meta
	Data map[string]string
}

// IsPlatformConfig reports whether the ConfigMap takes part in composing
// (docs/guides/semantics.md, section 3.1).
func (c *ConfigMap) IsPlatformConfig() bool { return c.Labels[LabelPlatformConfig] == "true" }

// TakesPart reports whether the ConfigMap is configuration of the platform at
// all: by its label, or as one of Azure App Configuration's by its name.
func (c *ConfigMap) TakesPart() bool {
	return c.IsPlatformConfig() || strings.HasPrefix(c.Name, AppConfigPrefix)
}

func decodeConfigMap(d *document, m Meta, root *fields) Object {
	c := &ConfigMap{Meta: m}
	c.Data = root.textsBy("data", d.textOrNull, func(path string, e entry, _ string) {
		if faults := validation.IsConfigMapKey(e.key); len(faults) > 0 {
			d.report(e.at, "Invalid name", "The key %s in %s cannot be a key of a ConfigMap: %s. Change the key.", quote(e.key), path,
				strings.Join(faults, "; "))
		}
	})
	root.ignore("immutable", "binaryData") // Kalypso reads data alone
	return c
}

func (c *ConfigMap) encode(to *envelope) { to.Data = texts(c.Data) }
