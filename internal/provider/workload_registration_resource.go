// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type workloadRegistrationModel struct {
	modelBase
	Workload  repoModel `tfsdk:"workload"`
	Workspace string    `tfsdk:"workspace"`
}

// NewWorkloadRegistrationResource models a WorkloadRegistration.
func NewWorkloadRegistrationResource() resource.Resource {
	return &modelResource[workloadRegistrationModel, *manifest.WorkloadRegistration]{
		typeName: "workload_registration",
		kind:     manifest.KindWorkloadRegistration,
		schema: modelSchema("A workload registration: where an application team keeps its workload, and the workspace of the workload. "+
			"[`kalypso_control_plane`](../data-sources/control_plane.md) reads what it points to.",
			dnsSubdomain, map[string]schema.Attribute{
				"workspace": requiredText("Workspace of the workloads there, usually the application team.", filledLabelValue),
			}, map[string]schema.Block{
				"workload": repoBlock("Where the application team keeps its workload."),
			}),
		toObjects: one(workloadRegistrationModel.object),
		toModel:   sure(workloadRegistrationModelOf),
	}
}

func (m workloadRegistrationModel) object() *manifest.WorkloadRegistration {
	return &manifest.WorkloadRegistration{
		Meta:      m.meta(manifest.KindWorkloadRegistration),
		Workload:  m.Workload.ref(),
		Workspace: m.Workspace,
	}
}

func workloadRegistrationModelOf(o *manifest.WorkloadRegistration) workloadRegistrationModel {
	return workloadRegistrationModel{
		modelBase: baseOf(o.Meta),
		Workload:  repoOf(o.Workload),
		Workspace: o.Workspace,
	}
}
