// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// data is the data that a template sees (docs/guides/semantics.md, section 4).
type data struct {
	DeploymentTargetName string
	Namespace            string
	Environment          string
	Workspace            string
	Workload             string
	Labels               labels
	Manifests            map[string]string
	ClusterType          string
	ClusterTypeLabels    labels
	ConfigData           map[string]any
	olderNames
}

// labels are a map, in which a missing label has no value: a text cannot be missing.
type labels map[string]any

func newLabels(from map[string]string) labels {
	to := make(labels, len(from))
	for key, value := range from {
		to[key] = value
	}
	return to
}

// olderNames are older names of parts of Manifests. Messages do not suggest them.
type olderNames struct{ Repo, Branch, Path string }

func (r *Renderer) newData(a *placement.Assignment, c *composition.Config) *data {
	return &data{
		DeploymentTargetName: a.Target.FullName,
		Namespace:            a.Namespace,
		Environment:          r.environment,
		Workspace:            a.Target.Workspace,
		Workload:             a.Target.Workload,
		ClusterType:          a.ClusterType.Name,
		Labels:               newLabels(a.Target.Labels),
		Manifests:            a.Target.Manifests,
		ClusterTypeLabels:    r.clusterTypes[a.ClusterType],
		ConfigData:           c.Values,
		olderNames: olderNames{
			Repo:   a.Target.Manifests["repo"],
			Branch: a.Target.Manifests["branch"],
			Path:   a.Target.Manifests["path"],
		},
	}
}

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
