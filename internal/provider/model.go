// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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
	// toObjects returns the object, followed by other objects that contain a part of the
	// configuration.
	toObjects func(M) ([]manifest.Object, error)
	// toModel returns the configuration of an object. It fails for values that no
	// configuration can express.
	toModel func(O) (M, error)
	// join adds the values of another object of the import id to a configuration. It fails
	// for values that no configuration can express. It is nil if the resource models
	// nothing except the object.
	join func(*M, manifest.Object) error
}

// one returns toObjects for a kind whose configuration is a single object.
func one[M any, O manifest.Object](object func(M) O) func(M) ([]manifest.Object, error) {
	return func(m M) ([]manifest.Object, error) { return []manifest.Object{object(m)}, nil }
}

// sure returns toModel for a kind whose objects always have a configuration.
func sure[M any, O manifest.Object](model func(O) M) func(O) (M, error) {
	return func(o O) (M, error) { return model(o), nil }
}

// modeller is a modelResource of any kind.
type modeller interface {
	models() manifest.Kind
	// terraformName is the resource's name: "kalypso_workload".
	terraformName() string
	// block has the attributes and blocks of the resource.
	block() schema.NestedBlockObject
	configType(ctx context.Context) tftypes.Type
	// manifestOf returns the manifest of a configuration that is known and valid. It fails
	// for values that the engine would refuse.
	manifestOf(ctx context.Context, config tftypes.Value) (types.String, diag.Diagnostics)
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

func (r *modelResource[M, O]) models() manifest.Kind { return r.kind }
func (r *modelResource[M, O]) terraformName() string { return typeName + "_" + r.typeName }
func (r *modelResource[M, O]) block() schema.NestedBlockObject {
	return schema.NestedBlockObject{Attributes: r.schema.Attributes, Blocks: r.schema.Blocks}
}

func (r *modelResource[M, O]) configType(ctx context.Context) tftypes.Type {
	return r.schema.Type().TerraformType(ctx)
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
		known, diags := r.manifestOf(ctx, req.Config.Raw)
		resp.Diagnostics.Append(diags...)
		if diags.HasError() {
			return
		}
		text = known
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("manifest"), text)...)
}

func (r *modelResource[M, O]) manifestOf(ctx context.Context, config tftypes.Value) (types.String, diag.Diagnostics) {
	var model M
	diags := tfsdk.Config{Raw: config, Schema: r.schema}.Get(ctx, &model)
	if diags.HasError() {
		return types.StringUnknown(), diags
	}
	text := r.encode(model, &diags)
	return types.StringValue(text), diags
}

// encode returns the manifest of a model. Errors: values that the engine would refuse.
func (r *modelResource[M, O]) encode(model M, diags *diag.Diagnostics) string {
	objects, err := r.toObjects(model)
	diags.Append(problemDiagnostics(err)...)
	documents := make([]string, len(objects))
	for i, object := range objects {
		documents[i] = manifest.Encode(object)
	}
	text := strings.Join(documents, "---\n")
	_, err = manifest.Decode([]manifest.Text{{Name: "manifest", Text: text}})
	diags.Append(problemDiagnostics(err)...)
	return text
}

// Create and Update store the planned values, which are all known at apply. Read keeps the
// state, because the object exists only there.

func (r *modelResource[M, O]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *modelResource[M, O]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *modelResource[M, O]) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *modelResource[M, O]) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState uses the object's manifest as the import id, because the object exists only
// in the state.
func (r *modelResource[M, O]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		r.nameIsNoSource(ctx, req.Identity, &resp.Diagnostics)
		return
	}
	decoded, err := manifest.Decode([]manifest.Text{{Name: "import id", Text: req.ID}})
	if err != nil {
		resp.Diagnostics.Append(problemDiagnostics(err)...)
		return
	}
	object, model, err := r.read(decoded)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", problem.Sentence(err))
		return
	}
	text := r.encode(model, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	resp.Diagnostics.Append(checkConfig(ctx, r, resp.State.Raw)...)
	if resp.Diagnostics.HasError() {
		return // no configuration has this manifest
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), object.Metadata().Name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("manifest"), text)...)
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

// read returns the object of an import id, and the configuration with the values of the
// id.
func (r *modelResource[M, O]) read(objects []manifest.Object) (object O, model M, err error) {
	own := manifest.Of[O](objects)
	switch {
	case len(objects) == 0:
		return object, model, fmt.Errorf("the import id contains no Kalypso object. Pass the object's manifest: the text of a YAML document of "+
			"kind %s, such as \"$(cat %s.yaml)\". (A ConfigMap counts only with the label %s: \"true\" or a name that starts with %s)",
			r.kind, r.typeName, manifest.LabelPlatformConfig, manifest.AppConfigPrefix)
	case len(own) == 0 && len(objects) == 1:
		return object, model, fmt.Errorf("the manifest is %s, but this resource models objects of kind %s. Import the object into the resource "+
			"of its kind", objects[0].Metadata().ID(), r.kind)
	case len(own) != 1, len(objects) > 1 && r.join == nil:
		return object, model, fmt.Errorf("the import id contains %d objects, but a resource models one object. Pass the YAML document of a "+
			"single %s", len(objects), r.kind)
	}
	object = own[0]
	if model, err = r.toModel(object); err != nil {
		return object, model, err
	}
	for _, other := range objects {
		if other == manifest.Object(object) {
			continue
		}
		if err := r.join(&model, other); err != nil {
			return object, model, err
		}
	}
	return object, model, nil
}

// identityModel identifies an object among the objects of its kind. Terraform 1.12 and
// later keep the identity. Older versions and OpenTofu do not have identities.
type identityModel struct {
	Name types.String `tfsdk:"name"`
}

// IdentitySchema describes the parts of an identity to Terraform.
func (r *modelResource[M, O]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"name": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the object.",
			},
		},
	}
}

func identify(ctx context.Context, state tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var model identityModel
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &model.Name)...)
	diags.Append(identity.Set(ctx, model)...)
}

// nameIsNoSource is the error of an import by identity: a name says which object is meant,
// but it does not contain the object.
func (r *modelResource[M, O]) nameIsNoSource(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var model identityModel
	diags.Append(identity.Get(ctx, &model)...)
	diags.AddError("Import by identity is not possible", fmt.Sprintf(
		"%s/%s cannot be imported by its name, because a %s exists only in Terraform's state. Import the object's manifest: write its YAML "+
			"document into a file, and write id = file(\"%s.yaml\") instead of identity.",
		r.kind, model.Name.ValueString(), r.terraformName(), model.Name.ValueString()))
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
