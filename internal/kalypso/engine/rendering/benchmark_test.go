// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// Three ordinary templates, like those of the public Kalypso samples.
const (
	fluxRepository = `apiVersion: source.toolkit.fluxcd.io/v1beta2
kind: GitRepository
metadata:
  name: {{ .Environment}}.{{ .Workspace}}.{{ index .Labels "use-case"}}.{{ .DeploymentTargetName}}.{{ .ClusterType}}
  namespace: flux-system
spec:
  interval: 30s
  url: {{ .Manifests.repo}}
  ref:
    branch: {{ .Manifests.branch}}
`
	fluxKustomization = `apiVersion: kustomize.toolkit.fluxcd.io/v1beta2
kind: Kustomization
metadata:
  name: {{ .DeploymentTargetName}}
  namespace: flux-system
spec:
  targetNamespace: {{ .Namespace}}
  sourceRef:
    kind: GitRepository
    name: {{ .DeploymentTargetName}}
  path: {{ .Manifests.path}}
  prune: true
`
	namespaceManifest = `apiVersion: v1
kind: Namespace
metadata:
  name: {{ .Namespace}}
  labels:
    environment: {{ .Environment | quote }}
    workspace: {{ .Workspace | quote }}
    workload: {{ .Workload | quote }}
    deploymentTarget: {{ .DeploymentTargetName | quote }}
`
	configMapManifest = `apiVersion: v1
kind: ConfigMap
metadata:
  name: platform-config
  namespace: {{ .Namespace}}
data:
{{ toYaml .ConfigData | indent 2}}
`
)

func ordinaryTemplates() []*manifest.Template {
	return []*manifest.Template{
		templateOf("rec", fluxRepository, fluxKustomization), templateOf("ns", namespaceManifest), templateOf("cfg", configMapManifest),
	}
}

// many returns n different assignments, and one configuration for each ten of them.
func many(n int) (*fleet.Fleet, []*placement.Assignment, []*composition.Config) {
	f, first := sample(ordinaryTemplates()...)
	assignments, configs := make([]*placement.Assignment, n), make([]*composition.Config, n)
	for i := range assignments {
		target := *first.Target
		target.FullName = fmt.Sprintf("shop-%d", i)
		assignments[i] = &placement.Assignment{ClusterType: first.ClusterType, Target: &target, Namespace: fmt.Sprintf("dev-large-shop-%d", i)}
		if i%10 > 0 {
			configs[i] = configs[i-1]
			continue
		}
		values := map[string]any{"number": fmt.Sprint(i), "structure": map[string]any{"a": []any{"x", i}, "b": true}}
		for key := range 10 {
			values[fmt.Sprintf("KEY_%d", key)] = "some value of a usual length"
		}
		configs[i] = config(values)
	}
	return f, assignments, configs
}
