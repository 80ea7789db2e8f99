// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"strings"
	"unicode"
)

// The objects that deliver others, and the group of Flux's sources.
const (
	kustomization  = "Kustomization.kustomize.toolkit.fluxcd.io"
	helmRelease    = "HelmRelease.helm.toolkit.fluxcd.io"
	application    = "Application.argoproj.io"
	applicationSet = "ApplicationSet.argoproj.io"
	gitRepo        = "GitRepo.fleet.cattle.io"
	bundle         = "Bundle.fleet.cattle.io"
	fluxSources    = ".source.toolkit.fluxcd.io"
)

// delivered is what goes with an object that delivers.
const delivered = ", with everything that it delivers"

// removals say what the removal of an object does, for objects that hold data or run something.
var removals = map[string]struct {
	word Word
	what string
}{
	"Namespace":             {Deletes, ", with everything in it"},
	"PersistentVolumeClaim": {Deletes, ""},
	"PersistentVolume":      {Deletes, ""},
	"CustomResourceDefinition.apiextensions.k8s.io": {Deletes, ", with all its objects"},
	kustomization:      {Deletes, delivered},
	helmRelease:        {Deletes, delivered},
	application:        {Deletes, delivered},
	applicationSet:     {Deletes, delivered},
	gitRepo:            {Deletes, delivered},
	bundle:             {Deletes, delivered},
	"Deployment.apps":  {Stops, ""},
	"StatefulSet.apps": {Stops, ""},
	"DaemonSet.apps":   {Stops, ""},
	"Job.batch":        {Stops, ""},
	"CronJob.batch":    {Stops, ""},
}

// fixed are the fields that the API server does not let change, by resource. Behind a field is how it counts
// if a version does not have it: "=x" is its default, "+" means that it may be added, and "?" that the
// cluster may have set it, so only two values differ. The rules are those of the functions Validate…Update in
// Kubernetes' pkg/apis.
var fixed = map[string]string{
	"Deployment.apps":  "spec.selector",
	"ReplicaSet.apps":  "spec.selector",
	"DaemonSet.apps":   "spec.selector",
	"StatefulSet.apps": "spec.selector spec.serviceName spec.volumeClaimTemplates spec.podManagementPolicy=OrderedReady",
	"Job.batch": "spec.selector? spec.template spec.completionMode=NonIndexed spec.completions=1 spec.podFailurePolicy " +
		"spec.backoffLimitPerIndex spec.successPolicy spec.managedBy",
	"PersistentVolumeClaim": "spec.accessModes spec.resources.requests.storage spec.selector spec.storageClassName+ " +
		"spec.volumeMode=Filesystem spec.volumeName+ spec.dataSource spec.dataSourceRef+",
	"PersistentVolume": "spec.csi spec.nfs spec.local spec.hostPath spec.iscsi spec.fc spec.azureDisk spec.azureFile " +
		"spec.awsElasticBlockStore spec.gcePersistentDisk spec.cephfs spec.rbd spec.cinder spec.vsphereVolume spec.flexVolume " +
		"spec.volumeMode=Filesystem spec.nodeAffinity+",
	"Service":                               "spec.clusterIP? spec.loadBalancerClass+",
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

// ends are the fields that say from where and to where an object delivers, in the notation of fixed. A default
// that begins with metadata is another field.
var ends = map[string]string{
	kustomization: "spec.sourceRef.kind spec.sourceRef.name spec.sourceRef.namespace=metadata.namespace spec.path=. spec.targetNamespace",
	helmRelease: "spec.chart.spec.chart spec.chart.spec.sourceRef spec.chartRef spec.releaseName spec.targetNamespace=metadata.namespace " +
		"spec.storageNamespace=metadata.namespace",
	application:                    "spec.source.repoURL spec.source.path=. spec.source.chart spec.sources spec.destination.namespace",
	gitRepo:                        "spec.repo spec.paths spec.targetNamespace",
	"GitRepository" + fluxSources:  "spec.url",
	"OCIRepository" + fluxSources:  "spec.url",
	"HelmRepository" + fluxSources: "spec.url",
	"Bucket" + fluxSources:         "spec.endpoint spec.bucketName",
}

// words are those that a relevant line has, by kind: the names of the fields in the tables, and what makes an
// object another object.
var words = func() map[string][]string {
	all := map[string][]string{}
	for resource := range removals {
		kind, _, _ := strings.Cut(resource, ".")
		all[kind] = []string{"name", "kind", "apiVersion"}
	}
	for _, table := range []map[string]string{fixed, ends} {
		for resource, fields := range table {
			kind, _, _ := strings.Cut(resource, ".")
			all[kind] = append(all[kind], "name", "kind", "apiVersion")
			for path := range strings.FieldsSeq(fields) {
				path, _, _ = strings.Cut(path, "=")
				for name := range strings.SplitSeq(strings.TrimRight(path, "+?"), ".") {
					if name != "spec" {
						all[kind] = append(all[kind], name)
					}
				}
			}
		}
	}
	return all
}()

// wordsOf returns the words of the kinds that a document names.
func wordsOf(document []byte) (all []string) {
	for rest := document; ; {
		i := bytes.Index(rest, []byte("kind"))
		if i < 0 {
			return all
		}
		rest = bytes.TrimLeft(rest[i+len("kind"):], "\"': \t\r\n")
		end := bytes.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
		kind := string(rest[:max(0, end)])
		if kind != "ConfigMap" || bytes.Contains(document, []byte("immutable")) {
			all = append(all, words[kind]...)
		}
	}
}
