// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// newFindingsFunction returns the function findings, which renders an environment.
func newFindingsFunction() function.Function {
	return providerFunction{"findings", function.Definition{
		Summary: "Probable mistakes and unused objects in an environment",
		MarkdownDescription: "Places, composes and renders an environment, and returns its findings as a list of `{severity, code, subject, " +
			"message}`. The `severity` is `error`, `warning` or `info`. `kalypso_gitops_commit` writes nothing while an `error` exists, unless " +
			"`ignore_findings` silences the error. " + findingCodes,
		Parameters: environmentParameters(),
		Return:     function.ListReturn{ElementType: findingType},
	}, ofEnvironment(false, func(ctx context.Context, result *engine.Result) (any, error) {
		found, err := result.Findings(ctx, nil)
		return findingModels(found), err
	})}
}

const findingCodes = "[Findings](../guides/findings.md) explains the codes, which are stable."

var findingType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"severity": types.StringType, "code": types.StringType, "subject": types.StringType, "message": types.StringType,
}}

type findingModel struct {
	Severity string `tfsdk:"severity"`
	Code     string `tfsdk:"code"`
	Subject  string `tfsdk:"subject"`
	Message  string `tfsdk:"message"`
}

// findingModels returns a list that is never null, so that length() and for work without coalescing.
func findingModels(all []findings.Finding) []findingModel {
	models := make([]findingModel, len(all))
	for i, f := range all {
		models[i] = findingModel{f.Severity, f.Code, f.Subject, f.Message}
	}
	return models
}

// newConsequencesFunction returns the function consequences, which compares two fleets.
func newConsequencesFunction() function.Function {
	return providerFunction{"consequences", function.Definition{
		Summary: "What clusters do if one fleet takes the place of another",
		MarkdownDescription: "Renders an environment of two fleets, and returns what delivery tools and clusters do with the difference, as a " +
			"list of `{severity, code, subject, message}` like `findings`. The codes are `CHANGE_DELETES`, `CHANGE_REFUSED`, `CHANGE_STOPS`, " +
			"`CHANGE_REPLACES` and `NAMESPACE_ORPHANED`. It reads no branch, so a test can say that a change deletes nothing. " + findingCodes,
		Parameters: append([]function.Parameter{function.ListParameter{
			Name: "before", ElementType: types.StringType,
			MarkdownDescription: "The fleet before, such as that of the main branch, written like `manifests`.",
		}}, environmentParameters()...),
		Return: function.ListReturn{ElementType: findingType},
	}, func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var before, after types.List
		var environment string
		if failed := arguments.Get(ctx, &before, &after, &environment); failed != nil {
			return nil, failed
		}
		old, err := engine.Compute(ctx, engine.Input{Manifests: manifestInputs(before), Environment: environment})
		if err != nil {
			return nil, function.NewArgumentFuncError(0, engineFailure(err).Text)
		}
		now, err := engine.Compute(ctx, engine.Input{Manifests: manifestInputs(after), Environment: environment})
		if err == nil { // the environment may be new
			err = now.Fleet.CheckEnvironment()
		}
		if err != nil {
			return nil, engineFailure(err)
		}
		return findingModels(publish.Consequences(old, now)), nil
	}}
}

// newRenderFunction returns the function render, which returns the files of an environment.
func newRenderFunction() function.Function {
	return providerFunction{"render", function.Definition{
		Summary: "The content of every file of an environment",
		MarkdownDescription: "Places, composes and renders an environment, and returns a map from path to content: the files that " +
			"`kalypso_gitops_commit` would write, below its `path`. Use it for tests and `local_file`. The result is as large as the " +
			"repository, so do not keep it in an output.",
		Parameters: environmentParameters(),
		Return:     function.MapReturn{ElementType: types.StringType},
	}, ofEnvironment(false, func(_ context.Context, result *engine.Result) (any, error) {
		contents := map[string]string{}
		for path, content := range result.Files() {
			contents[path] = string(content)
		}
		return contents, nil
	})}
}

