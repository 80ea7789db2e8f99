// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// unconfigured is a provider for what needs no configuration: schemas and functions. It is
// made once, since its schemas take time.
var unconfigured = sync.OnceValue(func() tfprotov6.ProviderServer { return newServer(New("test")()) })

// callManifest calls the function as Terraform does; unknown is the result "?".
func callManifest(t testing.TB, object cty.Value) (string, *tfprotov6.FunctionError) {
	t.Helper()
	wire, err := msgpack.Marshal(object, cty.DynamicPseudoType)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := unconfigured().CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
		Name: "manifest", Arguments: []*tfprotov6.DynamicValue{{MsgPack: wire}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Error != nil {
		return "", resp.Error
	}
	value, err := resp.Result.Unmarshal(tftypes.String)
	if err != nil {
		t.Fatal(err)
	}
	if !value.IsKnown() {
		return "?", nil
	}
	var text string
	if err := value.As(&text); err != nil {
		t.Fatal(err)
	}
	return text, nil
}

// jsonObject returns a result of jsondecode.
func jsonObject(t testing.TB, text string) cty.Value {
	t.Helper()
	implied, err := ctyjson.ImpliedType([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, err := ctyjson.Unmarshal([]byte(text), implied)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestManifestFunction_mistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		object string
		// want are the complete texts of the problems, in their order.
		want []string
	}{
		"not an object":  {`"ClusterType"`, []string{`Wrong type of value: An object is needed`}},
		"no kind":        {`{"name": "a"}`, []string{"Missing kind: kind has to be set. Valid kinds are BaseRepo, ClusterType, ConfigMap,"}},
		"kind is null":   {`{"kind": null}`, []string{"Missing kind: kind has to be set."}},
		"kind is a list": {`{"kind": ["ClusterType"]}`, []string{"Invalid kind: kind: string required"}},
		"misspelled kind": {`{"kind": "Clustertyp", "name": "a"}`,
			[]string{`Unknown kind: The function has no kind "Clustertyp". Did you mean ClusterType? Valid kinds are`}},
		"of a hub": {`{"kind": "ManagedCluster", "name": "a"}`,
			[]string{`Unknown kind: The function has no kind "ManagedCluster". A hub of Open Cluster Management writes objects of this kind: write the object as YAML, or with yamlencode. Valid kinds are`}},
		"resource's name": {`{"kind": "kalypso_config"}`,
			[]string{`Unknown kind: The function has no kind "kalypso_config". Valid kinds are BaseRepo`}},
		"nothing but kind": {`{"kind": "ClusterType"}`, []string{"Missing name: name has to be set.", "Missing namespace_service: ",
			"Missing reconciler: reconciler has to be set"}},
		"null is absent": {`{"kind": "GitOpsRepo", "name": "a", "branch": "b", "repo": null}`, []string{"Missing repo: repo has to be set"}},
		"unknown attribute": {`{"kind": "GitOpsRepo", "name": "a", "repo": "https://a.b/c", "brunch": "b"}`,
			[]string{"Unknown attribute: There is no attribute brunch. Did you mean branch? The attributes are branch, labels, name, path, repo"}},
		"deep in a selector": {`{"kind": "SchedulingPolicy", "name": "a", "deployment_target_selector": {"match_lables": {"a": "b"}},
			"cluster_type_selector": {"match_expressions": [{"key": "a", "opreator": "In", "values": ["b"]}]}}`, []string{
			"There is no attribute cluster_type_selector.match_expressions[0].opreator. Did you mean operator?",
			"There is no attribute deployment_target_selector.match_lables. Did you mean match_labels?"}},
		"names the object": {`{"kind": "ClusterType", "name": "drone", "reconciler": "R", "namespace_service": "n"}`,
			[]string{"ClusterType/drone: Invalid reconciler: reconciler must be"}},
		"deep in a target": {`{"kind": "Workload", "name": "a", "deployment_target": [{"name": "x", "environments": "dev"}]}`, []string{
			`There is no attribute deployment_target[0].environments. Did you mean environment?`}},
		"a whole resource in an attribute": {`{"kind": "Environment", "name": "a", "control_plane": {"name": "a", "repo": "https://a.b/c", "branch": "b"}}`, []string{
			"There is no attribute control_plane.name. The attributes are branch, path, repo"}},
		"empty selector": {`{"kind": "SchedulingPolicy", "name": "a", "deployment_target_selector": {}, "cluster_type_selector": {"match_all": true}}`, []string{
			"Empty selector: deployment_target_selector has neither match_labels nor match_expressions"}},
		"missing inside": {`{"kind": "Environment", "name": "a", "control_plane": {"repo": "https://a.b/c"}}`,
			[]string{"Missing branch: control_plane.branch has to be set"}},
		"not text": {`{"kind": "ClusterType", "name": ["a"], "reconciler": "r", "namespace_service": "n"}`,
			[]string{"Wrong type of value: name: string required"}},
		"not a map": {`{"kind": "ClusterType", "name": "a", "reconciler": "r", "namespace_service": "n", "labels": "x"}`,
			[]string{"Wrong type of value: labels: map of string required"}},
		"no text in a map": {`{"kind": "ClusterType", "name": "a", "reconciler": "r", "namespace_service": "n", "labels": {"x": {"y": "z"}}}`,
			[]string{"Wrong type of value: labels: element \"x\": string required"}},
		"null in a map": {`{"kind": "ClusterType", "name": "a", "reconciler": "r", "namespace_service": "n", "labels": {"x": null}}`,
			[]string{"Null Map Value: labels"}},
		"no object in a list": {`{"kind": "Workload", "name": "a", "deployment_target": ["dev"]}`,
			[]string{`Wrong type of value: deployment_target[0]: object required`}},
		"no list of objects": {`{"kind": "Workload", "name": "a", "deployment_target": {"name": "x", "environment": "dev"}}`,
			[]string{`Wrong type of value: deployment_target: list of objects required`}},
		"no object": {`{"kind": "Environment", "name": "a", "control_plane": [{"repo": "https://a.b/c", "branch": "b"}]}`,
			[]string{"Wrong type of value: control_plane: object required"}},
		"null in nested": {`{"kind": "Workload", "name": "a", "deployment_target": [null]}`,
			[]string{`Wrong type of value: deployment_target[0]: object required`}},
		"no bool": {`{"kind": "SchedulingPolicy", "name": "a", "deployment_target_selector": {"match_all": "yes"}, "cluster_type_selector": {"match_all": true}}`, []string{"Wrong type of value: deployment_target_selector.match_all: a bool is required"}},
		"framework's validator": {`{"kind": "Template", "name": "a", "type": "reconcile", "manifests": ["a"]}`,
			[]string{`Invalid Attribute Value Match: Attribute type value must be one of`}},
		"template syntax": {`{"kind": "Template", "name": "a", "type": "reconciler", "manifests": ["a", "{{"]}`, []string{`manifests[1]`}},
		"several": {`{"kind": "ClusterType", "name": "A", "labels": {"a b": "c"}, "reconciler": "R", "namespace_service": "n", "extra": 1}`,
			[]string{
				"Unknown attribute: There is no attribute extra.", "Invalid labels: labels", "Invalid name: name must be",
				"Invalid reconciler: reconciler must be"}},
		"two targets of one name": {`{"kind": "Workload", "name": "a", "deployment_target": [{"name": "x", "environment": "dev"}, {"name": "x", "environment": "dev"}]}`, []string{
			`Two deployment targets of the same name: deployment_target[0] and deployment_target[1] are both called "x"`}},
		"no block": {`{"kind": "SchedulingPolicy", "name": "a", "cluster_type_selector": {"match_all": true}}`,
			[]string{"Invalid Block: Block deployment_target_selector must have a configuration value"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, failed := callManifest(t, jsonObject(t, test.object))
			if failed == nil {
				t.Fatalf("no error, but\n%s", text)
			}
			got := strings.Split(failed.Text, "\n\n")
			if len(got) != len(test.want) {
				t.Fatalf("want %d problems, got %d:\n%s", len(test.want), len(got), failed.Text)
			}
			for i := range got {
				if !strings.Contains(got[i], test.want[i]) {
					t.Errorf("want %q, got %q", test.want[i], got[i])
				}
			}
		})
	}
}

// What Terraform converts for a resource is converted for the function.
func TestManifestFunction_conversions(t *testing.T) {
	t.Parallel()
	object := func(labels cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"kind": cty.StringVal("ClusterType"), "name": cty.NumberIntVal(1), "config_type": cty.NullVal(cty.DynamicPseudoType),
			"reconciler": cty.StringVal("r"), "namespace_service": cty.StringVal("n"), "labels": labels,
		})
	}
	want, failed := callManifest(t, jsonObject(t,
		`{"kind": "ClusterType", "name": "1", "reconciler": "r", "namespace_service": "n", "labels": {"edge": "true", "size": "3"}}`))
	if failed != nil {
		t.Fatal(failed.Text)
	}
	for name, labels := range map[string]cty.Value{
		"an object of several types": cty.ObjectVal(map[string]cty.Value{"edge": cty.True, "size": cty.NumberIntVal(3)}),
		"a map":                      cty.MapVal(map[string]cty.Value{"edge": cty.StringVal("true"), "size": cty.StringVal("3")}),
	} {
		if got, failed := callManifest(t, object(labels)); failed != nil || got != want {
			t.Errorf("%s: want\n%s\ngot\n%s\n%v", name, want, got, failed)
		}
	}
}

