// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/direct"
)

// schemas are the schemas as Terraform gets them, by the names of their objects.
func schemas(t *testing.T) map[string]*tfprotov6.Schema {
	t.Helper()
	response, err := unconfigured().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tfprotov6.Schema{"provider": response.Provider}
	maps.Copy(all, response.ResourceSchemas)
	for name, schema := range response.DataSourceSchemas {
		all["data."+name] = schema
	}
	return all
}

// namesOf returns the names of attributes and blocks at every depth, as the output of terraform providers
// schema -json has them. The parts of a computed object, such as a release, are not attributes.
func namesOf(at string, attributes []*tfprotov6.SchemaAttribute, blocks []*tfprotov6.SchemaNestedBlock) (names []string) {
	for _, a := range attributes {
		names = append(names, at+a.Name)
		if a.NestedType != nil {
			names = append(names, namesOf(at+a.Name+".", a.NestedType.Attributes, nil)...)
		}
	}
	for _, b := range blocks {
		names = append(names, at+b.TypeName)
		names = append(names, namesOf(at+b.TypeName+".", b.Block.Attributes, b.Block.BlockTypes)...)
	}
	return names
}

// The provider stays small. Each name of an attribute or block counts wherever it is, so check in three
// blocks counts three times.
func TestSchema_size(t *testing.T) {
	t.Parallel()
	total := 0
	for object, schema := range schemas(t) {
		names := namesOf("", schema.Block.Attributes, schema.Block.BlockTypes)
		total += len(names)
		if most := map[string]int{"kalypso_gitops_commit": 55, "data.kalypso_promotion": 61}[object]; most > 0 && len(names) > most {
			t.Errorf("%s has %d names of attributes and blocks, more than %d", object, len(names), most)
		}
	}
	if total > 275 {
		t.Errorf("the provider has %d names of attributes and blocks, more than 275", total)
	}
}

// Numbers are texts: see requiredText. What people write has its parts in blocks, except a release.
func TestSchema_types(t *testing.T) {
	t.Parallel()
	for object, schema := range schemas(t) {
		if text := schema.ValueType().String(); strings.Contains(text, tftypes.Number.String()) {
			t.Errorf("%s has a number: %s", object, text)
		}
		for _, a := range schema.Block.Attributes {
			if a.NestedType != nil && a.Name != "release" && (a.Optional || a.Required) {
				t.Errorf("%s.%s has parts, so it has to be a block", object, a.Name)
			}
		}
	}
}

// Each input of a commit is needed by a plan, or may be unknown. A name in mayBeUnknown is an input.
func TestGitOpsCommit_mayBeUnknown(t *testing.T) {
	t.Parallel()
	schema := schemas(t)["kalypso_gitops_commit"]
	var inputs []string
	for _, a := range schema.Block.Attributes {
		if a.Required || a.Optional {
			inputs = append(inputs, a.Name)
		}
	}
	for _, b := range schema.Block.BlockTypes {
		inputs = append(inputs, b.TypeName)
	}
	of, _ := schema.ValueType().(tftypes.Object)
	for _, input := range inputs {
		values := map[string]tftypes.Value{}
		for name, kind := range of.AttributeTypes {
			values[name] = tftypes.NewValue(kind, nil)
		}
		values[input] = tftypes.NewValue(of.AttributeTypes[input], tftypes.UnknownValue)
		needed := slices.Equal(unknownInputs(tftypes.NewValue(of, values)), []string{input})
		if needed == slices.Contains(mayBeUnknown, input) {
			t.Errorf("%s: a plan needs it: %t", input, needed)
		}
	}
	for _, name := range mayBeUnknown {
		if !slices.Contains(inputs, name) {
			t.Errorf("%s is not an input", name)
		}
	}
}

