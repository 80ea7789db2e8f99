// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// everyField is a placement that says everything that can be said.
const everyField = `resource "kalypso_placement" "test" {
  name               = "edge"
  namespace          = "fleet"
  labels             = { team = "platform" }
  cluster_sets       = ["west", "east"]
  number_of_clusters = 2
  predicates {
    required_cluster_selector {
      label_selector {
        match_labels = { tier = "edge", "example.com/restricted" = "true" }
        match_expressions {
          key      = "region"
          operator = "In"
          values   = ["a", "b"]
        }
      }
      claim_selector {
        match_expressions {
          key      = "platform"
          operator = "Exists"
        }
      }
      cel_selector {
        cel_expressions = ["managedCluster.metadata.name != \"a\""]
      }
    }
  }
  predicates {
    required_cluster_selector {
      match_all = true
    }
  }
  tolerations {
    key      = "drain"
    operator = "Exists"
    effect   = "NoSelect"
  }
  tolerations {
    key   = "tier"
    value = "gold"
  }
  tolerations {
    operator = "Exists"
  }
  prioritizer_policy {
    mode = "Exact"
    configurations {
      weight = -10
      score_coordinate {
        built_in = "ResourceAllocatableCPU"
      }
    }
    configurations {
      score_coordinate {
        type = "AddOn"
        add_on {
          resource_name = "load"
          score_name    = "free"
        }
      }
    }
    configurations {
      weight = 0
      score_coordinate {
        built_in = "Steady"
      }
    }
  }
  spread_policy {
    spread_constraints {
      topology_key       = "region"
      topology_key_type  = "Claim"
      max_skew           = 2
      when_unsatisfiable = "DoNotSchedule"
    }
    spread_constraints {
      topology_key      = "zone"
      topology_key_type = "Label"
    }
  }
  decision_strategy {
    group_strategy {
      clusters_per_decision_group = 3
      decision_groups {
        group_name = "canary"
        group_cluster_selector {
          label_selector {
            match_labels = { canary = "true" }
          }
        }
      }
      decision_groups {
        group_name = "rest"
        group_cluster_selector {
          match_all = true
        }
      }
    }
  }
}`

var everyFieldObject = &manifest.Placement{
	Meta:        manifest.Meta{Kind: manifest.KindPlacement, Name: "edge", Labels: map[string]string{"team": "platform"}},
	InNamespace: "fleet",
	Spec: clusterv1beta1.PlacementSpec{
		ClusterSets: []string{"west", "east"}, NumberOfClusters: new(int32(2)),
		Predicates: []clusterv1beta1.ClusterPredicate{
			{RequiredClusterSelector: clusterv1beta1.ClusterSelector{
				LabelSelector: metav1.LabelSelector{
					MatchLabels:      map[string]string{"tier": "edge", "example.com/restricted": "true"},
					MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "region", Operator: "In", Values: []string{"a", "b"}}},
				},
				ClaimSelector: clusterv1beta1.ClusterClaimSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "platform",
					Operator: "Exists"}}},
				CelSelector: clusterv1beta1.ClusterCelSelector{CelExpressions: []string{`managedCluster.metadata.name != "a"`}},
			}},
			{},
		},
		Tolerations: []clusterv1beta1.Toleration{
			{Key: "drain", Operator: "Exists", Effect: clusterv1.TaintEffectNoSelect},
			{Key: "tier", Operator: "Equal", Value: "gold"},
			{Operator: "Exists"},
		},
		PrioritizerPolicy: clusterv1beta1.PrioritizerPolicy{Mode: "Exact", Configurations: []clusterv1beta1.PrioritizerConfig{
			{ScoreCoordinate: &clusterv1beta1.ScoreCoordinate{Type: "BuiltIn", BuiltIn: manifest.PrioritizerCPU}, Weight: -10},
			{ScoreCoordinate: &clusterv1beta1.ScoreCoordinate{Type: "AddOn", AddOn: &clusterv1beta1.AddOnScore{ResourceName: "load",
				ScoreName: "free"}}, Weight: 1},
			{ScoreCoordinate: &clusterv1beta1.ScoreCoordinate{Type: "BuiltIn", BuiltIn: manifest.PrioritizerSteady}},
		}},
		SpreadPolicy: clusterv1beta1.SpreadPolicy{SpreadConstraints: []clusterv1beta1.SpreadConstraintsTerm{
			{TopologyKey: "region", TopologyKeyType: "Claim", MaxSkew: 2, WhenUnsatisfiable: "DoNotSchedule"},
			{TopologyKey: "zone", TopologyKeyType: "Label", MaxSkew: 1, WhenUnsatisfiable: "ScheduleAnyway"},
		}},
		DecisionStrategy: clusterv1beta1.DecisionStrategy{GroupStrategy: clusterv1beta1.GroupStrategy{
			DecisionGroups: []clusterv1beta1.DecisionGroup{
				{GroupName: "canary",
					ClusterSelector: clusterv1beta1.GroupClusterSelector{
						LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"canary": "true"}}}},
				{GroupName: "rest"},
			},
			ClustersPerDecisionGroup: intstr.FromInt32(3),
		}},
	},
}

func placementLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_placement.test",
		create:  everyField,
		created: everyFieldObject,
		// As kubectl prints it, with the values that the server adds: defaults do not
		// count as differences.
		imported: strings.NewReplacer("metadata:\n", `metadata:
  creationTimestamp: "2026-01-02T03:04:05Z"
  generation: 2
  managedFields: [{manager: kubectl, operation: Update, fieldsV1: {"f:spec": {}}}]
  resourceVersion: "42"
  uid: 3f1c
`,
			"topologyKey: zone\n", "topologyKey: zone\n        maxSkew: 1\n        whenUnsatisfiable: ScheduleAnyway\n",
			"value: gold\n", "value: gold\n      operator: Equal\n",
			"type: AddOn\n", "type: AddOn\n          builtIn: \"\"\n",
			"builtIn: ResourceAllocatableCPU\n", "builtIn: ResourceAllocatableCPU\n          type: BuiltIn\n",
		).Replace(manifest.Encode(everyFieldObject)) + "status: {numberOfSelectedClusters: 2, conditions: [], decisionGroups: []}\n",
		update: `resource "kalypso_placement" "test" {
  name = "edge"
  decision_strategy {
    group_strategy {
      clusters_per_decision_group = "25%"
    }
  }
}`,
		updated: &manifest.Placement{
			Meta: manifest.Meta{Kind: manifest.KindPlacement, Name: "edge"},
			Spec: clusterv1beta1.PlacementSpec{
				DecisionStrategy: clusterv1beta1.DecisionStrategy{
					GroupStrategy: clusterv1beta1.GroupStrategy{ClustersPerDecisionGroup: intstr.FromString("25%")}},
			},
		},
	}
}

