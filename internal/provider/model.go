// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// modelResource is a resource that models one kind of object. It converts HCL to the
// object's manifest, and keeps nothing outside Terraform's state.
//
// M is the struct of the configuration (it embeds modelBase), O the object. M has plain Go
// values, because a configuration is decoded only after all its values are known and valid.
type modelResource[M any, O manifest.Object] struct {
	typeName string
	kind     manifest.Kind
	schema   schema.Schema
	// toObject returns the object of a configuration, and toModel the configuration of an
	// object.
	toObject func(M) O
	toModel  func(O) M
}

// modelBase has the attributes of every kind's configuration.
type modelBase struct {
	ID       *string           `tfsdk:"id"`
	Name     string            `tfsdk:"name"`
	Labels   map[string]string `tfsdk:"labels"`
	Manifest *string           `tfsdk:"manifest"`
}

func (b modelBase) meta(kind manifest.Kind) manifest.Meta {
	return manifest.Meta{Kind: kind, Name: b.Name, Labels: b.Labels}
}

func baseOf(meta manifest.Meta) modelBase {
	return modelBase{Name: meta.Name, Labels: meta.Labels}
}

func (r *modelResource[M, O]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.typeName
}

func (r *modelResource[M, O]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

// ModifyPlan makes the computed attributes known as soon as the inputs are known, so that a
// plan can place and render objects that do not exist yet.
func (r *modelResource[M, O]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // destroyed
	}
	var name types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), name)...)

	text := types.StringUnknown()
	if req.Config.Raw.IsFullyKnown() {
		var model M
		resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
		if resp.Diagnostics.HasError() {
			return
		}
		text = types.StringValue(r.encode(model, &resp.Diagnostics))
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("manifest"), text)...)
}

// encode returns the manifest of a model. Errors: values that the engine would refuse.
func (r *modelResource[M, O]) encode(model M, diags *diag.Diagnostics) string {
	text := manifest.Encode(r.toObject(model))
	_, err := manifest.Decode([]manifest.Text{{Name: "manifest", Text: text}})
	diags.Append(problemDiagnostics(err)...)
	return text
}

// Create and Update store the planned values, which are all known at apply. Read keeps the
// state, because the object exists only there.

func (r *modelResource[M, O]) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *modelResource[M, O]) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *modelResource[M, O]) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *modelResource[M, O]) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState uses the object's manifest as the import id, because the object exists only
// in the state.
func (r *modelResource[M, O]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	objects, err := manifest.Decode([]manifest.Text{{Name: "import id", Text: req.ID}})
	if err != nil {
		resp.Diagnostics.Append(problemDiagnostics(err)...)
		return
	}
	object, err := r.only(objects)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", problem.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, r.toModel(object))...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), object.Metadata().Name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("manifest"), manifest.Encode(object))...)
}

// only returns the one object of an import id.
func (r *modelResource[M, O]) only(objects []manifest.Object) (object O, err error) {
	switch own := manifest.Of[O](objects); {
	case len(objects) == 0:
		return object, fmt.Errorf("the import id contains no Kalypso object. Pass the object's manifest: the text of a YAML document of "+
			"kind %s, such as \"$(cat %s.yaml)\"", r.kind, r.typeName)
	case len(objects) > 1:
		return object, fmt.Errorf("the import id contains %d objects, but a resource models one object. Pass the YAML document of a "+
			"single %s", len(objects), r.kind)
	case len(own) == 0:
		return object, fmt.Errorf("the manifest is %s, but this resource models objects of kind %s. Import the object into the resource "+
			"of its kind", objects[0].Metadata().ID(), r.kind)
	default:
		return own[0], nil
	}
}

// optional returns null for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// orElse returns the value of a pointer, or a default if it is nil.
func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// text returns the empty string for null.
func text(s *string) string { return orElse(s, "") }
