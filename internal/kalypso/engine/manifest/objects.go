// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Environment is a rollout stage and where its objects live.
type Environment struct {
	Meta         `json:"-"`
	ControlPlane RepoRef `json:"controlPlane" needs:"where the environment's objects live: repo, branch and path"`
}

// MainBaseRepo is the name of the BaseRepo that carries the promoted commit.
const MainBaseRepo = "main"

// BaseRepo is another layer of objects, pinned to Commit if that is not empty.
type BaseRepo struct {
	Meta `json:"-"`
	RepoRef
	Commit string `json:"commit,omitempty"`
}

// WorkloadRegistration says where an application team keeps its Workload.
type WorkloadRegistration struct {
	Meta      `json:"-"`
	Workload  RepoRef `json:"workload" needs:"where the application team keeps its Workload: repo, branch and path"`
	Workspace string  `json:"workspace,omitempty"`
}

// ClusterType is a group of alike clusters; its labels are its capabilities.
// The three references are names of Templates; ConfigType may be empty.
type ClusterType struct {
	Meta             `json:"-"`
	Reconciler       string `json:"reconciler" needs:"the name of a Template of type reconciler"`
	NamespaceService string `json:"namespaceService" needs:"the name of a Template of type namespace"`
	ConfigType       string `json:"configType,omitempty"`
}

// GitOpsRepo says where the result is written.
type GitOpsRepo struct {
	Meta `json:"-"`
	RepoRef
}

// RepoRef is a place in a git repository.
type RepoRef struct {
	Repo   string `json:"repo" needs:"the URL of a git repository"`
	Branch string `json:"branch,omitempty"`
	Path   string `json:"path,omitempty"`
}

// ConfigSchema is a JSON Schema that composed configuration has to satisfy. The package composition
// compiles it.
type ConfigSchema struct {
	Meta   `json:"-"`
	Schema string `json:"schema" needs:"the text of a JSON Schema"`
}

// AppConfigPrefix starts the names of ConfigMaps that come from Azure App
// Configuration and carry their label pairs in their keys
// (docs/guides/semantics.md, section 3.5).
const AppConfigPrefix = "azure-app-config"

// ConfigMap is a platform configuration: labelled so, or from Azure App Configuration.
type ConfigMap struct {
	Meta `json:"-"`
	Data map[string]string `json:"data,omitempty" keys:"config key" values:"nullable"`
	// Binary has no effect: Kalypso reads data alone.
	Binary map[string]string `json:"binaryData,omitempty"`
}

// IsPlatformConfig reports whether the ConfigMap takes part in composing
// (docs/guides/semantics.md, section 3.1).
func (c *ConfigMap) IsPlatformConfig() bool { return c.Labels[LabelPlatformConfig] == "true" }

// TakesPart reports whether the ConfigMap is configuration of the platform at
// all: by its label, or as one of Azure App Configuration's by its name.
func (c *ConfigMap) TakesPart() bool {
	return c.IsPlatformConfig() || strings.HasPrefix(c.Name, AppConfigPrefix)
}

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

// Workload is what to deploy: one deployment target for each place or purpose.
type Workload struct {
	Meta              `json:"-"`
	DeploymentTargets []DeploymentTarget `json:"deploymentTargets,omitempty"`
	ConfigSchemas     []string           `json:"configSchemas,omitempty"`
}

// DeploymentTarget is one target of a Workload, as written there.
type DeploymentTarget struct {
	Name   string            `json:"name" needs:"a name that no other target of the workload has" is:"name"`
	Labels map[string]string `json:"labels,omitempty" keys:"label key" values:"label value"`
	// Environment is empty if the target belongs to every environment.
	Environment   string            `json:"environment,omitempty" is:"name"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty"`
	// Source is the target's place in the input.
	Source Origin `json:"-"`
}

// In reports whether the target exists in an environment.
func (t *DeploymentTarget) In(environment string) bool {
	return t.Environment == "" || t.Environment == environment
}

// check notes where the target is.
func (t *DeploymentTarget) check(m *mapping) { t.Source = m.doc.at(m.node) }

// DeploymentTargetObject is a deployment target as an object of its own. Kalypso's
// operator makes it from a target of a Workload, or somebody writes it by hand. Its name
// is the full one. Its labels workload and workspace say to whom it belongs. Its environment is its
// namespace, as in Kalypso's cluster.
type DeploymentTargetObject struct {
	Meta          `json:"-"`
	Environment   string            `json:"environment" needs:"the name of the environment the target is for" is:"name"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty"`
}

// Workload returns the name of the workload that the target belongs to.
func (t *DeploymentTargetObject) Workload() string { return t.Labels[LabelWorkload] }

// check notes the namespace that Kalypso would give the target.
func (t *DeploymentTargetObject) check(*mapping) { t.Namespace = t.Environment }

// SchedulingPolicy says which deployment targets go on which cluster types.
type SchedulingPolicy struct {
	Meta `json:"-"`
	// Workspace narrows the deployment targets to one workspace unless it is empty.
	Workspace         string               `json:"deploymentTargetSelector.workspace,omitempty"`
	DeploymentTargets metav1.LabelSelector `json:"deploymentTargetSelector.labelSelector"`
	ClusterTypes      metav1.LabelSelector `json:"clusterTypeSelector.labelSelector"`
	// Placement names the Placement that decides among the cluster types; empty for all of them.
	Placement string `annotation:"kalypso-gitops.io/placement,omitempty"`
	// PerTarget has the Placement decide for each deployment target on its own.
	PerTarget bool `annotation:"kalypso-gitops.io/placement-scope,omitempty" words:"deployment-target" true:"deployment-target"`
}

// annotationPrefix begins the annotations of a scheduling policy. Kalypso's own API has no fields
// for them. A misspelled one of ours is a problem, because the policy would place everywhere.
const annotationPrefix = "kalypso-gitops.io/"

// Operators are those of label selectors.
var Operators = []string{
	string(metav1.LabelSelectorOpIn), string(metav1.LabelSelectorOpNotIn),
	string(metav1.LabelSelectorOpExists), string(metav1.LabelSelectorOpDoesNotExist),
}

// Compiled returns a decoded selector in the form that matches labels. Decoding refuses every
// selector that Kubernetes refuses.
func Compiled(s metav1.LabelSelector) labels.Selector {
	compiled, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		panic("a selector that was not decoded: " + err.Error())
	}
	return compiled
}

// checkRequirement reports one of a selector's matchExpressions that Kubernetes refuses.
func checkRequirement(r *metav1.LabelSelectorRequirement, m *mapping) {
	if r.Key == "" || !slices.Contains(Operators, string(r.Operator)) || m.has("values") && m.at("values").Kind != yaml.SequenceNode {
		return // reported already
	}
	if _, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{*r}}); err != nil {
		m.doc.report(m.node, "Invalid selector", "%s has the operator %s and cannot be used: %s. In and NotIn need values, Exists and "+
			"DoesNotExist take none.", m.path, r.Operator, err)
	}
}