// A mistake of ours in what the provider passes on is an error.
func TestConfigure_wrongType(t *testing.T) {
	t.Parallel()
	const want = "The framework passed a string. This is a mistake in the provider: report it."
	for name, r := range map[string]resource.ResourceWithConfigure{"commit": &gitOpsCommitResource{}, "status": &commitStatusResource{}} {
		var resp resource.ConfigureResponse
		r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: "text"}, &resp)
		if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Detail() != want {
			t.Errorf("%s: %v", name, resp.Diagnostics)
		}
	}
	var resp datasource.ConfigureResponse
	var source dataSource
	source.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: "text"}, &resp)
	if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Detail() != want {
		t.Errorf("a data source: %v", resp.Diagnostics)
	}
}

// A data source that needs the provider's unknown configuration is deferred where the client allows this;
// what is local is read.
func TestDataSources_deferred(t *testing.T) {
	t.Parallel()
	d := planDirectly(t, unknownProvider)
	const place = "repo = \"https://example.com/gitops\"\n branch = \"dev\"\n"
	for name, test := range map[string]struct {
		typeName, config string
		isDeferred       bool
	}{
		"a control plane": {"kalypso_control_plane", "environment = \"dev\"\n" + place, true},
		"a local one":     {"kalypso_control_plane", "environment = \"dev\"\n directory = \"testdata/plans\"", false},
		"deployments":     {"kalypso_deployments", block("branch", "environment = \"dev\"", place), true},
		"a promotion":     {"kalypso_promotion", "environment = \"dev\"\n" + block("target", place) + "\n" + block("source", place), true},
	} {
		for _, allowed := range []bool{true, false} {
			config, ok := d.Decode(direct.BodyOf(t, test.config), d.Schemas.DataSourceSchemas[test.typeName].Block)
			if !ok {
				t.Fatalf("%s: %s", name, d.Told())
			}
			read, err := d.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: test.typeName,
				Config:             d.Encode(config, d.Schemas.DataSourceSchemas[test.typeName].Block),
				ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: allowed}})
			if err != nil {
				t.Fatal(err)
			}
			if isDeferred := read.Deferred != nil; isDeferred != (allowed && test.isDeferred) {
				t.Errorf("%s, allowed %t: deferred %t, %v", name, allowed, isDeferred, read.Diagnostics)
			} else if isDeferred && (len(read.Diagnostics) > 0 || read.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown ||
				d.Decoded(read.State, d.Schemas.DataSourceSchemas[test.typeName].Block).IsWhollyKnown()) {
				t.Errorf("%s: %v, %v", name, read.Deferred, read.Diagnostics)
			}
		}
	}
}

// An error names the value that it is about.
func TestErrors_path(t *testing.T) {
	t.Parallel()
	const commit = "environment = \"dev\"\n manifests = [\"# none\"]\n"
	selector := "name = \"p\"\n deployment_target_selector {\n match_all = true\n}\n"
	for name, test := range map[string]struct {
		typeName, config string
		want             path.Path
	}{
		"limits":   {"kalypso_gitops_commit", commit + block("limits", `max_removed = "many"`), path.Root("limits").AtListIndex(0).AtName("max_removed")},
		"a freeze": {"kalypso_gitops_commit", commit + block("freeze", `from = "2026-12-18"`, `to = "2027-01-03"`, `timezone = "Mars"`, `reason = "x"`), path.Root("freeze").AtListIndex(0).AtName("timezone")},
		"a selector": {"kalypso_scheduling_policy", selector + block("cluster_type_selector", "match_labels = {}"),
			path.Root("cluster_type_selector").AtName("match_labels")},
	} {
		d := planDirectly(t, inert)
		schema := d.Schemas.ResourceSchemas[test.typeName].Block
		config, ok := d.Decode(direct.BodyOf(t, test.config), schema)
		if !ok {
			t.Fatalf("%s: %s", name, d.Told())
		}
		validated, err := d.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: test.typeName,
			Config: d.Encode(config, schema)})
		if err != nil {
			t.Fatal(err)
		}
		if len(validated.Diagnostics) != 1 || attributeName(validated.Diagnostics[0].Attribute) != test.want.String() {
			t.Errorf("%s: %v", name, validated.Diagnostics)
		}
	}
}
