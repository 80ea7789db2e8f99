// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Labels with a meaning of their own.
const (
	// LabelPlatformConfig marks a ConfigMap as platform configuration when it is "true".
	LabelPlatformConfig = "platform-config"
	// LabelWorkspace and LabelWorkload are set on every deployment target.
	LabelWorkspace = "workspace"
	LabelWorkload  = "workload"
	// LabelClusterType and LabelDeploymentTarget on a ConfigMap or ConfigSchema mean names, not labels.
	LabelClusterType      = "cluster-type"
	LabelDeploymentTarget = "deployment-target"
	// LabelFluxPrefix starts the labels that Flux sets on the objects that it delivers.
	LabelFluxPrefix = "kustomize.toolkit.fluxcd.io/"
	// LabelFluxOwner names the Flux Kustomization, and so the registration, that delivered an object.
	LabelFluxOwner = LabelFluxPrefix + "name"
)

// labels returns a mapping of labels, checked by Kubernetes' rules.
func (f *fields) labels(name string) map[string]string {
	return f.texts(name, func(path string, e entry, value string) {
		if faults := validation.IsQualifiedName(e.key); len(faults) > 0 {
			f.doc.report(e.at, "Invalid label", "The key %s in %s cannot be a label: %s. Change the key.", quote(e.key), path,
				strings.Join(faults, "; "))
		}
		if faults := validation.IsValidLabelValue(value); len(faults) > 0 && isText(e.value) {
			f.doc.report(e.value, "Invalid label", "%s is %s, which cannot be a label's value: %s. Change the value.",
				field(path, e.key), quote(value), strings.Join(faults, "; "))
		}
	})
}
