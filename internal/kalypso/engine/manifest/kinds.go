// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package manifest reads and writes Kalypso's objects as YAML documents
// ("manifests"): the kinds of docs/guides/semantics.md, strictly decoded,
// each object valid in itself. What objects mean to each other is package
// fleet's concern.
package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Kind is the kind of an object, as the document writes it.
type Kind string

// The kinds of objects.
const (
	KindEnvironment          Kind = "Environment"
	KindBaseRepo             Kind = "BaseRepo"
	KindWorkloadRegistration Kind = "WorkloadRegistration"
	KindWorkload             Kind = "Workload"
	KindDeploymentTarget     Kind = "DeploymentTarget"
	KindClusterType          Kind = "ClusterType"
	KindTemplate             Kind = "Template"
	KindSchedulingPolicy     Kind = "SchedulingPolicy"
	KindConfigSchema         Kind = "ConfigSchema"
	KindGitOpsRepo           Kind = "GitOpsRepo"
	KindConfigMap            Kind = "ConfigMap"
	KindPlacement            Kind = "Placement"
	KindPlacementDecision    Kind = "PlacementDecision"
	KindManagedCluster       Kind = "ManagedCluster"
	KindAddOnPlacementScore  Kind = "AddOnPlacementScore"

	// KindNote is the kind of notes of kalypso_control_plane.
	KindNote Kind = "SourceNote"
)

const (
	// APIVersion is the apiVersion of every Kalypso object.
	APIVersion = "scheduler.kalypso.io/v1alpha1"
	// coreVersion is the apiVersion of a ConfigMap.
	coreVersion = "v1"
	// ocmGroup is the API group of Open Cluster Management's objects.
	ocmGroup = "cluster.open-cluster-management.io"
)

// kindEntry is a kind that takes part in a fleet.
type kindEntry struct {
	kind       Kind
	apiVersion string
	// decode reads the fields of the document besides apiVersion, kind and metadata.
	decode func(d *document, m Meta, root *fields) Object
}

// kinds are the kinds that make up a fleet, in the order that messages and
// docs/guides/semantics.md list them. A new kind is an entry here and a
// type with its encoder. ofSpec is the decoder if the type has the fields of the spec.
var kinds = []kindEntry{
	{KindEnvironment, APIVersion, ofSpec[Environment]},
	{KindBaseRepo, APIVersion, ofSpec[BaseRepo]},
	{KindWorkloadRegistration, APIVersion, ofSpec[WorkloadRegistration]},
	{KindWorkload, APIVersion, decodeWorkload},
	{KindDeploymentTarget, APIVersion, decodeDeploymentTargetObject},
	{KindClusterType, APIVersion, ofSpec[ClusterType]},
	{KindTemplate, APIVersion, decodeTemplate},
	{KindSchedulingPolicy, APIVersion, decodeSchedulingPolicy},
	{KindConfigSchema, APIVersion, ofSpec[ConfigSchema]},
	{KindGitOpsRepo, APIVersion, ofSpec[GitOpsRepo]},
	{KindConfigMap, coreVersion, decodeConfigMap},
	{KindPlacement, ocmGroup + "/v1beta1", decodePlacement},
	{KindPlacementDecision, ocmGroup + "/v1beta1", decodePlacementDecision},
	{KindManagedCluster, ocmGroup + "/v1", decodeManagedCluster},
	{KindAddOnPlacementScore, ocmGroup + "/v1alpha1", decodeAddOnPlacementScore},
}

// AllKinds returns the kinds of all objects that can be part of a fleet.
func AllKinds() []string {
	all := []string{string(KindCustomResourceDefinition)}
	for _, k := range kinds {
		all = append(all, string(k.kind))
	}
	return all
}

// isOCM reports whether the kind is one of Open Cluster Management.
func (k kindEntry) isOCM() bool { return strings.HasPrefix(k.apiVersion, ocmGroup) }

func lookup(kind Kind) (kindEntry, bool) {
	i := slices.IndexFunc(kinds, func(k kindEntry) bool { return k.kind == kind })
	if i < 0 {
		return kindEntry{}, false
	}
	return kinds[i], true
}

func kindNames(apiVersion string) []string {
	var names []string
	for _, k := range kinds {
		if k.apiVersion == apiVersion {
			names = append(names, string(k.kind))
		}
	}
	return names
}

// nearestKind is the sentence that offers the kind that was probably meant, or else lists all.
func nearestKind(kind string) string {
	return cmp.Or(strings.TrimSuffix(wording.DidYouMean(kind, kindNames(APIVersion)), " "), knownKinds())
}

// knownKinds is the sentence that lists all kinds.
func knownKinds() string {
	var parts, versions []string
	for _, k := range kinds {
		if slices.Contains(versions, k.apiVersion) {
			continue
		}
		versions = append(versions, k.apiVersion)
		names := kindNames(k.apiVersion)
		what := "the kind "
		if len(names) > 1 {
			what = "the kinds "
		}
		parts = append(parts, k.apiVersion+" with "+what+strings.Join(names, ", "))
	}
	last := len(parts) - 1
	return "Known are " + strings.Join(parts[:last], ", ") + ", and " + parts[last] + "."
}
