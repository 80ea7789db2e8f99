// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// NearMiss is a ConfigMap that one label prevents from applying.
type NearMiss struct {
	ConfigMap string
	// AppKey is the key that would apply, if the ConfigMap comes from Azure App
	// Configuration; otherwise empty.
	AppKey string
	Label  string
	Wants  string
	// Found are the actual values: the cluster type's and the deployment target's, if they
	// exist.
	Found []string
}

// NearMisses returns the ConfigMaps that would apply to the pair if one of their labels
// matched, sorted by ConfigMap.
func (c *Composer) NearMisses(ct *manifest.ClusterType, t *fleet.Target) []NearMiss {
	var near []NearMiss
	for _, l := range c.layers {
		if missed := missedLabels(l.labels, ct, t); len(missed) == 1 {
			label := missed[0]
			near = append(near, NearMiss{l.configMap, l.appKey, label.key, label.value, valuesOf(label.key, ct, t)})
		}
	}
	slices.SortStableFunc(near, func(a, b NearMiss) int { return cmp.Compare(a.ConfigMap, b.ConfigMap) })
	return near
}

// missedLabels returns the labels that do not match the pair (docs/guides/semantics.md,
// section 3.2). selector makes the same decision with sets, this function label by label.
func missedLabels(labels map[string]string, ct *manifest.ClusterType, t *fleet.Target) []label {
	var missed []label
	for key, value := range labels {
		have := valuesOf(key, ct, t)
		missing := value == "" && !isName(key) && (ct.Labels[key] == "" || t.Labels[key] == "")
		if IsSelecting(key) && !missing && !slices.Contains(have, value) {
			missed = append(missed, label{key, value})
		}
	}
	return missed
}

// valuesOf returns the values with which a ConfigMap's label of this key is compared.
func valuesOf(key string, ct *manifest.ClusterType, t *fleet.Target) []string {
	switch key {
	case manifest.LabelClusterType:
		return []string{ct.Name}
	case manifest.LabelDeploymentTarget:
		return []string{t.FullName}
	case manifest.LabelWorkload:
		return []string{t.Workload}
	}
	var values []string
	for _, labels := range []map[string]string{ct.Labels, t.Labels} {
		if value, exists := labels[key]; exists && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
