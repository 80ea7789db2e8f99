// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// Texts returns values in the form of the built-in ConfigMap: lists and maps are YAML text.
// Errors: a value that is too large or nested too deep.
func Texts(values map[string]any) (map[string]string, error) {
	texts := make(map[string]string, len(values))
	for key, value := range values {
		if err := sandbox.CheckValue(value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		text, err := textOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		texts[key] = text
	}
	return texts, nil
}

// builtinConfigMap returns the platform-config for a cluster type without a template: every
// value is text.
func builtinConfigMap(namespace string, values map[string]any) ([]byte, error) {
	texts, err := Texts(values)
	if err != nil {
		return nil, err
	}
	type metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	}
	return yaml.Marshal(struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metadata          `json:"metadata"`
		Data       map[string]string `json:"data"`
	}{"v1", "ConfigMap", metadata{platformConfig, namespace}, texts})
}
