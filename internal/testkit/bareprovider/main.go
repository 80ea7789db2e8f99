// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command bareprovider serves a provider whose only resource, kalypso_map, keeps a map of digests: what Terraform and the framework need
// for a map, without any work of a provider.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/kalypso-gitops/kalypso"}
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return bare{} }, options); err != nil {
		log.Fatal(err)
	}
}

type bare struct{}

func (bare) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "kalypso"
}

func (bare) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (bare) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (bare) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (bare) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return digests{} }}
}

// digests is the resource: as many digests as the configuration says.
type digests struct{}

func (digests) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kalypso_map"
}

func (digests) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"length": schema.Int64Attribute{Required: true},
		"packages": schema.MapAttribute{ElementType: types.StringType, Computed: true,
			PlanModifiers: []planmodifier.Map{mapplanmodifier.UseStateForUnknown()}},
	}}
}

func (digests) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var length int64
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("length"), &length)...)
	packages := map[string]string{}
	for i := range length {
		packages[fmt.Sprintf("region%d-type%d/app-%d-t%d", i%10, i/10%10, i/100, i%7)] = fmt.Sprintf("%012x", i*7919)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("length"), length)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("packages"), packages)...)
}

func (digests) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (digests) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (digests) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
