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

// server is the framework's server of the provider. Two kinds of values bypass the framework:
// the result of the function deployments, and the deployments that functions show.
type server struct{ tfprotov6.ProviderServer }

// newServer hides the features of the framework's server beyond tfprotov6.ProviderServer:
// list resources, actions and state stores. A provider with one of these features compiles,
// but Terraform refuses it at run time, unless server has the methods of an interface like
// tfprotov6.ProviderServerWithListResource.
func newServer(p provider.Provider) tfprotov6.ProviderServer {
	return server{providerserver.NewProtocol6(p)()}
}

// CallFunction implements tfprotov6.FunctionServer.
func (s server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	if showsFleet[req.Name] {
		for i, argument := range req.Arguments {
			req.Arguments[i] = packArgument(argument)
		}
	}
	resp, err := s.ProviderServer.CallFunction(ctx, req)
	if err == nil && resp.Error == nil && req.Name == tellsDeployments {
		resp.Result, err = unpackResult(resp.Result)
	}
	return resp, err
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
