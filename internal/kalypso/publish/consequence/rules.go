// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
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
var fixed = map[string]string{
	"Deployment.apps":  "spec.selector",
	"ReplicaSet.apps":  "spec.selector",
	"DaemonSet.apps":   "spec.selector",
	"StatefulSet.apps": "spec.selector spec.serviceName spec.volumeClaimTemplates spec.podManagementPolicy=OrderedReady",
	"Job.batch":        "spec.selector spec.template spec.completionMode=NonIndexed spec.completions=1 spec.podFailurePolicy",
	"PersistentVolumeClaim": "spec.accessModes spec.resources.requests.storage spec.selector spec.storageClassName spec.volumeName " +
		"spec.volumeMode=Filesystem spec.dataSource spec.dataSourceRef",
	"PersistentVolume": "spec.csi spec.nfs spec.local spec.hostPath spec.iscsi spec.fc spec.azureDisk spec.azureFile spec.rbd spec.cephfs " +
		"spec.awsElasticBlockStore spec.gcePersistentDisk spec.cinder spec.vsphereVolume spec.flexVolume spec.volumeMode=Filesystem",
	"Service":                               "spec.clusterIP spec.loadBalancerClass",
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
	"CronJob.batch":                                 "", // nothing, but it runs something
}

// ends are the fields that say from where and to where an object delivers, like fixed.
var ends = map[string]string{
	kustomization: "spec.sourceRef.kind spec.sourceRef.name spec.sourceRef.namespace=metadata.namespace spec.path=. spec.targetNamespace",
	"HelmRelease.helm.toolkit.fluxcd.io": "spec.chart.spec.chart spec.chart.spec.sourceRef spec.chartRef spec.releaseName " +
		"spec.targetNamespace=metadata.namespace spec.storageNamespace=metadata.namespace",
	application:                    "spec.source.repoURL spec.source.path=. spec.source.chart spec.sources spec.destination.namespace",
	"GitRepo.fleet.cattle.io":      "spec.repo spec.paths spec.targetNamespace",
	"GitRepository" + fluxSources:  "spec.url",
	"OCIRepository" + fluxSources:  "spec.url",
	"HelmRepository" + fluxSources: "spec.url",
	"Bucket" + fluxSources:         "spec.endpoint spec.bucketName",
}

// words are those of relevant lines, by kind: the names of its fields in the tables, and what identifies it.
var words = func() map[string][]string {
	all := map[string][]string{}
	for _, table := range []map[string]string{holding, fixed, ends} {
		for resource := range table {
			kind, _, _ := strings.Cut(resource, ".")
			names := append(all[kind], "name", "kind", "apiVersion") //nolint:gocritic // it becomes the same
			for field := range strings.FieldsSeq(fixed[resource] + " " + ends[resource]) {
				field, _, _ = strings.Cut(strings.TrimPrefix(field, "spec."), "=")
				names = append(names, strings.Split(field, ".")...)
			}
			all[kind] = wording.Sorted(names)
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
		end := max(0, bytes.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }))
		kind := string(rest[:end])
		switch of := words[kind]; {
		case of == nil, kind == "ConfigMap" && !bytes.Contains(document, []byte("immutable")):
		case all == nil:
			all = of
		default:
			all = slices.Concat(all, of)
		}
	}
}

// ofRemoval returns the word for the removal of an object, and what goes with it. It does not matter if the object
// holds no data, runs nothing, or leaves what it delivers.
func ofRemoval(o *object) (word Word, what string, matters bool) {
	what, isHolding := holding[o.Resource]
	switch claims := o.text("spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"); {
	case o.Resource == "StatefulSet.apps" && claims == "Delete":
		return Deletes, ", with its claims", true
	case isHolding:
		return Deletes, what, what != delivered || o.cascades()
	}
	return Stops, "", slices.Contains([]string{"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch", "CronJob.batch"}, o.Resource)
}

// differingFields returns the fields of a table that differ.
func differingFields(table map[string]string, old, now *object) string {
	var all []string
	for field := range strings.FieldsSeq(table[old.Resource]) {
		field, or, _ := strings.Cut(field, "=")
		if was, is := old.value(field, or), now.value(field, or); !reflect.DeepEqual(was, is) && !mayChange(field, old, now, was, is) {
			all = append(all, field)
		}
	}
	return strings.Join(all, ", ")
}

// mayChange reports whether the API server lets a field of the tables change in this way.
func mayChange(field string, old, now *object, was, is any) bool {
	switch field {
	case "data", "binaryData", "stringData", "immutable":
		return !old.is("immutable")
	case "spec.completions":
		return old.text("spec", "completionMode") == "Indexed"
	case "spec.template": // of a Job that waits, or that the cluster deletes by itself
		return old.is("spec", "suspend") || yamlnode.At(old.node, "spec", "ttlSecondsAfterFinished") != nil
	case "spec.clusterIP": // the server keeps the address that it has
		return is == nil || old.text("spec", "type") == "ExternalName"
	case "spec.loadBalancerClass":
		return old.text("spec", "type") != "LoadBalancer" || now.text("spec", "type") != "LoadBalancer"
	case "spec.storageClassName", "spec.volumeName", "spec.dataSourceRef": // the server may have set the same
		return was == nil
	case "spec.resources.requests.storage":
		before, err := resource.ParseQuantity(fmt.Sprint(was))
		after, invalid := resource.ParseQuantity(fmt.Sprint(is))
		return err == nil && invalid == nil && after.Cmp(before) >= 0
	}
	return false
}

// value returns a field as the server compares it: with its default, and nil without one.
func (o *object) value(field, or string) (value any) {
	n := yamlnode.At(o.node, strings.Split(field, ".")...)
	switch {
	case n != nil && n.Decode(&value) == nil && value != nil && or == ".":
		return path.Clean(fmt.Sprint(value))
	case value != nil && or != "":
		return fmt.Sprint(value)
	case value != nil:
		return plain(value)
	case field == "spec.releaseName":
		return strings.TrimPrefix(o.text("spec", "targetNamespace")+"-"+o.Name, "-")
	case or == "metadata.namespace":
		return o.Namespace
	case or != "":
		return or
	}
	return nil
}

// plain returns a value without what the server leaves out, with amounts in one form, and without the version of
// a source, which is not the place that it comes from.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if repo := value["repoURL"]; repo != nil {
			return fmt.Sprint(repo, value["path"], value["chart"])
		}
		for key, each := range value {
			if value[key] = plain(each); each == nil {
				delete(value, key)
			} else if amount, err := resource.ParseQuantity(fmt.Sprint(each)); err == nil {
				value[key] = amount.String()
			}
		}
	case []any:
		for i, each := range value {
			value[i] = plain(each)
		}
	}
	return value
}
