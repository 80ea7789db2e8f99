// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
					"`WorkloadRegistration` wins.",
					filledLabelValue),
				"config_schemas": optionalTexts("JSON Schemas, as JSON or YAML texts, for the platform configuration of every deployment target.",
					jsonSchema),
			}, map[string]schema.Block{"deployment_target": deploymentTargetBlock()}),
		toObject: workloadModel.object,
		toModel:  workloadModelOf,
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
			Name: t.Name, Environment: orElse(t.Environment, ""), Labels: t.Labels, Manifests: t.Manifests, ConfigSchemas: t.ConfigSchemas,
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
			Name: t.Name, Environment: optional(t.Environment), Labels: t.Labels, Manifests: t.Manifests, ConfigSchemas: t.ConfigSchemas,
		})
	}
	return m
}

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

type deploymentTargetModel struct {
	Name          string            `tfsdk:"name"`
	Environment   *string           `tfsdk:"environment"`
	Labels        map[string]string `tfsdk:"labels"`
	Manifests     map[string]string `tfsdk:"manifests"`
	ConfigSchemas []string          `tfsdk:"config_schemas"`
}

func deploymentTargetBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "A deployment target. Its full name is `<workload>-<name>`. A `dynamic` block makes targets from a list or map: " +
			"see [Environments and promotion](../guides/environments-and-promotion.md).",
		Validators: []validator.List{oneTargetPerName{"must not have two targets of one name in one environment"}},
		NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"name":        requiredText("Name of the target, unique in its workload and environment.", dnsLabel),
				"environment": optionalText("Environment of the target, such as `dev`. Without it, the target exists in every environment.", dnsLabel),
				"labels": labelsAttribute("Labels by which scheduling policies select the target.",
					reservedLabel{key: manifest.LabelWorkspace, advice: "A target's workspace is that of its workload: write workspace = \"...\" there."},
					reservedLabel{key: manifest.LabelWorkload, advice: "Every target has this label already, with the name of its workload as value. " +
						"Remove it."}),
				"manifests": schema.MapAttribute{
					ElementType: types.StringType,
					Optional:    true,
					MarkdownDescription: "Where the Kubernetes manifests of the target are: usually `repo`, `branch` and `path`. Templates see these " +
						"values as `.Manifests`.",
					Validators: []validator.Map{mapvalidator.NoNullValues()},
				},
				"config_schemas": optionalTexts("More JSON Schemas for the platform configuration of this target.", jsonSchema),
			},
		},
	}
}

// oneTargetPerName is a validator for deployment targets: two of one name in one
// environment would share a folder (docs/guides/semantics.md, section 1).
type oneTargetPerName struct{ described }

func (oneTargetPerName) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	type place struct{ name, environment string }
	seen := map[place]int{}
	for i, element := range req.ConfigValue.Elements() {
		target, _ := element.(types.Object)
		name, _ := target.Attributes()["name"].(types.String)
		environment, _ := target.Attributes()["environment"].(types.String)
		p := place{name.ValueString(), environment.ValueString()}
		if p.name == "" || environment.IsUnknown() {
			continue
		}
		if other, taken := seen[p]; taken {
			at := req.Path.AtListIndex(i)
			resp.Diagnostics.AddAttributeError(at, "Two deployment targets of the same name",
				fmt.Sprintf("%s and %s are both called %q in the same environment, so they would share a folder. Rename one of them.",
					req.Path.AtListIndex(other), at, p.name))
			continue
		}
		seen[p] = i
	}
}
