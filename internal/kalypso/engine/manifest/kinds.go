// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package manifest reads and writes Kalypso's objects as YAML documents
// ("manifests"): the ten kinds of semantics.md, strictly decoded, each object
// valid in itself. What objects mean to each other is package fleet's concern.
package manifest

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIVersion is the apiVersion of every Kalypso object but the ConfigMap.
const APIVersion = "scheduler.kalypso.io/v1alpha1"

// Kind is the kind of an object, as it stands in the document.
type Kind string

// The kinds that make up a fleet.
const (
	KindEnvironment          Kind = "Environment"
	KindBaseRepo             Kind = "BaseRepo"
	KindWorkloadRegistration Kind = "WorkloadRegistration"
	KindWorkload             Kind = "Workload"
	KindClusterType          Kind = "ClusterType"
	KindTemplate             Kind = "Template"
	KindSchedulingPolicy     Kind = "SchedulingPolicy"
	KindConfigSchema         Kind = "ConfigSchema"
	KindGitOpsRepo           Kind = "GitOpsRepo"
	KindConfigMap            Kind = "ConfigMap"
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
	// LabelFluxPrefix starts the labels that Flux sets on what it delivers.
	LabelFluxPrefix = "kustomize.toolkit.fluxcd.io/"
	// LabelFluxOwner names the Flux Kustomization, and so the registration, that delivered an object.
	LabelFluxOwner = LabelFluxPrefix + "name"
)

// AppConfigPrefix starts the names of ConfigMaps that come from Azure App
// Configuration and carry their label pairs in their keys (semantics.md, 3.5).
const AppConfigPrefix = "azure-app-config"

// Source is the place in the input that an object comes from.
type Source struct {
	// Name is the input's: "manifests[3]", or a file's path.
	Name string
	// Line is the document's first line in it, counted from 1.
	Line int
}

// String gives the place for a message: "manifests[3], line 12".
func (s Source) String() string {
	if s.Line == 0 {
		return s.Name
	}
	return fmt.Sprintf("%s, line %d", s.Name, s.Line)
}

// Meta is what every object has.
type Meta struct {
	Kind   Kind
	Name   string
	Labels map[string]string
	Source Source
}

// ID gives kind/name, as messages name an object.
func (m Meta) ID() string { return string(m.Kind) + "/" + m.Name }

// Metadata gives what every object has; it makes each kind an Object.
func (m Meta) Metadata() Meta { return m }

// Object is a pointer to any of the kinds below.
type Object interface{ Metadata() Meta }

// RepoRef is a place in a git repository.
type RepoRef struct {
	Repo   string `yaml:"repo"`
	Branch string `yaml:"branch"`
	Path   string `yaml:"path"`
}

// Environment is a rollout stage and where its objects live.
type Environment struct {
	Meta
	ControlPlane RepoRef
}

// BaseRepo is another layer of objects, pinned to Commit where that is not
// empty. The one named "main" carries the promoted commit.
type BaseRepo struct {
	Meta
	RepoRef
	Commit string
}

// WorkloadRegistration says where an application team keeps its Workload.
type WorkloadRegistration struct {
	Meta
	Workload  RepoRef
	Workspace string
}

// Workload is what to deploy: one deployment target for each place or purpose.
type Workload struct {
	Meta
	DeploymentTargets []DeploymentTarget
	ConfigSchemas     []string
}

// DeploymentTarget is one target of a Workload, as written there.
type DeploymentTarget struct {
	Name          string
	Labels        map[string]string
	Environment   string
	Manifests     map[string]string
	ConfigSchemas []string
}

// ClusterType is a group of alike clusters; its labels are its capabilities.
// The three references are names of Templates; ConfigType may be empty.
type ClusterType struct {
	Meta
	Reconciler       string
	NamespaceService string
	ConfigType       string
}

// TemplateType says which of an assignment's files a Template renders.
type TemplateType string

// The template types.
const (
	TemplateReconciler TemplateType = "reconciler"
	TemplateNamespace  TemplateType = "namespace"
	TemplateConfig     TemplateType = "config"
)

// ContentTypeShell makes a template's file end in .sh; every other content type makes it .yaml.
const ContentTypeShell = "sh"

// Template holds Go text/template sources, one per manifest.
type Template struct {
	Meta
	Type        TemplateType
	ContentType string
	Manifests   []string
}

// SchedulingPolicy says which deployment targets go on which cluster types.
type SchedulingPolicy struct {
	Meta
	// Workspace narrows the deployment targets to one workspace unless it is empty.
	Workspace         string
	DeploymentTargets metav1.LabelSelector
	ClusterTypes      metav1.LabelSelector
}

// ConfigSchema is a JSON Schema that composed configuration has to satisfy.
type ConfigSchema struct {
	Meta
	Schema string
}

// GitOpsRepo says where the result is written.
type GitOpsRepo struct {
	Meta
	RepoRef
}

// ConfigMap is a platform configuration: labelled so, or from Azure App Configuration.
type ConfigMap struct {
	Meta
	Data map[string]string
}

// IsPlatformConfig tells whether the ConfigMap takes part in semantics.md, 3.1.
func (c *ConfigMap) IsPlatformConfig() bool { return c.Labels[LabelPlatformConfig] == "true" }

// Objects are all objects of a document list, in the order they were read.
type Objects struct {
	Environments          []*Environment
	BaseRepos             []*BaseRepo
	WorkloadRegistrations []*WorkloadRegistration
	Workloads             []*Workload
	ClusterTypes          []*ClusterType
	Templates             []*Template
	SchedulingPolicies    []*SchedulingPolicy
	ConfigSchemas         []*ConfigSchema
	GitOpsRepos           []*GitOpsRepo
	ConfigMaps            []*ConfigMap
}

// All gives the objects one by one, kind by kind.
func (o *Objects) All() []Object {
	var all []Object
	all = collect(all, o.Environments)
	all = collect(all, o.BaseRepos)
	all = collect(all, o.WorkloadRegistrations)
	all = collect(all, o.Workloads)
	all = collect(all, o.ClusterTypes)
	all = collect(all, o.Templates)
	all = collect(all, o.SchedulingPolicies)
	all = collect(all, o.ConfigSchemas)
	all = collect(all, o.GitOpsRepos)
	return collect(all, o.ConfigMaps)
}

func collect[O Object](all []Object, objects []O) []Object {
	for _, object := range objects {
		all = append(all, object)
	}
	return all
}

// Input is one text of the document list: one or more YAML documents.
type Input struct {
	// Name tells the reader of a message which text is meant: "manifests[3]".
	Name string
	Text string
	// before is how many lines of the file stand before the text, see Excerpt.
	before int
}
