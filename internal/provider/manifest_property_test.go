// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// The function and the resource say the same of every object: the same manifest, or
// both that it is wrong.
func TestManifestFunction_saysWhatTheResourceSays(t *testing.T) {
	t.Parallel()
	for kind, model := range modelled() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			valid, invalid := 0, 0
			for seed := range race.Seeds(200) {
				g := objects{rand.New(rand.NewPCG(seed, 7))}
				object := g.object(model.block())
				want, accepted := plannedManifest(t, model, object)
				written := maps.Clone(object)
				written["kind"] = string(kind)
				got, failed := callManifest(t, g.written(written))
				if accepted != (failed == nil) || accepted && got != want {
					t.Fatalf("seed %d: the resource (accepted: %t):\n%s\nthe function (%v):\n%s\nof %v", seed, accepted, want, failed, got, object)
				}
				if accepted {
					valid++
				} else {
					invalid++
				}
			}
			if valid < int(race.Seeds(50)) || invalid < int(race.Seeds(10)) {
				t.Errorf("only %d valid objects and %d others were tried", valid, invalid)
			}
		})
	}
}

// plannedManifest asks the provider to validate and plan a resource, as Terraform does.
func plannedManifest(t *testing.T, model modeller, object map[string]any) (text string, accepted bool) {
	t.Helper()
	schemaType := ctyType(model.block().Type())
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	value, err := ctyjson.Unmarshal(encoded, schemaType)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := msgpack.Marshal(value, schemaType)
	if err != nil {
		t.Fatal(err)
	}
	config := &tfprotov6.DynamicValue{MsgPack: wire}
	server := unconfigured()
	validated, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: model.terraformName(),
		Config: config})
	if err != nil {
		t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return "", false
	}
	resourceType := model.configType(t.Context())
	prior, err := tfprotov6.NewDynamicValue(resourceType, tftypes.NewValue(resourceType, nil))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: model.terraformName(), PriorState: &prior, ProposedNewState: config, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Diagnostics) > 0 {
		return "", false
	}
	state, err := msgpack.Unmarshal(plan.PlannedState.MsgPack, schemaType)
	if err != nil {
		t.Fatal(err)
	}
	return state.GetAttr("manifest").AsString(), true
}

// objects makes random objects with the attributes of a schema, most of them valid.
type objects struct{ *rand.Rand }

// texts are what attributes are filled with, by their names.
var texts = map[string][]string{
	"repo":           {"https://example.com/a", "git@example.com:a/b.git"},
	"branch":         {"main", "release/1.0"},
	"path":           {".", "./a/b", ""},
	"commit":         {"0a0a0a0", "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"},
	"schema":         {"{}", `{"type": "object"}`, "type: object\n"},
	"config_schemas": {"{}", `{"required": ["A"]}`},
	"":               {"a", "b-c", "1", "12", "true", "dev"},
	"wrong":          {"A B", "{{", "-", "x: [", " "},
}

// length is that of a list, which is seldom empty.
func (g objects) length() int {
	if g.IntN(20) == 0 {
		return 0
	}
	return 1 + g.IntN(2)
}

var aWord = regexp.MustCompile(`"(\w+)"`)

// wordsOf are those that an attribute may be, where it is one of a few.
func wordsOf(attribute schema.StringAttribute) []string {
	var words []string
	for _, v := range attribute.Validators {
		if says := v.Description(context.Background()); strings.HasPrefix(says, "value must be one of") {
			for _, match := range aWord.FindAllStringSubmatch(says, -1) {
				words = append(words, match[1])
			}
		}
	}
	return words
}

func (g objects) pick(list []string) string { return list[g.IntN(len(list))] }

func (g objects) text(name string) string {
	switch list, known := texts[name]; {
	case g.IntN(40) == 0:
		return g.pick(texts["wrong"])
	case known:
		return g.pick(list)
	default:
		return g.pick(texts[""])
	}
}

func (g objects) object(of schema.NestedBlockObject) map[string]any {
	object := map[string]any{}
	leftOut := func(name string, isRequired bool) bool {
		object[name] = nil
		return g.IntN(50) == 0 || !isRequired && !neededInside[name] && g.IntN(3) == 0
	}
	for _, name := range slices.Sorted(maps.Keys(of.Attributes)) {
		attribute := of.Attributes[name]
		if !leftOut(name, attribute.IsRequired()) && !attribute.IsComputed() {
			object[name] = g.value(name, attribute)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of.Blocks)) {
		if !leftOut(name, false) {
			object[name] = g.block(of.Blocks[name])
		}
	}
	if g.IntN(40) > 0 {
		agree(object)
	}
	return object
}

