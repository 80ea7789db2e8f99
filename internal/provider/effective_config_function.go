// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

var _ function.Function = (*effectiveConfigFunction)(nil)

// effectiveConfigFunction composes the configuration of a pair and names its sources.
type effectiveConfigFunction struct{}

// NewEffectiveConfigFunction makes the function effective_config.
func NewEffectiveConfigFunction() function.Function { return &effectiveConfigFunction{} }

func (f *effectiveConfigFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "effective_config"
}

func (f *effectiveConfigFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	text, texts := types.StringType, types.ListType{ElemType: types.StringType}
	resp.Definition = function.Definition{
		Summary: "The platform configuration of a deployment target on a cluster type, and where it comes from",
		MarkdownDescription: "Returns `{values, provenance, nearly_applied}`, whether or not a policy places the deployment target on the " +
			"cluster type.\n\n- `values`: the composed values by key, as text; lists and maps as YAML text.\n- `provenance`: for the path of " +
			"each value, such as `app.yaml.servers[0].host`, `{value, set_by, overrode}`: its ConfigMap, and the earlier ConfigMaps whose value " +
			"it replaced.\n- `nearly_applied`: the ConfigMaps that do not apply because of a single label, as `{config_map, key, label, wants, " +
			"found}`. `found` is what the cluster type and the deployment target have. `key` is empty, except for ConfigMaps from Azure App " +
			"Configuration, which have labels for each key.",
		Parameters: pairParameters(),
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"values": types.MapType{ElemType: text},
			"provenance": types.MapType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"value": text, "set_by": text, "overrode": texts,
			}}},
			"nearly_applied": types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"config_map": text, "key": text, "label": text, "wants": text, "found": text,
			}}},
		}},
	}
}

// effectiveConfigModel is the result as Terraform holds it.
type effectiveConfigModel struct {
	Values        map[string]string          `tfsdk:"values"`
	Provenance    map[string]provenanceModel `tfsdk:"provenance"`
	NearlyApplied []nearMissModel            `tfsdk:"nearly_applied"`
}

type provenanceModel struct {
	Value    string   `tfsdk:"value"`
	SetBy    string   `tfsdk:"set_by"`
	Overrode []string `tfsdk:"overrode"`
}

type nearMissModel struct {
	ConfigMap string `tfsdk:"config_map"`
	Key       string `tfsdk:"key"`
	Label     string `tfsdk:"label"`
	Wants     string `tfsdk:"wants"`
	Found     string `tfsdk:"found"`
}

func (f *effectiveConfigFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var target, clusterType string
	manifests, environment, failed := environmentArguments(ctx, req.Arguments, &target, &clusterType)
	if resp.Error = failed; failed != nil {
		return
	}
	config, err := engine.ComposeOne(manifests, environment, target, clusterType)
	if resp.Error = engineFailure(err); err != nil {
		return
	}
	model := effectiveConfigModel{
		Values:        config.Values,
		Provenance:    make(map[string]provenanceModel, len(config.Leaves)),
		NearlyApplied: make([]nearMissModel, len(config.NearMisses)),
	}
	for _, leaf := range config.Leaves {
		model.Provenance[leaf.Path] = provenanceModel{leaf.Text(), leaf.SetBy, append([]string{}, leaf.Overrode...)}
	}
	for i, near := range config.NearMisses {
		model.NearlyApplied[i] = nearMissModel{near.ConfigMap, near.AppKey, near.Label, near.Wants, strings.Join(near.Found, ", ")}
	}
	resp.Error = resp.Result.Set(ctx, model)
}
