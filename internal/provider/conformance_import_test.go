// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"path"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/direct"
)

// TestConformance_imported imports every object of every fleet that has a resource. The
// manifests of the resources, and the YAML of the other objects, then are still the whole
// fleet.
func TestConformance_imported(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			var written []manifest.Text
			for name, text := range fleet.In {
				if path.Ext(name) == ".yaml" {
					written = append(written, manifest.Text{Name: name, Text: text})
				}
			}
			objects, err := manifest.Decode(written)
			if err != nil {
				t.Fatal(err)
			}
			in := engine.Input{Environment: fleet.Environment}
			for _, object := range objects {
				text := manifest.Encode(object)
				if modelled()[object.Metadata().Kind] != nil {
					text = importedManifest(t, object)
				}
				in.Manifests = append(in.Manifests, manifest.Text{Name: object.Metadata().ID(), Text: text})
			}
			result, err := engine.Compute(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for path, content := range result.Files() {
				files[path] = string(content)
			}
			if err := conformance.Compare(fleet.Out, files); err != nil {
				t.Error(err)
			}
		})
	}
}

// importedManifest imports an object by its manifest into the resource of its kind, and
// returns the manifest of the resource.
func importedManifest(t *testing.T, object manifest.Object) string {
	t.Helper()
	model := modelled()[object.Metadata().Kind]
	server := unconfigured()
	imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: model.terraformName(), ID: manifest.Encode(object),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range imported.Diagnostics {
		t.Fatalf("%s: %s: %s", object.Metadata().ID(), d.Summary, d.Detail)
	}
	stateType := direct.TypeOf(model.block().Type().TerraformType(t.Context()))
	state, err := msgpack.Unmarshal(imported.ImportedResources[0].State.MsgPack, stateType)
	if err != nil {
		t.Fatal(err)
	}
	if text := state.GetAttr("manifest"); text.IsKnown() && text.Type() == cty.String {
		return text.AsString()
	}
	t.Fatalf("%s has no manifest", object.Metadata().ID())
	return ""
}
