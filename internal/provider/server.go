// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve serves the provider until Terraform ends, or with debug, until an interrupt.
func Serve(address, version string, debug bool) error {
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return newServer(New(version)()) }, options...)
}

// server is the framework's server of the provider. The digests of packages bypass the
// framework.
type server struct{ tfprotov6.ProviderServer }

// newServer hides the features of the framework's server beyond tfprotov6.ProviderServer:
// list resources, actions and state stores. A provider with one of these features compiles,
// but Terraform refuses it at run time, unless server has the methods of an interface like
// tfprotov6.ProviderServerWithListResource.
func newServer(p provider.Provider) tfprotov6.ProviderServer {
	return server{providerserver.NewProtocol6(p)()}
}

// packagesResource is the resource that has digests of packages.
const packagesResource = typeName + "_gitops_commit"

// ReadResource implements tfprotov6.ResourceServer.
func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return withPacked(ctx, s.ProviderServer.ReadResource, req, req.TypeName,
		func(resp *tfprotov6.ReadResourceResponse) **tfprotov6.DynamicValue { return &resp.NewState }, &req.CurrentState)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse,
	error) {
	return withPacked(ctx, s.ProviderServer.PlanResourceChange, req, req.TypeName,
		func(resp *tfprotov6.PlanResourceChangeResponse) **tfprotov6.DynamicValue { return &resp.PlannedState },
		&req.PriorState, &req.ProposedNewState)
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse,
	error) {
	return withPacked(ctx, s.ProviderServer.ApplyResourceChange, req, req.TypeName,
		func(resp *tfprotov6.ApplyResourceChangeResponse) **tfprotov6.DynamicValue { return &resp.NewState }, &req.PriorState, &req.PlannedState)
}

// withPacked sends a request about a resource to the framework. It packs the packages in
// the given objects, and unpacks the packages in the answer.
func withPacked[Req, Resp any](ctx context.Context, ask func(context.Context, Req) (*Resp, error), req Req, resource string,
	state func(*Resp) **tfprotov6.DynamicValue, objects ...**tfprotov6.DynamicValue) (*Resp, error) {
	if resource != packagesResource {
		return ask(ctx, req)
	}
	for _, object := range objects {
		packed, err := pack(*object)
		if err != nil {
			return nil, err
		}
		*object = packed
	}
	resp, err := ask(ctx, req)
	if err == nil {
		answer := state(resp)
		*answer, err = unpack(*answer)
	}
	return resp, err
}

// ImportResourceState implements tfprotov6.ResourceServer.
func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse,
	error) {
	resp, err := s.ProviderServer.ImportResourceState(ctx, req)
	if err != nil || req.TypeName != packagesResource {
		return resp, err
	}
	for _, imported := range resp.ImportedResources {
		if imported.State, err = unpack(imported.State); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// logVariables are how users ask for logs; Terraform passes them on.
var logVariables = []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", frameworkLogVariable}

const frameworkLogVariable = "TF_LOG_SDK_FRAMEWORK"

// QuietFramework stops the plugin framework from tracing every element of every value if
// Terraform throws the traces away. If a user asks for logs, it changes nothing. For the
// 10,000 elements of packages, the traces take more than half of a plan's time.
func QuietFramework() error {
	for _, variable := range logVariables {
		if os.Getenv(variable) != "" {
			return nil
		}
	}
	return os.Setenv(frameworkLogVariable, "WARN")
}
