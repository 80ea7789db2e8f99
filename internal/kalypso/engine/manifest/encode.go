// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Encode gives an object as one YAML document, always the same bytes for the
// same object; Decode gives the object back. Long texts stand as block scalars.
// Bytes that are no UTF-8 become U+FFFD, since YAML cannot hold them.
func Encode(o Object) string {
	m := o.Metadata()
	e := envelope{APIVersion: APIVersion, Kind: m.Kind, Metadata: metadata{text(m.Name), texts(m.Labels)}}
	if c, ok := o.(*ConfigMap); ok {
		e.APIVersion, e.Data = coreVersion, texts(c.Data)
	} else {
		e.Spec = specOf(o)
	}
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Strings, lists and mappings of valid UTF-8, into memory: nothing here can fail.
	_ = encoder.Encode(e)
	_ = encoder.Close()
	return b.String()
}

// The types below are the documents' shape. Their fields are in the order that
// a reader expects.
type (
	envelope struct {
		APIVersion string        `yaml:"apiVersion"`
		Kind       Kind          `yaml:"kind"`
		Metadata   metadata      `yaml:"metadata"`
		Spec       any           `yaml:"spec,omitempty"`
		Data       map[text]text `yaml:"data,omitempty"`
	}
	metadata struct {
		Name   text          `yaml:"name"`
		Labels map[text]text `yaml:"labels,omitempty"`
	}
	environmentSpec struct {
		ControlPlane repoSpec `yaml:"controlPlane"`
	}
	repoSpec struct {
		Repo   text `yaml:"repo"`
		Branch text `yaml:"branch,omitempty"`
		Path   text `yaml:"path,omitempty"`
		Commit text `yaml:"commit,omitempty"`
	}
	registrationSpec struct {
		Workload  repoSpec `yaml:"workload"`
		Workspace text     `yaml:"workspace,omitempty"`
	}
	workloadSpec struct {
		DeploymentTargets []targetSpec `yaml:"deploymentTargets"`
		ConfigSchemas     []text       `yaml:"configSchemas,omitempty"`
	}
	targetSpec struct {
		Name          text          `yaml:"name"`
		Labels        map[text]text `yaml:"labels,omitempty"`
		Environment   text          `yaml:"environment"`
		Manifests     map[text]text `yaml:"manifests,omitempty"`
		ConfigSchemas []text        `yaml:"configSchemas,omitempty"`
	}
	clusterTypeSpec struct {
		Reconciler       text `yaml:"reconciler"`
		NamespaceService text `yaml:"namespaceService"`
		ConfigType       text `yaml:"configType,omitempty"`
	}
	templateSpec struct {
		Type        text   `yaml:"type"`
		ContentType text   `yaml:"contentType,omitempty"`
		Manifests   []text `yaml:"manifests"`
	}
	policySpec struct {
		DeploymentTargetSelector selectorSpec `yaml:"deploymentTargetSelector"`
		ClusterTypeSelector      selectorSpec `yaml:"clusterTypeSelector"`
	}
	selectorSpec struct {
		Workspace     text              `yaml:"workspace,omitempty"`
		LabelSelector labelSelectorSpec `yaml:"labelSelector"`
	}
	labelSelectorSpec struct {
		MatchLabels      map[text]text     `yaml:"matchLabels,omitempty"`
		MatchExpressions []requirementSpec `yaml:"matchExpressions,omitempty"`
	}
	requirementSpec struct {
		Key      text   `yaml:"key"`
		Operator text   `yaml:"operator"`
		Values   []text `yaml:"values,omitempty"`
	}
	schemaSpec struct {
		Schema text `yaml:"schema"`
	}
)

// specOf gives the spec of any object but a ConfigMap.
func specOf(o Object) any {
	switch x := o.(type) {
	case *Environment:
		return environmentSpec{repoSpecOf(x.ControlPlane, "")}
	case *BaseRepo:
		return repoSpecOf(x.RepoRef, x.Commit)
	case *GitOpsRepo:
		return repoSpecOf(x.RepoRef, "")
	case *WorkloadRegistration:
		return registrationSpec{repoSpecOf(x.Workload, ""), text(x.Workspace)}
	case *Workload:
		return workloadSpecOf(x)
	case *ClusterType:
		return clusterTypeSpec{text(x.Reconciler), text(x.NamespaceService), text(x.ConfigType)}
	case *Template:
		return templateSpec{text(x.Type), text(x.ContentType), textList(x.Manifests)}
	case *SchedulingPolicy:
		return policySpec{
			selectorSpec{text(x.Workspace), labelSelectorOf(x.DeploymentTargets)},
			selectorSpec{LabelSelector: labelSelectorOf(x.ClusterTypes)},
		}
	case *ConfigSchema:
		return schemaSpec{text(x.Schema)}
	default:
		return nil
	}
}

func repoSpecOf(r RepoRef, commit string) repoSpec {
	return repoSpec{text(r.Repo), text(r.Branch), text(r.Path), text(commit)}
}

func workloadSpecOf(w *Workload) workloadSpec {
	targets := make([]targetSpec, len(w.DeploymentTargets))
	for i, t := range w.DeploymentTargets {
		targets[i] = targetSpec{text(t.Name), texts(t.Labels), text(t.Environment), texts(t.Manifests), textList(t.ConfigSchemas)}
	}
	return workloadSpec{targets, textList(w.ConfigSchemas)}
}

func labelSelectorOf(s metav1.LabelSelector) labelSelectorSpec {
	spec := labelSelectorSpec{MatchLabels: texts(s.MatchLabels)}
	for _, r := range s.MatchExpressions {
		spec.MatchExpressions = append(spec.MatchExpressions, requirementSpec{text(r.Key), text(r.Operator), textList(r.Values)})
	}
	return spec
}
