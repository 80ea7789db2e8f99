// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type workloadModel struct {
	modelBase
	Workspace         *string                 `tfsdk:"workspace"`
	DeploymentTargets []deploymentTargetModel `tfsdk:"deployment_target"`
	ConfigSchemas     []string                `tfsdk:"config_schemas"`
}

func newWorkloadResource() resource.Resource {
	return &modelResource[workloadModel, *manifest.Workload]{
		typeName: "workload",
		kind:     manifest.KindWorkload,
		schema: modelSchema("A workload: an application with its deployment targets.",
			dnsLabel, map[string]schema.Attribute{
				"labels": labelsAttribute("Labels of the workload and of every deployment target, where they replace labels with the same key.",
					reservedLabel{key: manifest.LabelWorkspace, advice: "The label says which workspace the workload belongs to: write workspace = " +
						"\"...\" instead."}),
				"workspace": optionalText("Workspace of the workload, usually the application team. The workspace of a "+
					"`kalypso_workload_registration` wins.",
					filledLabelValue),
				"config_schemas": optionalTexts("JSON Schemas, as JSON or YAML texts, for the platform configuration of every deployment target.",
					jsonSchema),
			}, map[string]schema.Block{"deployment_target": deploymentTargetBlock()}),
		toObjects: one(workloadModel.object),
		toModel:   sure(workloadModelOf),
	}
}

func (m workloadModel) object() *manifest.Workload {
	meta := m.meta(manifest.KindWorkload)
	if m.Workspace != nil {
		meta.Labels = withLabel(meta.Labels, manifest.LabelWorkspace, *m.Workspace)
	}
	o := &manifest.Workload{Meta: meta, ConfigSchemas: m.ConfigSchemas}
	for _, t := range m.DeploymentTargets {
		o.DeploymentTargets = append(o.DeploymentTargets, manifest.DeploymentTarget{
			Name: t.Name, Environment: t.Environment, Labels: t.Labels, Manifests: t.Manifests, ConfigSchemas: t.ConfigSchemas,
		})
	}
	return o
}

func workloadModelOf(o *manifest.Workload) workloadModel {
	m := workloadModel{
		modelBase:     baseOf(o.Meta),
		Workspace:     optional(o.Labels[manifest.LabelWorkspace]),
		ConfigSchemas: o.ConfigSchemas,
	}
	m.Labels = withoutLabel(m.Labels, manifest.LabelWorkspace)
	for _, t := range o.DeploymentTargets {
		m.DeploymentTargets = append(m.DeploymentTargets, deploymentTargetModel{
			Name: t.Name, Environment: t.Environment, Labels: t.Labels, Manifests: t.Manifests, ConfigSchemas: t.ConfigSchemas,
		})
	}
	return m
}

// withLabel returns the labels with an additional label.
func withLabel(labels map[string]string, key, value string) map[string]string {
	more := map[string]string{}
	maps.Copy(more, labels)
	more[key] = value
	return more
}

// withoutLabel returns the labels except one; nil if there are no other labels.
func withoutLabel(labels map[string]string, key string) map[string]string {
	fewer := maps.Clone(labels)
	delete(fewer, key)
	if len(fewer) == 0 {
		return nil
	}
	return fewer
}