// newExplainFunction returns the function explain, which says why a deployment target is on
// a cluster type or not.
func newExplainFunction() function.Function {
	return providerFunction{"explain", function.Definition{
		Summary: "Why a deployment target is placed on a cluster type, or why not",
		MarkdownDescription: "Returns `{placed, policies, text, steps}`. `placed` says whether scheduling policies place the deployment target " +
			"on the cluster type, and `policies` names these policies. `steps` has every requirement of every policy as `{policy, stage, holds, " +
			"requirement, found, code}`, nearest policies first. `text` has the steps as lines.\n\nThe first step of each policy, with the " +
			"`stage` `policy`, is its verdict: `SELECTED`, `NEARLY_SELECTED` if a single requirement is not met, which `found` names, or " +
			"`NOT_SELECTED`. The other stages are:\n\n- `workspace`, `deployment_target` and `cluster_type`: a requirement of the policy " +
			"(`HOLDS`, `WORKSPACE_MISMATCH`, `LABEL_MISSING`, `LABEL_VALUE_MISMATCH`, `EXPRESSION_NOT_MET`).\n- `placement`: the step of a " +
			"placement that left the cluster type out (`CLUSTER_SET`, `PREDICATE_NOT_MET`, `TAINT_NOT_TOLERATED`, `NOT_AMONG_N`, `NOT_DECIDED`), " +
			"and the scores (`SCORE`) of each prioritizer.\n\nA fleet without policies gives a single step with the code `NO_POLICY`, and a " +
			"deployment target of another environment one with `OTHER_ENVIRONMENT`. The codes are stable.\n\nIf the deployment target, " +
			"the cluster type or the environment does not exist, the function returns an error. So a test for `placed == false` cannot pass " +
			"because of a misspelled name.",
		Parameters: pairParameters(),
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"placed":   types.BoolType,
			"policies": types.ListType{ElemType: types.StringType},
			"text":     types.StringType,
			"steps": types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"policy":      types.StringType,
				"stage":       types.StringType,
				"holds":       types.BoolType,
				"requirement": types.StringType,
				"found":       types.StringType,
				"code":        types.StringType,
			}}},
		}},
	}, ofPair(explained)}
}

type explanationModel struct {
	Placed   bool        `tfsdk:"placed"`
	Policies []string    `tfsdk:"policies"`
	Text     string      `tfsdk:"text"`
	Steps    []stepModel `tfsdk:"steps"`
}

type stepModel struct {
	Policy      string `tfsdk:"policy"`
	Stage       string `tfsdk:"stage"`
	Holds       bool   `tfsdk:"holds"`
	Requirement string `tfsdk:"requirement"`
	Found       string `tfsdk:"found"`
	Code        string `tfsdk:"code"`
}

func explained(p pair) (any, error) {
	explanation, err := engine.Explain(p.manifests, p.environment, p.target, p.clusterType)
	if err != nil {
		return nil, err
	}
	model := explanationModel{
		Placed: explanation.Placed, Policies: explanation.Policies, Text: explanation.Text(p.target, p.clusterType),
		Steps: make([]stepModel, len(explanation.Steps)),
	}
	for i, s := range explanation.Steps {
		model.Steps[i] = stepModel{s.Policy, string(s.Stage), s.Holds, s.Requirement, s.Found, string(s.Code)}
	}
	return model, nil
}

// newEffectiveConfigFunction returns the function effective_config, which composes the
// configuration of a pair and names its sources.
func newEffectiveConfigFunction() function.Function {
	text, texts := types.StringType, types.ListType{ElemType: types.StringType}
	return providerFunction{"effective_config", function.Definition{
		Summary: "The platform configuration of a deployment target on a cluster type, and where it comes from",
		MarkdownDescription: "Returns `{values, provenance}`, whether or not a policy places the deployment target on the " +
			"cluster type.\n\n- `values`: the composed values by key, as text; lists and maps as YAML text.\n- `provenance`: for the path of each " +
			"value, such as `app.yaml.servers[0].host`, `{value, set_by, overrode}`: the value, its ConfigMap, and earlier ConfigMaps with " +
			"replaced values.",
		Parameters: pairParameters(),
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"values": types.MapType{ElemType: text},
			"provenance": types.MapType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"value": text, "set_by": text, "overrode": texts,
			}}},
		}},
	}, ofPair(effectiveConfig)}
}

type effectiveConfigModel struct {
	Values     map[string]string          `tfsdk:"values"`
	Provenance map[string]provenanceModel `tfsdk:"provenance"`
}

type provenanceModel struct {
	Value    string   `tfsdk:"value"`
	SetBy    string   `tfsdk:"set_by"`
	Overrode []string `tfsdk:"overrode"`
}

func effectiveConfig(p pair) (any, error) {
	config, err := engine.ComposeOne(p.manifests, p.environment, p.target, p.clusterType)
	if err != nil {
		return nil, err
	}
	model := effectiveConfigModel{config.Values, make(map[string]provenanceModel, len(config.Leaves))}
	for _, leaf := range config.Leaves {
		model.Provenance[leaf.Path] = provenanceModel{leaf.Text(), leaf.SetBy, append([]string{}, leaf.Overrode...)}
	}
	return model, nil
}
