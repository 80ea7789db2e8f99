// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"reflect"
	"sync"

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
	if _, ok := known.byIdentity.Load(id); ok {
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
