// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// NearMiss is a ConfigMap that does not apply, by a single label.
type NearMiss struct {
	ConfigMap string
	// AppKey is the key that would apply, if the ConfigMap is from Azure App
	// Configuration; empty otherwise.
	AppKey string
	Label  string
	Wants  string
	// Found is the cluster type's value and the deployment target's, as far as
	// they have one.
	Found []string
}

// NearMisses returns the ConfigMaps that would apply to the pair if one of their
// labels held, sorted by ConfigMap.
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

// missedLabels returns those of the labels that do not hold for the pair
// (docs/guides/semantics.md, section 3.2). selector makes the same decision with sets;
// this makes it one by one.
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

// valuesOf returns the values that a ConfigMap's label of that key is compared with.
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
