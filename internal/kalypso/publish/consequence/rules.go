// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Objects that deliver others, and what goes with them.
const (
	kustomization = "Kustomization.kustomize.toolkit.fluxcd.io"
	application   = "Application.argoproj.io"
	fluxSources   = ".source.toolkit.fluxcd.io"
	delivered     = ", with everything that it delivers"
)

// holding are the objects that hold data, or that others live in or come from, with what goes with them.
var holding = map[string]string{
	"Namespace":             ", with everything in it",
	"PersistentVolumeClaim": "",
	"PersistentVolume":      "",
	"CustomResourceDefinition.apiextensions.k8s.io": ", with all its objects",
	kustomization:                        delivered,
	"HelmRelease.helm.toolkit.fluxcd.io": delivered,
	application:                          delivered,
	"ApplicationSet.argoproj.io":         delivered,
	"GitRepo.fleet.cattle.io":            delivered,
	"Bundle.fleet.cattle.io":             delivered,
}

// fixed are the fields that the API server does not let change, with "=" before the default that a field without
// a value has. They are those of the functions Validate…Update in Kubernetes' pkg/apis.
var fixed = map[string]string{ //nolint:gosec // Secret is a kind
	"Deployment.apps":  "spec.selector",
	"ReplicaSet.apps":  "spec.selector",
	"DaemonSet.apps":   "spec.selector",
	"StatefulSet.apps": "spec.selector spec.serviceName spec.volumeClaimTemplates spec.podManagementPolicy=OrderedReady",
	"Job.batch":        "spec.selector spec.template spec.completionMode=NonIndexed spec.completions=1 spec.podFailurePolicy",
	"PersistentVolumeClaim": "spec.accessModes spec.resources.requests.storage spec.selector spec.storageClassName spec.volumeName " +
		"spec.volumeMode=Filesystem spec.dataSource spec.dataSourceRef",
	"PersistentVolume":                      "spec.csi spec.nfs spec.local spec.hostPath spec.iscsi spec.fc spec.volumeMode=Filesystem",
	"Service":                               "spec.clusterIP",
	"ConfigMap":                             "data binaryData immutable",
	"Secret":                                "data stringData immutable type=Opaque",
	"StorageClass.storage.k8s.io":           "provisioner parameters reclaimPolicy=Delete volumeBindingMode=Immediate",
	"CSIDriver.storage.k8s.io":              "spec.attachRequired=true",
	"RoleBinding.rbac.authorization.k8s.io": "roleRef.kind roleRef.name",
	"ClusterRoleBinding.rbac.authorization.k8s.io":  "roleRef.kind roleRef.name",
	"PriorityClass.scheduling.k8s.io":               "value preemptionPolicy=PreemptLowerPriority",
	"RuntimeClass.node.k8s.io":                      "handler",
	"IngressClass.networking.k8s.io":                "spec.controller",
	"CustomResourceDefinition.apiextensions.k8s.io": "spec.scope spec.names.kind",
}

// ends are the fields that say from where and to where an object delivers, like fixed.
var ends = map[string]string{
	kustomization: "spec.sourceRef.kind spec.sourceRef.name spec.sourceRef.namespace=namespace spec.path=. spec.targetNamespace",
	"HelmRelease.helm.toolkit.fluxcd.io": "spec.chart.spec.chart spec.chart.spec.sourceRef spec.chartRef spec.releaseName " +
		"spec.targetNamespace=namespace spec.storageNamespace=namespace",
	application:                    "spec.source.repoURL spec.source.path=. spec.source.chart spec.destination.namespace",
	"GitRepo.fleet.cattle.io":      "spec.repo spec.paths spec.targetNamespace",
	"GitRepository" + fluxSources:  "spec.url",
	"OCIRepository" + fluxSources:  "spec.url",
	"HelmRepository" + fluxSources: "spec.url",
	"Bucket" + fluxSources:         "spec.endpoint spec.bucketName",
}

var running = []string{"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch", "CronJob.batch"}

// weighty are the kinds of the tables.
var weighty = func() map[string]bool {
	kinds := map[string]bool{}
	for _, resource := range slices.Concat(running, slices.Collect(maps.Keys(holding)), slices.Collect(maps.Keys(fixed)),
		slices.Collect(maps.Keys(ends))) {
		kind, _, _ := strings.Cut(resource, ".")
		kinds[kind] = true
	}
	return kinds
}()

// isWeighty reports whether a file may have objects of the tables. Most files that change have values only: a
// ConfigMap is in the tables only if it is immutable.
func isWeighty(text []byte) bool {
	for part := range bytes.SplitSeq(text, []byte("kind")) {
		for word := range bytes.FieldsFuncSeq(part, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if string(word) != "ConfigMap" && weighty[string(word)] {
				return true
			}
			break
		}
	}
	return bytes.Contains(text, []byte("immutable"))
}

// ofRemoval returns the word for the removal of an object, and what goes with it. It does not matter if the object
// holds no data, runs nothing, or leaves what it delivers.
func ofRemoval(o *object) (word Word, what string, matters bool) {
	what, isHolding := holding[o.Resource]
	switch {
	case o.Resource == "StatefulSet.apps" && o.value("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "") == "Delete":
		return Deletes, ", with its claims", true
	case isHolding:
		return Deletes, what, what != delivered || o.cascades()
	}
	return Stops, "", slices.Contains(running, o.Resource)
}

func differingFields(table map[string]string, old, now *object) string {
	var all []string
	for field := range strings.FieldsSeq(table[old.Resource]) {
		field, or, _ := strings.Cut(field, "=")
		if was, is := old.value(field, or), now.value(field, or); was != is && !mayChange(field, old, was, is) {
			all = append(all, field)
		}
	}
	return strings.Join(all, ", ")
}

// mayChange reports whether the API server lets a field of the tables change in this way.
func mayChange(field string, old *object, was, is string) bool {
	switch field {
	case "data", "binaryData", "stringData", "immutable":
		return !old.is("immutable")
	case "spec.completions":
		return old.value("spec.completionMode", "") == "Indexed"
	case "spec.template": // of a Job that waits, or that the cluster deletes by itself
		return old.is("spec.suspend") || old.value("spec.ttlSecondsAfterFinished", "") != ""
	case "spec.clusterIP": // the server keeps the address that it has
		return is == "" || old.value("spec.type", "") == "ExternalName"
	case "spec.storageClassName", "spec.volumeName", "spec.dataSourceRef", "spec.releaseName": // it may be the default
		return was == ""
	case "spec.resources.requests.storage":
		before, err := resource.ParseQuantity(was)
		after, invalid := resource.ParseQuantity(is)
		return err == nil && invalid == nil && after.Cmp(before) >= 0
	}
	return false
}
