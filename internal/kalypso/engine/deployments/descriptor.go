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

// Version is which version of a workload some manifests are of.
type Version struct{ Version, Build, Commit string }

// ReadVersion returns the versions in the DeploymentDescriptors of some files, by their
// names, and whether there are any. It skips files that are not YAML. It returns an error
// if descriptors contradict each other.
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
			return Version{}, false, fmt.Errorf("%s: the DeploymentDescriptor has no workloadVersion that can be read%s", o.file, line)
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
