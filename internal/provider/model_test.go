// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func TestAccModel_newNameReplaces(t *testing.T) {
	t.Parallel()
	const address = "kalypso_cluster_type.test"
	config := func(name string) string {
		return `resource "kalypso_cluster_type" "test" {
  name              = "` + name + `"
  reconciler        = "flux"
  namespace_service = "namespace"
}`
	}
	inSteps(t, []resource.TestStep{
		{Config: config("large")},
		{
			Config: config("huge"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact("huge")),
			}},
		},
	}...)
}

// An input that comes from a resource still to be created leaves the manifest
// unknown at plan; what is known stays known.
func TestAccModel_unknownInput(t *testing.T) {
	t.Parallel()
	const address = "kalypso_cluster_type.test"
	config := func(region string) string {
		return `
resource "terraform_data" "region" { input = "` + region + `" }
resource "kalypso_cluster_type" "test" {
  name              = "large"
  labels            = { region = terraform_data.region.output }
  reconciler        = "flux"
  namespace_service = "namespace"
}`
	}
	step := func(region string) resource.TestStep {
		want := manifest.Encode(&manifest.ClusterType{
			Meta:       manifest.Meta{Kind: manifest.KindClusterType, Name: "large", Labels: map[string]string{"region": region}},
			Reconciler: "flux", NamespaceService: "namespace",
		})
		return resource.TestStep{
			Config: config(region),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact("large")),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("manifest")),
				},
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, tfjsonpath.New("manifest"), knownvalue.StringExact(want)),
			},
		}
	}
	inSteps(t, []resource.TestStep{step("east-us"), step("west-us")}...)
}

// What is wrong is also found when it only becomes known during apply.
func TestAccModel_unknownMistake(t *testing.T) {
	t.Parallel()
	inSteps(t, []resource.TestStep{{
		Config: `
resource "terraform_data" "region" { input = "east us" }
resource "kalypso_cluster_type" "test" {
  name              = "large"
  labels            = { region = terraform_data.region.output }
  reconciler        = "flux"
  namespace_service = "namespace"
}`,
		ExpectError: saying(`labels["region"] must be a Kubernetes label value: "east us"`),
	}}...)
}

// Whole objects may be passed to nested attributes, with more in them than the schema knows.
func TestAccModel_wholeObjects(t *testing.T) {
	t.Parallel()
	inSteps(t, []resource.TestStep{{
		Config: `
resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "https://example.com/control-plane"
  branch = "dev"
}
resource "kalypso_environment" "test" {
  name          = "dev"
  control_plane = kalypso_gitops_repo.test
}`,
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("kalypso_environment.test", tfjsonpath.New("control_plane").AtMapKey("branch"),
				knownvalue.StringExact("dev")),
		},
	}}...)
}

func TestModel_import_mistakes(t *testing.T) {
	t.Parallel()
	gitOpsRepo := manifest.Encode(&manifest.GitOpsRepo{
		Meta:    manifest.Meta{Kind: manifest.KindGitOpsRepo, Name: "dev"},
		RepoRef: manifest.RepoRef{Repo: "https://example.com/gitops", Branch: "dev", Path: "."},
	})
	clusterOf := func(name, spec string) string {
		return "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: " + name + "}\nspec: " + spec + "\n---\n" +
			manifest.Encode(&manifest.ClusterType{Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: "large"}, Reconciler: "flux", NamespaceService: "namespace"})
	}
	for name, test := range map[string]struct{ id, want string }{
		"of another cluster": {clusterOf("small", "{}"), "holds ManagedCluster/small beside ClusterType/large"},
		"more than taints":   {clusterOf("large", "{hubAcceptsClient: true}"), "ManagedCluster/large says more than taints"},
		"another kind":       {gitOpsRepo, "manifest is GitOpsRepo/dev, but this resource models objects of kind ClusterType"},
		"two objects":        {gitOpsRepo + "\n---\n" + gitOpsRepo, "holds 2 objects, but a resource models one"},
		"no object":          {"# nothing", "it holds no Kalypso object"},
		"a name":             {"large", "import id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planDirectly(t, "").imports("kalypso_cluster_type", test.id).fails(t, test.want)
		})
	}
}

// What the provider refuses, Terraform shows, wherever it is.
func TestAccModel_mistakes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "provider \"kalypso\" { git = [{ password = \"secret\" }] }"+inert)
	w.fails(t, planning, "git[0].url_prefix has to be set")
	w.fails(t, w.written(t, `
resource "kalypso_environment" "test" {
  name          = "dev"
  control_plane = { repo = "https://example.com/x", brunch = "dev" }
}
data "kalypso_control_plane" "test" {
  directory = "."
  branch    = "dev"
}
output "test" { value = provider::kalypso::render([], "prod") }
`, planning...), "control_plane.branch has to be set", `"repo" must be specified when "branch"`, "at least 1 elements")
}

// What has to be set inside a nested attribute says so: by that sentence the
// documentation lists it as required (scripts/generate-docs), though no schema can.
func TestModel_saysWhatHasToBeSet(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(in string, validators []validator.Object, attributes map[string]schema.Attribute) {
		var needed []string
		for _, v := range validators {
			if names, ok := v.(requiredAttributes); ok {
				needed = append(needed, names...)
			}
		}
		for name, attribute := range attributes {
			says := strings.HasSuffix(attribute.GetMarkdownDescription(), " Has to be set.")
			if says != slices.Contains(needed, name) {
				t.Errorf("%s.%s: its description says that it has to be set: %t; it is checked: %t", in, name, says, !says)
			}
		}
		found += len(needed)
	}
	var walk func(in string, attributes map[string]schema.Attribute)
	walk = func(in string, attributes map[string]schema.Attribute) {
		for name, attribute := range attributes {
			var validators []validator.Object
			var inner map[string]schema.Attribute
			switch attribute := attribute.(type) {
			case schema.SingleNestedAttribute:
				validators, inner = attribute.Validators, attribute.Attributes
			case schema.ListNestedAttribute:
				validators, inner = attribute.NestedObject.Validators, attribute.NestedObject.Attributes
			case schema.MapNestedAttribute:
				validators, inner = attribute.NestedObject.Validators, attribute.NestedObject.Attributes
			}
			check(in+"."+name, validators, inner)
			walk(in+"."+name, inner)
		}
	}
	for kind, model := range modelled() {
		walk(string(kind), model.attributes())
	}
	if found == 0 {
		t.Error("nothing has to be set anywhere, so the test proves nothing")
	}
}
