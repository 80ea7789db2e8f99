// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package manifest reads and writes Kalypso's objects as YAML documents
// ("manifests"): the kinds of docs/guides/objects.md, strictly decoded,
// each object valid in itself. The package fleet knows what objects mean to each other.
//
//	text      an input: one or more YAML documents
//	document  one YAML document, or an item of a List
//	row       a kind in the table of kinds; a field is a row of the table below it
//	mapping   a mapping of a document; an entry is one of its keys with its value
//	origin    the place of an object in the input
//	excerpt   an object as a text of its own, whose first line names its file
//	note      what takes the place of a file or source that cannot be read
package manifest

import (
	"reflect"
	"strconv"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
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

// Row is a kind of the table: what a document of the kind holds.
type Row struct {
	Kind       Kind
	APIVersion string
	// Field describes the document.
	Field

	// of is the struct of the kind's objects.
	of reflect.Type
}

// Table is the table of the kinds that make up a fleet, in the order that messages and
// docs/guides/objects.md list them. It says how documents are read and written, and how the
// schemas for editors and the resources of Terraform look. A new kind is a row here, and a struct.
var Table = []Row{
	row[Environment](KindEnvironment, APIVersion),
	row[BaseRepo](KindBaseRepo, APIVersion),
	row[WorkloadRegistration](KindWorkloadRegistration, APIVersion),
	row[Workload](KindWorkload, APIVersion),
	row[DeploymentTargetObject](KindDeploymentTarget, APIVersion),
	row[ClusterType](KindClusterType, APIVersion),
	row[Template](KindTemplate, APIVersion),
	row[SchedulingPolicy](KindSchedulingPolicy, APIVersion),
	row[ConfigSchema](KindConfigSchema, APIVersion),
	row[GitOpsRepo](KindGitOpsRepo, APIVersion),
	row[ConfigMap](KindConfigMap, coreVersion, "immutable"),
	row[Placement](KindPlacement, ocmGroup+"/v1beta1", "status"),
	row[PlacementDecision](KindPlacementDecision, ocmGroup+"/v1beta1"),
	row[ManagedCluster](KindManagedCluster, ocmGroup+"/v1"),
	row[AddOnPlacementScore](KindAddOnPlacementScore, ocmGroup+"/v1alpha1"),
}

// row returns the row of a kind, whose documents may have other fields that do not count. The struct
// of a kind of Kalypso has the fields of its spec, and that of another kind has the fields of the
// document.
func row[O any](kind Kind, apiVersion string, others ...string) Row {
	of := reflect.TypeFor[O]()
	version := Field{Name: "apiVersion", Type: Anything, Needs: strconv.Quote(apiVersion)}
	if apiVersion == coreVersion {
		version.Needs = "" // Kalypso's own README leaves it out
	}
	document := Field{Type: Mapping, Fields: []Field{version, {Name: "kind", Needs: "the kind"}, metadata(kind, of)}}
	body := Field{Name: "spec", Type: Mapping, Needs: "what a " + string(kind) + " consists of", Fields: fieldsOf(of, "json"),
		check: checks[of]}
	if apiVersion == APIVersion {
		document.Fields, others = append(document.Fields, body), []string{"status"}
	} else {
		document.Fields, document.check = append(document.Fields, body.Fields...), body.check
	}
	for _, name := range others {
		document.Fields = append(document.Fields, Field{Name: name})
	}
	return Row{kind, apiVersion, document, of}
}

// ignoredMetadata are the fields of Kubernetes' metadata that do not count here.
var ignoredMetadata = []string{
	"generateName", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"ownerReferences", "finalizers", "managedFields", "selfLink",
}

// metadata returns the row of the metadata of a kind's objects, which have Meta as their first part.
func metadata(kind Kind, of reflect.Type) Field {
	rows := below(0, fieldsOf(reflect.TypeFor[Meta](), "json"))
	find(rows, "name").Needs = "a name that no other " + string(kind) + " has"
	namespace, labels := find(rows, "namespace"), find(rows, "labels")
	switch kind {
	case KindPlacement:
	case KindPlacementDecision:
		labels.Needs = "labels, among them " + clusterv1beta1.PlacementLabel
		labels.Fields = []Field{{Name: clusterv1beta1.PlacementLabel, Type: String, Needs: "the name of the Placement that was decided for",
			Format: formats["label value"]}}
	case KindAddOnPlacementScore:
		namespace.Needs = "the name of the cluster type that is scored"
	default:
		namespace.Type = Anything
	}
	if ours := fieldsOf(of, "annotation"); len(ours) > 0 {
		annotations := Field{Name: "annotations", Type: Mapping, Fields: ours, Open: true, omitEmpty: true}
		if kind == KindSchedulingPolicy {
			annotations.Prefix = annotationPrefix
		}
		rows = append(rows, annotations)
	} else {
		rows = append(rows, Field{Name: "annotations"})
	}
	for _, name := range ignoredMetadata {
		rows = append(rows, Field{Name: name})
	}
	return Field{Name: "metadata", Type: Mapping, Needs: "a mapping with a name", Fields: rows}
}

// AllKinds returns the kinds of all objects that can be part of a fleet.
func AllKinds() []string {
	var all []string
	for _, row := range Table {
		all = append(all, string(row.Kind))
	}
	return all
}

// IsOCM reports whether the kind is one of Open Cluster Management.
func (k Kind) IsOCM() bool {
	row := k.Row()
	return row != nil && strings.HasPrefix(row.APIVersion, ocmGroup)
}

// isNamespaced reports whether several namespaces may have an object of one name.
func (k Kind) isNamespaced() bool {
	return k == KindPlacementDecision || k == KindAddOnPlacementScore || k == KindDeploymentTarget
}

// Row returns the row of a kind; nil if it is not in the table.
func (k Kind) Row() *Row {
	for i := range Table {
		if Table[i].Kind == k {
			return &Table[i]
		}
	}
	return nil
}
