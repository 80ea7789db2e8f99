// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// providerFunction is a function of the provider. run computes its result.
type providerFunction struct {
	name       string
	definition function.Definition
	run        functionRun
}

type functionRun func(ctx context.Context, arguments function.ArgumentsData) (result any, failed *function.FuncError)

func (f providerFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f providerFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f providerFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := f.run(ctx, req.Arguments)
	if resp.Error = failed; failed == nil {
		resp.Error = resp.Result.Set(ctx, result)
	}
}

// environmentParameters are the parameters of functions of a whole environment. While an
// argument is unknown, Terraform does not call the function, and the result is unknown too.
func environmentParameters() []function.Parameter {
	return []function.Parameter{
		function.ListParameter{
			Name: "manifests", ElementType: types.StringType,
			MarkdownDescription: "The fleet: Kalypso's objects as YAML, one or more documents in each element.",
			Validators:          []function.ListParameterValidator{listvalidator.SizeAtLeast(1)},
		},
		function.StringParameter{
			Name:                "environment",
			MarkdownDescription: "The environment.",
			Validators:          []function.StringParameterValidator{stringvalidator.LengthAtLeast(1)},
		},
	}
}

// pairParameters are the parameters of functions of one deployment target on one cluster
// type.
func pairParameters() []function.Parameter {
	return append(environmentParameters(),
		function.StringParameter{
			Name:                "deployment_target",
			MarkdownDescription: "The deployment target's full name, `<workload>-<target>`.",
		},
		function.StringParameter{
			Name:                "cluster_type",
			MarkdownDescription: "The cluster type's name.",
		},
	)
}

// ofEnvironment returns the run of a function with environmentParameters. With placeOnly,
// it only places the environment.
func ofEnvironment(placeOnly bool, result func(context.Context, *engine.Result) (any, error)) functionRun {
	return func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var list types.List
		var environment string
		if failed := arguments.Get(ctx, &list, &environment); failed != nil {
			return nil, failed
		}
		computed, err := engine.Compute(ctx, engine.Input{Manifests: manifestInputs(list), Environment: environment, PlaceOnly: placeOnly})
		if err == nil {
			err = computed.Fleet.CheckEnvironment()
		}
		if err != nil {
			return nil, engineFailure(err)
		}
		returned, err := result(ctx, computed)
		return returned, engineFailure(err)
	}
}

// pair has the arguments of a function with pairParameters.
type pair struct {
	manifests                        []manifest.Text
	environment, target, clusterType string
}

func ofPair(compute func(pair) (any, error)) functionRun {
	return func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var list types.List
		var p pair
		if failed := arguments.Get(ctx, &list, &p.environment, &p.target, &p.clusterType); failed != nil {
			return nil, failed
		}
		p.manifests = manifestInputs(list)
		result, err := compute(p)
		if err != nil {
			return nil, engineFailure(err)
		}
		return result, nil
	}
}

func engineFailure(err error) *function.FuncError {
	if err == nil {
		return nil
	}
	var list problem.List
	if !errors.As(err, &list) {
		return unended(problem.Sentence(err))
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Summary + ": " + p.Text()
	}
	return unended(strings.Join(texts, "\n\n"))
}

// unended returns an error without its last full stop, because Terraform adds one. After a
// question, unended adds a sentence: Terraform's full stop would follow the question mark.
func unended(text string) *function.FuncError {
	if strings.HasSuffix(text, "?") {
		text += " Correct it."
	}
	return function.NewFuncError(strings.TrimSuffix(text, "."))
}
