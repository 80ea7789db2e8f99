// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Skipped by Terraform before 1.12, and by OpenTofu, whose state has no identities;
// TestModel_identity asks the provider itself, everywhere.
func TestAccModel_identity(t *testing.T) {
	t.Parallel()
	skipWithoutIdentity(t)
	const address = "kalypso_gitops_repo.test"
	config := func(name, branch string) string {
		return `resource "kalypso_gitops_repo" "test" {
  name   = "` + name + `"
  repo   = "https://example.com/gitops"
  branch = "` + branch + `"
}
`
	}
	step := func(name, branch string, action plancheck.ResourceActionType) resource.TestStep {
		return resource.TestStep{
			Config: config(name, branch),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectIdentity(address, map[string]knownvalue.Check{"name": knownvalue.StringExact(name)}),
			},
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{
				Config:      "import {\n  to       = " + address + "\n  identity = { name = \"dev\" }\n}\n" + config("dev", "dev"),
				ExpectError: saying(`GitOpsRepo/dev cannot be imported by its name`),
			},
			step("dev", "dev", plancheck.ResourceActionCreate),
			step("dev", "main", plancheck.ResourceActionUpdate),
			step("stage", "main", plancheck.ResourceActionReplace),
			{
				ResourceName:    address,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithID,
				ImportStateId: manifest.Encode(&manifest.GitOpsRepo{
					Meta:    manifest.Meta{Kind: manifest.KindGitOpsRepo, Name: "stage"},
					RepoRef: manifest.RepoRef{Repo: "https://example.com/gitops", Branch: "main"},
				}),
				ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
				}},
			},
		},
	})
}

// Every modelling resource has its name as identity, whatever it was made by, and says
// what to do where it is to be imported by that.
func TestModel_identity(t *testing.T) {
	t.Parallel()
	server := unconfigured()
	schemas, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identityType := identityValue(map[string]string{"name": ""}).Type()
	named := func(name string) *tfprotov6.ResourceIdentityData {
		return identityOf(t, map[string]string{"name": name})
	}
	expect := func(after string, identity *tfprotov6.ResourceIdentityData, diags []*tfprotov6.Diagnostic, name string) {
		t.Helper()
		if len(diags) > 0 {
			t.Fatalf("after %s: %s: %s", after, diags[0].Summary, diags[0].Detail)
		}
		if identity == nil {
			t.Fatalf("no identity after %s", after)
		}
		got, err := identity.IdentityData.Unmarshal(identityType)
		if err != nil {
			t.Fatal(err)
		}
		want, err := named(name).IdentityData.Unmarshal(identityType)
		if err != nil || !got.Equal(want) {
			t.Errorf("after %s the identity is %s, %v", after, got, err)
		}
	}
	for kind, model := range modelled() {
		name := model.terraformName()
		if schemas.IdentitySchemas[name] == nil {
			t.Errorf("%s has no identity", name)
		}
		text, err := os.ReadFile("../../examples/resources/" + name + "/manifest.yaml")
		if err != nil {
			t.Fatal(err)
		}
		document, _, _ := strings.Cut(string(text), "\n---\n")
		objects, err := manifest.Decode([]manifest.Text{{Text: document}})
		if err != nil || len(objects) != 1 {
			t.Fatalf("%d objects, %v", len(objects), err)
		}
		object := objects[0].Metadata().Name

		imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: document})
		if err != nil {
			t.Fatal(err)
		}
		expect("import", imported.ImportedResources[0].Identity, imported.Diagnostics, object)
		state := imported.ImportedResources[0].State
		for _, prior := range []*tfprotov6.ResourceIdentityData{nil, named(object)} {
			read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: state,
				CurrentIdentity: prior})
			if err != nil {
				t.Fatal(err)
			}
			expect("refresh", read.NewIdentity, read.Diagnostics, object)
		}
		resourceType := model.configType(t.Context())
		null, err := tfprotov6.NewDynamicValue(resourceType, tftypes.NewValue(resourceType, nil))
		if err != nil {
			t.Fatal(err)
		}
		for after, prior := range map[string]*tfprotov6.DynamicValue{"create": &null, "update": state} {
			applied, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
				TypeName: name, PriorState: prior, PlannedState: state, Config: state,
			})
			if err != nil {
				t.Fatal(err)
			}
			expect(after, applied.NewIdentity, applied.Diagnostics, object)
		}

		refused, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, Identity: named(object)})
		if err != nil {
			t.Fatal(err)
		}
		want := string(kind) + "/" + object + " cannot be imported by its name"
		if len(refused.Diagnostics) != 1 || !strings.Contains(refused.Diagnostics[0].Detail, want) {
			t.Errorf("want %q, got %v", want, refused.Diagnostics)
		}
	}
}
