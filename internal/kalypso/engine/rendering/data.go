// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// data is what a template sees (semantics.md, section 4).
type data struct {
	DeploymentTargetName string
	Namespace            string
	Environment          string
	Workspace            string
	Workload             string
	ClusterType          string
	Labels               map[string]string
	Manifests            map[string]string
	ClusterTypeLabels    map[string]string
	ConfigData           map[string]any

	// Repo, Branch and Path are those of Manifests, as older templates call them.
	Repo, Branch, Path string
}

// textFields and textMapFields are the fields of data that are texts, which
// need no check before they are written.
var (
	textFields = map[string]bool{
		"DeploymentTargetName": true, "Namespace": true, "Environment": true, "Workspace": true,
		"Workload": true, "ClusterType": true, "Repo": true, "Branch": true, "Path": true,
	}
	textMapFields = map[string]bool{"Labels": true, "Manifests": true, "ClusterTypeLabels": true}
)

func newData(a *placement.Assignment, environment string, c *composition.Config) *data {
	return &data{
		DeploymentTargetName: a.Target.FullName,
		Namespace:            a.Namespace,
		Environment:          environment,
		Workspace:            a.Target.Workspace,
		Workload:             a.Target.Workload,
		ClusterType:          a.ClusterType.Name,
		Labels:               a.Target.Labels,
		Manifests:            a.Target.Manifests,
		ClusterTypeLabels:    a.ClusterType.Labels,
		ConfigData:           c.Values,
		Repo:                 a.Target.Manifests["repo"],
		Branch:               a.Target.Manifests["branch"],
		Path:                 a.Target.Manifests["path"],
	}
}

// sharedConfig is what is worked out once for a configuration that many
// assignments share, when the first template asks for it.
type sharedConfig struct {
	values   map[string]any
	identity identity
	yaml     func() (string, error)
	hash     func() (string, error)
	size     func() (size, error)
}

func (r *Renderer) sharedOf(c *composition.Config) *sharedConfig {
	if known, ok := r.shared.Load(c); ok {
		return known.(*sharedConfig) //nolint:errcheck,forcetypeassert // the map holds nothing else.
	}
	shared := &sharedConfig{
		values:   c.Values,
		identity: identityOf(c.Values),
		yaml:     sync.OnceValues(func() (string, error) { return marshalYAML(c.Values) }),
		hash:     sync.OnceValues(func() (string, error) { return hashOf(c.Values) }),
		size:     sync.OnceValues(func() (size, error) { return measure(c.Values) }),
	}
	known, _ := r.shared.LoadOrStore(c, shared)
	return known.(*sharedConfig) //nolint:errcheck,forcetypeassert // the map holds nothing else.
}

// deepCopy copies lists and maps of a configuration to any depth.
func deepCopy(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = deepCopy(element)
		}
		return list
	case map[string]any:
		return copyMap(v)
	case map[any]any:
		return copyMap(v)
	}
	return v
}

func copyMap[K comparable](m map[K]any) map[K]any {
	result := make(map[K]any, len(m))
	for key, value := range m {
		result[key] = deepCopy(value)
	}
	return result
}