func TestManifestFunction_unknown(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	for name, test := range map[string]struct {
		object cty.Value
		// mistake is the error; empty if the result is unknown.
		mistake string
	}{
		"everything": {cty.DynamicVal, ""},
		"an object":  {cty.UnknownVal(cty.Object(map[string]cty.Type{"kind": cty.String})), ""},
		"the kind":   {cty.ObjectVal(map[string]cty.Value{"kind": cty.UnknownVal(cty.String)}), ""},
		"an attribute": {cty.ObjectVal(map[string]cty.Value{"kind": str("GitOpsRepo"), "name": str("a"), "branch": str("b"),
			"repo": cty.UnknownVal(cty.String)}), ""},
		"of any type": {cty.ObjectVal(map[string]cty.Value{"kind": str("GitOpsRepo"), "name": str("a"), "branch": str("b"),
			"repo": cty.DynamicVal}), ""},
		"a value in a list": {cty.ObjectVal(map[string]cty.Value{"kind": str("Workload"), "name": str("a"),
			"deployment_target": cty.ListVal([]cty.Value{
				cty.ObjectVal(map[string]cty.Value{"name": str("x"), "environment": cty.UnknownVal(cty.String)}),
			})}), ""},
		"an object in a list": {cty.ObjectVal(map[string]cty.Value{"kind": str("Workload"), "name": str("a"),
			"deployment_target": cty.TupleVal([]cty.Value{cty.DynamicVal})}), ""},
		"a list": {cty.ObjectVal(map[string]cty.Value{"kind": str("Workload"), "name": str("a"),
			"deployment_target": cty.DynamicVal}), ""},
		"values of any type in several targets": {cty.ObjectVal(map[string]cty.Value{"kind": str("Workload"), "name": str("a"),
			"deployment_target": cty.TupleVal([]cty.Value{
				cty.ObjectVal(map[string]cty.Value{"name": str("x"), "environment": cty.DynamicVal,
					"labels": cty.ObjectVal(map[string]cty.Value{"a": cty.DynamicVal, "b": str("c")})}),
				cty.ObjectVal(map[string]cty.Value{"name": str("y"), "environment": str("dev"),
					"config_schemas": cty.TupleVal([]cty.Value{cty.DynamicVal, str("{}")})}),
				cty.ObjectVal(map[string]cty.Value{"name": str("z"), "environment": str("dev"),
					"labels":         cty.UnknownVal(cty.Map(cty.DynamicPseudoType)),
					"config_schemas": cty.EmptyTupleVal}),
			})}), ""},
		"elements of any type in a selector": {cty.ObjectVal(map[string]cty.Value{"kind": str("SchedulingPolicy"), "name": str("a"),
			"cluster_type_selector": cty.DynamicVal,
			"deployment_target_selector": cty.ObjectVal(map[string]cty.Value{"match_expressions": cty.TupleVal([]cty.Value{
				cty.DynamicVal, cty.ObjectVal(map[string]cty.Value{"key": str("a"), "operator": str("In"),
					"values": cty.TupleVal([]cty.Value{cty.DynamicVal})}),
			})})}), ""},
		"beside a mistake": {cty.ObjectVal(map[string]cty.Value{"kind": str("GitOpsRepo"), "name": str("a"), "brunch": str("b"),
			"repo": cty.UnknownVal(cty.String)}), "no attribute brunch"},
		"beside a bad one": {cty.ObjectVal(map[string]cty.Value{"kind": str("GitOpsRepo"), "name": str("A B"), "branch": str("b"),
			"repo": cty.UnknownVal(cty.String)}), "name must be a DNS subdomain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, failed := callManifest(t, test.object)
			switch {
			case test.mistake == "" && (failed != nil || text != "?"):
				t.Errorf("want unknown, got %q, %v", text, failed)
			case test.mistake != "" && (failed == nil || !strings.Contains(failed.Text, test.mistake)):
				t.Errorf("want %q, got %q, %v", test.mistake, text, failed)
			}
		})
	}
}

