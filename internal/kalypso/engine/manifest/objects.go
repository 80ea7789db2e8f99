// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
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

// LeadsTo returns the folder that other objects are in, and its commit if that is pinned, for
// an object that names one.
func LeadsTo(o Object) (ref RepoRef, commit string, leads bool) {
	switch x := o.(type) {
	case *BaseRepo:
		return x.RepoRef, x.Commit, true
	case *WorkloadRegistration:
		return x.Workload, "", true
	}
	return RepoRef{}, "", false
}

// ConfigSchema is a JSON Schema that composed configuration has to satisfy.
type ConfigSchema struct {
	Meta   `json:"-"`
	Schema string `json:"schema" needs:"the text of a JSON Schema" is:"schema"`
}

// schemaFaults says why a text cannot be a JSON Schema. Kalypso reads one JSON object, and ignores
// what follows it. The package composition compiles the schema, and so decides whether it is one.
func schemaFaults(schema string) []string {
	schema = strings.TrimPrefix(schema, "\ufeff") // an editor's byte order mark
	var object map[string]any
	if json.NewDecoder(strings.NewReader(schema)).Decode(&object) == nil {
		return nil
	}
	switch roots, err := parse(schema); {
	case err != nil:
		return []string{"it is neither JSON nor YAML, " + strings.TrimPrefix(err.Error(), "yaml: ")}
	case len(roots) != 1:
		return []string{fmt.Sprintf("it holds %d documents, but one is needed", len(roots))}
	}
	return nil
}

// AppConfigPrefix starts the names of ConfigMaps that come from Azure App
// Configuration and carry their label pairs in their keys
// (docs/guides/semantics.md, section 3.5).
const AppConfigPrefix = "azure-app-config"

// ConfigMap is a platform configuration: labelled so, or from Azure App Configuration.
type ConfigMap struct {
	Meta `json:"-"`
	Data map[string]string `json:"data,omitempty" keys:"config key" values:"nullable"`
}

// IsPlatformConfig reports whether the ConfigMap takes part in composing
// (docs/guides/semantics.md, section 3.1).
func (c *ConfigMap) IsPlatformConfig() bool { return c.Labels[LabelPlatformConfig] == "true" }

// takesPart reports whether the ConfigMap is configuration of the platform at
// all: by its label, or as one of Azure App Configuration's by its name.
func (c *ConfigMap) takesPart() bool {
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
