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

// environmentParameters are the parameters of functions of a whole environment. While one
// of them is unknown, Terraform does not call the function, and its result is unknown too.
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

// environmentArguments reads environmentParameters, and the following parameters into
// more.
func environmentArguments(ctx context.Context, arguments function.ArgumentsData, more ...any) (manifests []manifest.Text,
	environment string, failed *function.FuncError) {
	var list types.List
	if failed = arguments.Get(ctx, append([]any{&list, &environment}, more...)...); failed != nil {
		return nil, "", failed
	}
	return manifestInputs(list), environment, nil
}

// environmentResult reads environmentParameters, and computes the environment. With
// placeOnly, it only places.
func environmentResult(ctx context.Context, arguments function.ArgumentsData, placeOnly bool) (*engine.Result, *function.FuncError) {
	manifests, environment, failed := environmentArguments(ctx, arguments)
	if failed != nil {
		return nil, failed
	}
	result, err := engine.Compute(ctx, engine.Input{Manifests: manifests, Environment: environment, PlaceOnly: placeOnly})
	if err == nil {
		err = result.Fleet.CheckEnvironment()
	}
	return result, engineFailure(err)
}

// engineFailure reports all errors of the engine; nil if err is nil.
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

// unended is an error without the full stop that Terraform puts behind it. A question, which
// would end in two marks, gets a sentence behind it.
func unended(text string) *function.FuncError {
	if strings.HasSuffix(text, "?") {
		text += " Correct it."
	}
	return function.NewFuncError(strings.TrimSuffix(text, "."))
}
