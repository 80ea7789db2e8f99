// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"
	"reflect"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
)

// configs are configurations that assignments share. It is safe for concurrent use.
type configs struct{ byIdentity sync.Map } // of identity to *sharedConfig

// sharedConfig is computed once, when the first template asks for it.
type sharedConfig struct {
	yaml, stringified, hash func() (string, error)
}

// add adds a configuration. Its values must not change afterwards.
func (known *configs) add(c *composition.Config) {
	id := identityOf(c.Values)
	if _, ok := known.byIdentity.Load(id); ok { // as for nearly every assignment
		return
	}
	known.byIdentity.LoadOrStore(id, &sharedConfig{
		yaml:        sync.OnceValues(func() (string, error) { return marshalYAML(c.Values) }),
		stringified: sync.OnceValues(func() (string, error) { return stringify(c.Values) }),
		hash:        sync.OnceValues(func() (string, error) { return hashOf(c.Values) }),
	})
}

// find returns the configuration whose whole values are v.
func (known *configs) find(v any) (*sharedConfig, bool) {
	values, isMap := v.(map[string]any)
	if !isMap {
		return nil, false
	}
	found, ok := known.byIdentity.Load(identityOf(values))
	if !ok {
		return nil, false
	}
	return found.(*sharedConfig), true //nolint:errcheck,forcetypeassert // the map contains nothing else.
}

// identity distinguishes maps, not their content.
type identity uintptr

func identityOf(values map[string]any) identity { return identity(reflect.ValueOf(values).Pointer()) }

// Texts returns values in the form of the built-in ConfigMap: lists and maps are YAML text.
// Errors: a value that YAML cannot hold.
func Texts(values map[string]any) (map[string]string, error) {
	texts := make(map[string]string, len(values))
	for key, value := range values {
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