func TestAccManifestFunction(t *testing.T) {
	t.Parallel()
	const unknown = "terraform_data.edge.output"
	config := func(edge string) string {
		return `
variable "nothing" { default = null }
resource "terraform_data" "edge" { input = "true" }
resource "kalypso_scheduling_policy" "test" {
  name   = "edge"
  labels = { team = "platform" }
  deployment_target_selector {
    match_labels = { edge = "true" }
    match_expressions {
      key      = "tier"
      operator = "Exists"
    }
  }
  cluster_type_selector {
    match_all = true
  }
}
locals {
  object = {
    kind                       = "SchedulingPolicy"
    name                       = "edge"
    labels                     = { for team in ["platform"] : "team" => team }
    deployment_target_selector = { match_labels = { edge = ` + edge + ` }, match_expressions = [{ key = "tier", operator = "Exists", values = var.nothing }], workspace = null }
    cluster_type_selector      = { match_all = true }
  }
}
output "object" { value = provider::kalypso::manifest(local.object) }
output "same" { value = provider::kalypso::manifest(local.object) == kalypso_scheduling_policy.test.manifest }
output "renamed" { value = yamldecode(provider::kalypso::manifest(merge(kalypso_scheduling_policy.test, { kind = "SchedulingPolicy", name = "other" }))) }
`
	}
	checks := []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValue("same", knownvalue.Bool(true)),
		statecheck.ExpectKnownOutputValueAtPath("renamed", tfjsonpath.New("metadata").AtMapKey("name"), knownvalue.StringExact("other")),
		statecheck.ExpectKnownOutputValueAtPath("renamed", tfjsonpath.New("spec").AtMapKey("clusterTypeSelector").AtMapKey("labelSelector"),
			knownvalue.MapExact(nil)),
	}
	inSteps(t, []resource.TestStep{
		{
			Config:      strings.ReplaceAll(config(unknown), "match_labels = { edge = "+unknown, "match_lables = { edge = "+unknown),
			ExpectError: saying("There is no attribute deployment_target_selector.match_lables. Did you mean match_labels?"),
		},
		{
			Config: config(unknown),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("object")},
			},
			ConfigStateChecks: checks,
		},
		{
			Config:            config("true"),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: checks,
		},
	}...)
}
