// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
)

// hubGroup is the API group of Kalypso's Observability Hub.
const hubGroup = "hub.kalypso.io"

// Version is the version of a workload that some manifests belong to.
type Version struct{ Version, Build, Commit string }

// ReadVersion returns the version in the DeploymentDescriptors of some files, and whether
// any descriptor exists. Keys of files are names. It skips files that are not YAML. Errors:
// descriptors contradict each other.
func ReadVersion(files map[string][]byte) (Version, bool, error) {
	var objects []object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if found, err := objectsOf(name, files[name]); err == nil && IsReadable(name) {
			objects = append(objects, found...)
		}
	}
	return versionIn(objects)
}

func versionIn(objects []object) (found Version, ok bool, err error) {
	for _, o := range objects {
		if !o.is(hubGroup, "DeploymentDescriptor") {
			continue
		}
		if line := odd(o.node, "spec", "workloadVersion"); line != "" {
			return Version{}, false, fmt.Errorf("%s: the DeploymentDescriptor has no readable workloadVersion%s", o.file, line)
		}
		said := func(field string) string { return credential.Redact(o.text("spec", "workloadVersion", field)) }
		v := Version{said("version"), said("build"), said("commit")}
		if ok && v != found {
			return Version{}, false, fmt.Errorf("%s: DeploymentDescriptors name different versions", o.file)
		}
		found, ok = v, true
	}
	return found, ok, nil
}