func TestPlacement_mistakes(t *testing.T) {
	t.Parallel()
	placement := func(more ...string) string {
		return "resource \"kalypso_placement\" \"test\" {\n  name = \"edge\"\n  " + strings.Join(more, "\n") + "\n}"
	}
	selector := func(more ...string) string {
		return placement(block("predicates", block("required_cluster_selector", more...)))
	}
	labels := func(more ...string) string { return selector(block("label_selector", more...)) }
	claims := func(more ...string) string {
		return selector(block("claim_selector", block("match_expressions", more...)))
	}
	cel := func(expressions string) string {
		return selector(block("cel_selector", "cel_expressions = "+expressions))
	}
	toleration := func(more ...string) string { return placement(block("tolerations", more...)) }
	prioritizer := func(more ...string) string {
		return placement(block("prioritizer_policy", block("configurations", more...)))
	}
	score := func(more ...string) string { return prioritizer(block("score_coordinate", more...)) }
	spread := func(more ...string) string {
		return placement(block("spread_policy", block("spread_constraints", more...)))
	}
	strategy := func(more ...string) string {
		return placement(block("decision_strategy", block("group_strategy", more...)))
	}
	group := func(more ...string) string { return strategy(block("decision_groups", more...)) }
	const selected, steady, byRegion, byLabel = "predicates[0].required_cluster_selector", `built_in = "Steady"`, `topology_key = "a"`,
		`topology_key_type = "Label"`
	const key, exists, addOn = `key = "a"`, `operator = "Exists"`, `type = "AddOn"`
	expectMistakes(t, map[string]mistake{
		"number": {placement(`number_of_clusters = -1`),
			`number_of_clusters must be a number of clusters: "-1" is not a whole number from 0 to 2147483647`},
		"namespace":   {placement(`namespace = "a.b"`), "namespace must be a DNS label"},
		"no sets":     {placement(`cluster_sets = []`), "cluster_sets list must contain at least 1 elements"},
		"a set":       {placement(`cluster_sets = ["a b"]`), "cluster_sets[0] must be a Kubernetes label value"},
		"no block":    {placement(`predicates = []`), `An argument named "predicates" is not expected here`},
		"no selector": {placement(block("predicates")), "Block " + selected + " must have a configuration value"},
		"misspelled": {selector(block("label_selctor", `match_labels = { a = "b" }`)),
			`Blocks of type "label_selctor" are not expected here`},
		"as YAML has it": {selector(block("labelSelector")), `Blocks of type "labelSelector" are not expected here`},
		"no requirement": {selector(), selected + " has neither label_selector nor claim_selector nor cel_selector, so it excludes nothing. To " +
			"exclude nothing, write match_all = true."},
		"all and labels": {selector(`match_all = true`, block("label_selector", `match_labels = { a = "b" }`)), selected +
			" has match_all = true and also label_selector or claim_selector or cel_selector"},
		"empty selector": {labels(), selected + ".label_selector has neither match_labels nor match_expressions, so it excludes nothing. To " +
			"exclude nothing, leave the block out."},
		"empty labels": {labels(`match_labels = {}`), selected + ".label_selector has neither match_labels nor match_expressions"},
		"label": {labels(`match_labels = { "a b" = "c" }`), selected +
			`.label_selector.match_labels["a b"] must be a Kubernetes label key`},
		"operator": {claims(key, `operator = "Is"`),
			selected + `.claim_selector.match_expressions[0].operator value must be one of: ["DoesNotExist" "Exists" "In" "NotIn"`},
		"values":          {claims(key, `operator = "In"`), "match_expressions[0].values has to list at least one value"},
		"no claims":       {selector(block("claim_selector")), selected + ".claim_selector.match_expressions has to be set"},
		"no expressions":  {cel(`[]`), selected + ".cel_selector.cel_expressions has to be set"},
		"null expression": {cel(`[null]`), "Null"},
		"expression": {cel(`["true", "cluster.metadata.name == \"a\""]`), selected +
			`.cel_selector.cel_expressions[1] must be an expression of CEL that is true or false: "cluster.metadata.name == \"a\"" is not: column 1: undeclared reference to 'cluster'`},
		"expression's type": {cel(`["1 + 1"]`), `"1 + 1" is not: its result has the type int, but must be true or false`},
		"toleration":        {toleration(`value = "a"`), "tolerations[0].key has to be set"},
		"value":             {toleration(key, exists, `value = "a"`), "tolerations[0].value has to be left out"},
		"effect":            {toleration(key, `effect = "NoSchedule"`), "tolerations[0].effect value must be one of"},
		"needs a clock":     {toleration(key, `toleration_seconds = 60`), `An argument named "toleration_seconds" is not expected here`},
		"mode":              {placement(block("prioritizer_policy", `mode = "Some"`)), "prioritizer_policy.mode value must be one of"},
		"weight": {prioritizer(`weight = 11`, block("score_coordinate", steady)),
			`configurations[0].weight must be a weight: "11" is not a whole number from -10 to 10`},
		"half a weight": {prioritizer(`weight = 0.5`, block("score_coordinate", steady)),
			`configurations[0].weight must be a weight: "0.5" is not`},
		"no score": {prioritizer(`weight = 1`), "Block prioritizer_policy.configurations[0].score_coordinate must have a " +
			"configuration value"},
		"no prioritizer": {score(), "score_coordinate.built_in has to be set: the type is BuiltIn"},
		"no add-on":      {score(addOn, steady), "score_coordinate.add_on has to be set: the type is AddOn"},
		"both": {score(steady, block("add_on", `resource_name = "a"`, `score_name = "b"`)), "score_coordinate.add_on has to be " +
			"left out: the type is BuiltIn"},
		"prioritizer": {score(`built_in = "Memory"`),
			`score_coordinate.built_in value must be one of: ["Balance" "ResourceAllocatableCPU" "ResourceAllocatableMemory" "Steady"`},
		"no score's name": {score(addOn, block("add_on", `resource_name = "a"`)), "add_on.score_name has to be set"},
		"no constraints":  {placement(block("spread_policy")), "spread_policy.spread_constraints has to be set"},
		"nine constraints": {placement(block("spread_policy", slices.Repeat([]string{block("spread_constraints", byRegion, byLabel)}, 9)...)),
			"at most 8 elements, got: 9"},
		"topology":           {spread(byRegion, `topology_key_type = "Zone"`), "topology_key_type value must be one of"},
		"no topology":        {spread(byLabel), `The argument "topology_key" is required`},
		"skew":               {spread(byRegion, byLabel, `max_skew = 0`), `max_skew must be a whole number: "0" is not`},
		"when unsatisfiable": {spread(byRegion, byLabel, `when_unsatisfiable = "Never"`), "when_unsatisfiable value must be one of"},
		"no strategy":        {placement(block("decision_strategy")), "decision_strategy.group_strategy has to be set"},
		"size of groups": {strategy(`clusters_per_decision_group = "0%"`),
			`clusters_per_decision_group must be a number or a percentage of clusters: "0%", but a number from 1 on or a percentage from 1% to 100% is needed`},
		"name of a group": {group(`group_name = "a b"`, block("group_cluster_selector", "match_all = true")),
			"decision_groups[0].group_name must be a Kubernetes label value"},
		"selector of a group": {group(`group_name = "a"`), "decision_groups[0].group_cluster_selector must have a configuration value"},
	})
}

