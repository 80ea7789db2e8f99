// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Environment is a rollout stage and where its objects live.
type Environment struct {
	Meta         `json:"-"`
	ControlPlane RepoRef `json:"controlPlane" needs:"where the environment's objects live: repo, branch and path"`
}

func (e *Environment) encode(to *envelope) { to.Spec = written(e) }

// MainBaseRepo is the name of the BaseRepo that carries the promoted commit.
const MainBaseRepo = "main"

// BaseRepo is another layer of objects, pinned to Commit if that is not empty.
type BaseRepo struct {
	Meta `json:"-"`
	RepoRef
	Commit string `json:"commit,omitempty"`
}

func (b *BaseRepo) encode(to *envelope) { to.Spec = written(b) }

// WorkloadRegistration says where an application team keeps its Workload.
type WorkloadRegistration struct {
	Meta      `json:"-"`
	Workload  RepoRef `json:"workload" needs:"where the application team keeps its Workload: repo, branch and path"`
	Workspace string  `json:"workspace,omitempty"`
}

func (r *WorkloadRegistration) encode(to *envelope) { to.Spec = written(r) }

// ClusterType is a group of alike clusters; its labels are its capabilities.
// The three references are names of Templates; ConfigType may be empty.
type ClusterType struct {
	Meta             `json:"-"`
	Reconciler       string `json:"reconciler" needs:"the name of a Template of type reconciler"`
	NamespaceService string `json:"namespaceService" needs:"the name of a Template of type namespace"`
	ConfigType       string `json:"configType,omitempty"`
}

func (c *ClusterType) encode(to *envelope) { to.Spec = written(c) }

// ConfigSchema is a JSON Schema that composed configuration has to satisfy.
type ConfigSchema struct {
	Meta   `json:"-"`
	Schema string `json:"schema" needs:"the text of a JSON Schema"`
}

func (c *ConfigSchema) encode(to *envelope) { to.Spec = written(c) }

// checkSchema reports a schema's text that is not YAML and does not begin with a JSON
// object. The package composition compiles it, and so decides whether it is a JSON Schema.
func (d *document) checkSchema(n *yaml.Node, path, schema string) {
	schema = strings.TrimPrefix(schema, "\ufeff") // an editor's byte order mark
	var object map[string]any
	if json.NewDecoder(strings.NewReader(schema)).Decode(&object) == nil {
		return
	}
	roots, err := parse(schema)
	switch {
	case err != nil:
		d.report(n, "Invalid schema", "%s is neither JSON nor YAML: %s. Write a JSON Schema.", path, strings.TrimPrefix(err.Error(), "yaml: "))
	case len(roots) != 1:
		d.report(n, "Invalid schema", "%s holds %d documents, but one is needed. Write one JSON Schema.", path, len(roots))
	}
}

// GitOpsRepo says where the result is written.
type GitOpsRepo struct {
	Meta `json:"-"`
	RepoRef
}

func (g *GitOpsRepo) encode(to *envelope) { to.Spec = written(g) }

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
