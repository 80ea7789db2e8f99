// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// fleet is the environment prod of cluster types large and small, with the workload
// web on all of them, whose label family every package renders.
func fleet(family string, clusterTypes ...string) engine.Input {
	return fleetOf("prod", family, clusterTypes...)
}

// fleetOf is the fleet in an environment.
func fleetOf(environment, family string, clusterTypes ...string) engine.Input {
	var b strings.Builder
	b.WriteString(templates)
	fmt.Fprintf(&b, workload, family, environment)
	for _, name := range clusterTypes {
		fmt.Fprintf(&b, clusterType, name)
	}
	return engine.Input{Environment: environment, Manifests: []manifest.Text{{Name: "fleet", Text: b.String()}}}
}

// both is the fleet of both cluster types.
func both(family string) engine.Input { return fleet(family, "large", "small") }

// with returns a fleet with further objects: batch, baseRepo.
func with(in engine.Input, objects ...string) engine.Input {
	in.Manifests = slices.Clone(in.Manifests)
	for i, object := range objects {
		in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprintf("object %d", i), Text: object})
	}
	return in
}

// promoted is the promoted commit of most tests.
const promoted = "0123456789abcdef0123456789abcdef01234567"

const templates = `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: reconciler}
spec: {type: reconciler, manifests: ["{kind: ConfigMap, apiVersion: v1, metadata: {name: {{ .DeploymentTargetName }}, namespace: {{ .Namespace }}, labels: {family: {{ .Labels.family }}}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: namespace}
spec: {type: namespace, manifests: ["{kind: Namespace, apiVersion: v1, metadata: {name: {{ .Namespace }}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: config}
spec: {type: config, manifests: ["{kind: ConfigMap, apiVersion: v1, metadata: {name: platform-config, namespace: {{ .Namespace }}}, data: {{ toJson .ConfigData }}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: everywhere}
spec: {deploymentTargetSelector: {workspace: web-team, labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
`

const workload = `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: web, labels: {workspace: web-team, family: %s}}
spec: {deploymentTargets: [{name: live, environment: %s}]}
`

const clusterType = `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: %[1]s, labels: {size: %[1]s}}
spec: {reconciler: reconciler, namespaceService: namespace, configType: config}
`

// batch is the workload batch, which is placed on large alone.
const batch = `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: batch, labels: {workspace: batch-team, family: none}}
spec: {deploymentTargets: [{name: nightly, environment: prod}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: batch-on-large}
spec: {deploymentTargetSelector: {workspace: batch-team, labelSelector: {}}, clusterTypeSelector: {labelSelector: {matchLabels: {size: large}}}}
`

// baseRepo is the BaseRepo that carries the promoted commit.
func baseRepo(commit string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: main}\n"+
		"spec: {repo: \"https://git.example/control-plane\", branch: main, path: ., commit: \"%s\"}\n", commit)
}

// fleetFiles are the files of both cluster types, batchFiles those of batch.
var (
	fleetFiles = []string{
		"large/README.md", "large/web-live/namespace.yaml", "large/web-live/platform-config.yaml", "large/web-live/reconciler.yaml",
		"small/README.md", "small/web-live/namespace.yaml", "small/web-live/platform-config.yaml", "small/web-live/reconciler.yaml",
	}
	batchFiles = []string{"large/batch-nightly/namespace.yaml", "large/batch-nightly/platform-config.yaml",
		"large/batch-nightly/reconciler.yaml"}
)

// and returns paths with further ones.
func and(paths []string, more ...string) []string { return slices.Concat(paths, more) }

// below returns paths below a folder.
func below(folder string, paths ...string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = folder + "/" + path
	}
	return all
}