// fieldName returns the name of an attribute as the API has it.
func fieldName(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// The resource has the same fields as Open Cluster Management's API.
func TestPlacement_hasEveryField(t *testing.T) {
	t.Parallel()
	fields, attributes := map[string]bool{}, map[string]bool{}
	var ofType func(at string, of reflect.Type)
	ofType = func(at string, of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		fields[at] = true
		if of.Kind() != reflect.Struct || of == reflect.TypeFor[intstr.IntOrString]() {
			return
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			ofType(at+"."+name, of.Field(i).Type)
		}
	}
	ofType("spec", reflect.TypeFor[clusterv1beta1.PlacementSpec]())
	delete(fields, "spec.tolerations.tolerationSeconds") // it needs a clock
	var ofSchema func(at string, of schema.NestedBlockObject)
	ofSchema = func(at string, of schema.NestedBlockObject) {
		attributes[at] = true
		for name := range of.Attributes {
			if name != "match_all" { // ours: it says what an empty selector is
				attributes[at+"."+fieldName(name)] = true
			}
		}
		for name, block := range of.Blocks {
			at := at + "." + fieldName(name)
			switch block := block.(type) {
			case schema.SingleNestedBlock:
				ofSchema(at, schema.NestedBlockObject{Attributes: block.Attributes, Blocks: block.Blocks})
			case schema.ListNestedBlock:
				ofSchema(at, block.NestedObject)
			}
		}
	}
	own := schema.NestedBlockObject{Attributes: placementAttributes(), Blocks: placementBlocks()}
	delete(own.Attributes, "namespace")
	delete(own.Attributes, "labels")
	ofSchema("spec", own)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(attributes))); diff != "" {
		t.Errorf("fields (-) and attributes (+):\n%s", diff)
	}
}

// Values may come from elsewhere, and be unknown at first.
func TestAccPlacement_fromElsewhere(t *testing.T) {
	t.Parallel()
	const address = "kalypso_placement.test"
	config := func(expression string) string {
		return `
variable "tolerations" {
  type    = list(object({ key = optional(string), operator = optional(string) }))
  default = [{ operator = "Exists" }]
}
resource "terraform_data" "later" { input = { expression = "` + expression + `", number = 2 } }
resource "kalypso_placement" "test" {
  name               = "edge"
  number_of_clusters = terraform_data.later.output.number
  predicates {
    required_cluster_selector {
      cel_selector {
        cel_expressions = tolist([terraform_data.later.output.expression])
      }
    }
  }
  dynamic "tolerations" {
    for_each = var.tolerations
    content {
      key      = tolerations.value.key
      operator = tolerations.value.operator
    }
  }
}`
	}
	want := knownvalue.StringExact(manifest.Encode(&manifest.Placement{
		Meta: manifest.Meta{Kind: manifest.KindPlacement, Name: "edge"},
		Spec: clusterv1beta1.PlacementSpec{
			NumberOfClusters: new(int32(2)),
			Predicates: []clusterv1beta1.ClusterPredicate{{
				RequiredClusterSelector: clusterv1beta1.ClusterSelector{
					CelSelector: clusterv1beta1.ClusterCelSelector{CelExpressions: []string{"true"}}}}},
			Tolerations: []clusterv1beta1.Toleration{{Operator: "Exists"}},
		},
	}))
	inSteps(t, []resource.TestStep{
		{
			Config:      config("cluster"),
			ExpectError: saying(`cel_expressions[0] must be an expression of CEL that is true or false: "cluster" is not: column 1`),
		},
		{
			Config: config("true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact("edge")),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("manifest")),
				},
			},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("manifest"), want)},
		},
	}...)
}
