// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type deploymentTargetModel struct {
	Name          *string           `tfsdk:"name"`
	Environment   *string           `tfsdk:"environment"`
	Labels        map[string]string `tfsdk:"labels"`
	Manifests     map[string]string `tfsdk:"manifests"`
	ConfigSchemas []string          `tfsdk:"config_schemas"`
}

func deploymentTargetsAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "Deployment targets. The key is the target's name, unless `name` says otherwise. " +
			"The full name of a target is `<workload>-<target>`.",
		Validators: []validator.Map{
			mapvalidator.NoNullValues(),
			mapvalidator.KeysAre(dnsLabel),
			oneTargetPerName{},
		},
		NestedObject: schema.NestedAttributeObject{
			Validators: []validator.Object{mustSet("environment")},
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: "Name of the target, where it is not the key: two environments may each have a target of one name, " +
						"but the keys have to differ.",
					Validators: []validator.String{dnsLabel},
				},
				"environment": schema.StringAttribute{
					Optional:            true,
					MarkdownDescription: "Environment that the target exists in, such as `dev`. Has to be set.",
					Validators:          []validator.String{dnsLabel},
				},
				"labels": labelsAttribute("Labels of the target; scheduling policies select targets by them.",
					reservedLabel{key: manifest.LabelWorkspace, advice: "A target's workspace is that of its workload: write workspace = \"...\" there."},
					reservedLabel{key: manifest.LabelWorkload, advice: "Every target has this label already, with the name of its workload as value. Remove it."}),
				"manifests": schema.MapAttribute{
					ElementType:         types.StringType,
					Optional:            true,
					MarkdownDescription: "Where the Kubernetes manifests are that the target deploys: usually `repo`, `branch` and `path`. The templates see these values as `.Manifests`.",
					Validators:          []validator.Map{mapvalidator.NoNullValues()},
				},
				"config_schemas": configSchemasAttribute(
					"JSON Schemas, as JSON or YAML texts, that the platform configuration of this target has to satisfy, beside those of the workload."),
			},
		},
	}
}

// deploymentTargets returns the targets in the order of their names and
// environments, so that the keys do not show in the manifest.
func deploymentTargets(models map[string]deploymentTargetModel) []manifest.DeploymentTarget {
	var targets []manifest.DeploymentTarget
	for _, key := range slices.Sorted(maps.Keys(models)) {
		m := models[key]
		name := key
		if m.Name != nil {
			name = *m.Name
		}
		targets = append(targets, manifest.DeploymentTarget{
			Name:          name,
			Labels:        m.Labels,
			Environment:   text(m.Environment),
			Manifests:     m.Manifests,
			ConfigSchemas: m.ConfigSchemas,
		})
	}
	slices.SortStableFunc(targets, byNameAndEnvironment)
	return targets
}

func byNameAndEnvironment(a, b manifest.DeploymentTarget) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Environment, b.Environment))
}

// deploymentTargetModels is the inverse: no target is lost, whatever their names.
// The key of a target is its name where no other target of the workload has it,
// else <environment>-<name>, with a number behind it where that is taken too.
func deploymentTargetModels(targets []manifest.DeploymentTarget) map[string]deploymentTargetModel {
	if len(targets) == 0 {
		return nil
	}
	targets = slices.SortedStableFunc(slices.Values(targets), byNameAndEnvironment)
	named := map[string]int{}
	for i := range targets {
		named[targets[i].Name]++
	}
	models := make(map[string]deploymentTargetModel, len(targets))
	taken := func(key string) bool {
		_, used := models[key]
		return used || named[key] == 1
	}
	for i := range targets {
		t := &targets[i]
		m := deploymentTargetModel{
			Environment:   optional(t.Environment),
			Labels:        t.Labels,
			Manifests:     t.Manifests,
			ConfigSchemas: t.ConfigSchemas,
		}
		key := t.Name
		if named[t.Name] > 1 {
			key = freeKey(t.Environment+"-"+t.Name, taken)
			m.Name = &t.Name
		}
		models[key] = m
	}
	return models
}

// freeKey returns the key, or the first one with a number behind it that is not taken.
// Keys are no longer than a DNS label may be.
func freeKey(key string, taken func(string) bool) string {
	free := shorten(key, validation.DNS1123LabelMaxLength)
	for n := 2; taken(free); n++ {
		number := fmt.Sprintf("-%d", n)
		free = shorten(key, validation.DNS1123LabelMaxLength-len(number)) + number
	}
	return free
}

func shorten(key string, most int) string {
	return strings.TrimRight(key[:min(len(key), most)], "-")
}

// oneTargetPerName is a validator for deployment targets: two of one name in one
// environment would share a folder (docs/guides/semantics.md, section 1).
type oneTargetPerName struct{}

func (oneTargetPerName) Description(context.Context) string {
	return "must not have two targets of one name in one environment"
}

func (v oneTargetPerName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (oneTargetPerName) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	type place struct{ name, environment string }
	keys := map[place]string{}
	elements := req.ConfigValue.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		target, ok := elements[key].(types.Object)
		if !ok || target.IsNull() || target.IsUnknown() {
			continue
		}
		name, _ := target.Attributes()["name"].(types.String)
		environment, _ := target.Attributes()["environment"].(types.String)
		if name.IsUnknown() || environment.IsUnknown() || environment.IsNull() {
			continue
		}
		p := place{key, environment.ValueString()}
		if !name.IsNull() {
			p.name = name.ValueString()
		}
		if other, taken := keys[p]; taken {
			resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(key), "Two deployment targets of the same name",
				fmt.Sprintf("%s and %s are both called %q in the environment %q, so they would share a folder. Rename one of them.",
					req.Path.AtMapKey(other), req.Path.AtMapKey(key), p.name, p.environment))
			continue
		}
		keys[p] = key
	}
}