// agree has attributes go together that depend on each other.
func agree(object map[string]any) {
	switch object["operator"] {
	case "Exists", "DoesNotExist":
		for _, name := range []string{"values", "value"} {
			if _, has := object[name]; has {
				object[name] = nil
			}
		}
	case "In", "NotIn":
		object["values"] = []any{"a"}
	}
	if _, isScore := object["built_in"]; isScore {
		object["built_in"], object["type"] = "Steady", nil
		object["add_on"] = nil
	}
	if _, isSelector := object["claim_selector"]; isSelector {
		object["match_all"] = object["label_selector"] == nil && object["claim_selector"] == nil && object["cel_selector"] == nil
	}
}

// neededInside are attributes that have to be set, though their schema cannot say so.
var neededInside = map[string]bool{
	"match_labels": true, "match_expressions": true, "placement": true,
	"control_plane": true, "workload": true,
	"deployment_target_selector": true, "cluster_type_selector": true, "required_cluster_selector": true, "group_cluster_selector": true,
}

func (g objects) block(block schema.Block) any {
	switch block := block.(type) {
	case schema.SingleNestedBlock:
		return g.object(schema.NestedBlockObject{Attributes: block.Attributes, Blocks: block.Blocks})
	case schema.ListNestedBlock:
		list := []any{}
		for range g.length() {
			list = append(list, g.object(block.NestedObject))
		}
		return list
	default:
		panic(fmt.Sprintf("a %T is not known to this test", block))
	}
}

func (g objects) value(name string, attribute schema.Attribute) any {
	switch attribute := attribute.(type) {
	case schema.StringAttribute:
		if words := wordsOf(attribute); words != nil && g.IntN(40) > 0 {
			return g.pick(words)
		}
		return g.text(name)
	case schema.BoolAttribute:
		return false
	case schema.ListAttribute:
		list := []any{}
		for range g.length() {
			list = append(list, g.text(name))
		}
		return list
	case schema.MapAttribute:
		all := map[string]any{}
		for range 1 + g.IntN(3) {
			all[g.text("")] = g.text("")
		}
		return all
	default:
		panic(attribute.GetType().String() + " of " + name + " is not known to this test")
	}
}

// written is the value as somebody writes it into HCL: what is null may be left out,
// and texts that read as numbers or truth values may be those.
func (g objects) written(value any) cty.Value {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]cty.Value{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if value[key] != nil || g.IntN(2) == 0 {
				all[key] = g.written(value[key])
			}
		}
		return cty.ObjectVal(all)
	case []any:
		list := make([]cty.Value, len(value))
		for i := range value {
			list[i] = g.written(value[i])
		}
		return cty.TupleVal(list)
	case string:
		if number, err := strconv.Atoi(value); err == nil && g.IntN(2) == 0 {
			return cty.NumberIntVal(int64(number))
		}
		if value == "true" && g.IntN(2) == 0 {
			return cty.True
		}
		return cty.StringVal(value)
	case int:
		return cty.NumberIntVal(int64(value))
	case bool:
		if g.IntN(2) == 0 {
			return cty.StringVal(strconv.FormatBool(value))
		}
		return cty.BoolVal(value)
	default:
		return cty.NullVal(cty.DynamicPseudoType)
	}
}

// Every attribute and block of every kind is one that the function looks into.
func TestManifestFunction_looksIntoEveryAttribute(t *testing.T) {
	t.Parallel()
	var check func(name string, of schema.NestedBlockObject)
	check = func(name string, of schema.NestedBlockObject) {
		for attributeName, attribute := range of.Attributes {
			elements := attr.Type(types.StringType)
			switch attribute := attribute.(type) {
			case schema.StringAttribute, schema.BoolAttribute:
			case schema.ListAttribute:
				elements = attribute.ElementType
			case schema.MapAttribute:
				elements = attribute.ElementType
			default:
				t.Errorf("%s.%s: objectReader.attribute does not know a %T", name, attributeName, attribute)
			}
			if elements != types.StringType {
				t.Errorf("%s.%s: elements that are not texts may hold attributes that nobody knows", name, attributeName)
			}
		}
		for blockName, block := range of.Blocks {
			switch block := block.(type) {
			case schema.SingleNestedBlock:
				check(name+"."+blockName, schema.NestedBlockObject{Attributes: block.Attributes, Blocks: block.Blocks})
			case schema.ListNestedBlock:
				check(name+"."+blockName, block.NestedObject)
			default:
				t.Errorf("%s.%s: objectReader.block does not know a %T", name, blockName, block)
			}
		}
	}
	for kind, model := range modelled() {
		check(string(kind), model.block())
	}
}
