// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// objectOf is a fleet as a kalypso_deployments has it, with its time where it has one.
func objectOf(t testing.TB, f deployments.Fleet) cty.Value {
	t.Helper()
	object := map[string]cty.Value{"content": cty.StringVal(packed(t, f))}
	if !f.Time.IsZero() {
		object["time"] = cty.StringVal(timeOf(f.Time))
	}
	return cty.ObjectVal(object)
}

func packed(t testing.TB, f deployments.Fleet) string {
	t.Helper()
	content, err := deployedFleet{f, placesOf(f)}.packed()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// placesOf are places of the environments of a fleet.
func placesOf(f deployments.Fleet) []history.Deployed {
	var places []history.Deployed
	for _, e := range f.Environments {
		places = append(places, history.Deployed{Name: e.Name, Branch: git.Branch{Repo: "https://h/gitops", Name: e.Name}})
	}
	return places
}

// callFleet calls a function that shows a fleet as Terraform does.
func callFleet(t testing.TB, name string, object cty.Value) (string, *tfprotov6.FunctionError) {
	t.Helper()
	wire, err := msgpack.Marshal(object, cty.DynamicPseudoType)
	if err != nil {
		t.Fatal(err)
	}
	server := unconfigured()
	resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name,
		Arguments: []*tfprotov6.DynamicValue{{MsgPack: wire}}})
	if err != nil || resp.Error != nil {
		return "", resp.Error
	}
	value, err := resp.Result.Unmarshal(tftypes.String)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := value.As(&text); err != nil {
		t.Fatal(err)
	}
	return text, nil
}

// The content has the whole fleet, and is the same for the same fleet.
func TestFleetGiven(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]deployments.Fleet{"full": deployed.Full(), "large": deployed.Fleet(100)} {
		got, err := fleetGiven(objectOf(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Fleet); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if first := packed(t, want); packed(t, want) != first {
			t.Errorf("%s is packed in another way the second time", name)
		}
	}
}

// The function deployments returns all values of a fleet: each attribute has a value.
func TestDeploymentsOf(t *testing.T) {
	t.Parallel()
	full := deployed.Full()
	full.Rules.Chains = [][]string{{"dev", "prod"}}
	places := placesOf(full)
	for i := range places {
		places[i].Path = "fleet"
	}
	result, err := dynamically(deployedFleet{full, places})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := result.(types.Dynamic).UnderlyingValue().(types.String)
	value, err := msgpack.Unmarshal([]byte(text.ValueString()), cty.DynamicPseudoType)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	if err := cty.Walk(value, func(at cty.Path, v cty.Value) (bool, error) {
		name := ""
		for _, step := range at {
			if attribute, ok := step.(cty.GetAttrStep); ok {
				name += "." + attribute.Name
			}
		}
		set[name] = set[name] || !v.IsNull() && (!v.CanIterateElements() || v.LengthInt() > 0)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, isSet := range set {
		if !isSet {
			t.Errorf("%s has no value", name)
		}
	}
}

// compressed returns a content with a text.
func compressed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// A function does not unpack more of a content than the limit.
func TestUnpacked_bounds(t *testing.T) {
	t.Parallel()
	content := compressed(t, `{"Fleet":{}}`)
	if _, err := unpacked(content, 12); err != nil {
		t.Error(err)
	}
	if _, err := unpacked(content, 11); err == nil {
		t.Error("no error for a content that is too large")
	}
}

// A function refuses every content and environments that it cannot show. It does not end
// the provider, and does not show less than the argument has.
func TestFleetGiven_hostile(t *testing.T) {
	t.Parallel()
	good := packed(t, deployments.Fleet{Environments: []deployments.Environment{{Name: "dev"}, {Name: "prod"}}})
	const content, environments = "content does not come from a data source", "environments is not an object"
	dev := cty.StringVal("dev")
	for name, test := range map[string]struct {
		content, environments cty.Value
		want                  string
	}{
		"no content":      {cty.StringVal("x"), cty.NullVal(cty.DynamicPseudoType), content},
		"cut off":         {cty.StringVal(good[:len(good)-8]), cty.NullVal(cty.DynamicPseudoType), content},
		"too deep":        {cty.StringVal(compressed(t, strings.Repeat(`{"Fleet":`, 1<<16))), cty.NullVal(cty.DynamicPseudoType), content},
		"a set":           {cty.StringVal(good), cty.SetVal([]cty.Value{dev}), environments},
		"a list":          {cty.StringVal(good), cty.ListVal([]cty.Value{dev}), environments},
		"a tuple":         {cty.StringVal(good), cty.TupleVal([]cty.Value{dev}), environments},
		"a text":          {cty.StringVal(good), dev, environments},
		"unknown content": {cty.UnknownVal(cty.String), cty.NullVal(cty.DynamicPseudoType), "not known yet"},
		"unknown":         {cty.StringVal(good), cty.UnknownVal(cty.Map(cty.String)), "not known yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for function := range showsFleet {
				_, failed := callFleet(t, function, cty.ObjectVal(map[string]cty.Value{"content": test.content, "environments": test.environments}))
				if failed == nil || !strings.Contains(failed.Text, test.want) {
					t.Errorf("%s: error %v, want %q", function, failed, test.want)
				}
			}
		})
	}
}

// Values of a newer data source are not errors. An unknown kind keeps its name.
func TestFleetGiven_newer(t *testing.T) {
	t.Parallel()
	text, failed := callFleet(t, "fleet_markdown", cty.ObjectVal(map[string]cty.Value{"content": cty.StringVal(compressed(t, `{"Fleet": {
		"Environments": [{"Name": "dev", "Head": "1", "Newer": 1}, {"Name": "prod", "Head": "1"}],
		"Discrepancies": [{"Kind": "elsewhere", "Workload": "y", "Left": "dev", "Right": "prod", "Text": "t"}]
	}}`))}))
	if failed != nil || !strings.Contains(text, "| `y` | elsewhere |") {
		t.Errorf("%v: %s", failed, text)
	}
}

func TestFleetFunctions(t *testing.T) {
	t.Parallel()
	fleet := deployed.Fleet(10)
	for name, want := range map[string]string{"fleet_page": fleetview.Page(fleet), "fleet_markdown": fleetview.Markdown(fleet)} {
		if got, failed := callFleet(t, name, objectOf(t, fleet)); failed != nil || got != want {
			t.Errorf("%s: %v, and %d bytes, not %d", name, failed, len(got), len(want))
		}
	}
}

// Entries of an environment that is not asked for are left out.
func TestFleetGiven_fewer(t *testing.T) {
	t.Parallel()
	value := objectOf(t, deployed.Fleet(10)).AsValueMap()
	value["environments"] = cty.ObjectVal(map[string]cty.Value{"dev": cty.EmptyObjectVal, "stage": cty.EmptyObjectVal})
	all, err := fleetGiven(cty.ObjectVal(value))
	if err != nil {
		t.Fatal(err)
	}
	got := all.Fleet
	if len(got.Environments) != 2 || len(got.Environments[1].Packages) != 10 || len(got.Discrepancies) == 0 {
		t.Fatalf("there are %d environments, and %d discrepancies", len(got.Environments), len(got.Discrepancies))
	}
	for _, d := range got.Discrepancies {
		if d.Left == "prod" || d.Right == "prod" {
			t.Errorf("there is %s", d.Text)
		}
	}
}

func TestFleetGiven_mistakes(t *testing.T) {
	t.Parallel()
	content := fmt.Sprintf(`"content": %q`, packed(t, deployed.Fleet(1)))
	for name, test := range map[string]struct{ object, want string }{
		"no object":     {`"fleet"`, "the argument is not a kalypso_deployments. Pass a data source, such as data.kalypso_deployments.fleet"},
		"null":          {`null`, "the argument is not a kalypso_deployments"},
		"a list":        {`[]`, "the argument is not a kalypso_deployments"},
		"nothing of it": {`{"environment": "dev"}`, "the argument is not a kalypso_deployments"},
		"no content":    {`{"content": null}`, "the argument is not a kalypso_deployments"},
		"a number":      {`{"content": 1}`, "the argument is not a kalypso_deployments"},
		"no text":       {`{` + content + `, "time": 1}`, "time is not a text, such as the result of plantimestamp()"},
		"no time":       {`{` + content + `, "time": "now"}`, `time: "now" is not a time`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failed := callFleet(t, "fleet_page", jsonObject(t, test.object))
			if failed == nil || !strings.Contains(failed.Text, test.want) {
				t.Errorf("error %v, want %q", failed, test.want)
			}
		})
	}
}

// A page of 2,000 packages in each of three environments, as Terraform asks for it.
func BenchmarkFleetPage(b *testing.B) {
	wire, err := msgpack.Marshal(objectOf(b, deployed.Fleet(2000)), cty.DynamicPseudoType)
	if err != nil {
		b.Fatal(err)
	}
	server := unconfigured()
	for b.Loop() {
		resp, err := server.CallFunction(b.Context(), &tfprotov6.CallFunctionRequest{Name: "fleet_page",
			Arguments: []*tfprotov6.DynamicValue{{MsgPack: wire}}})
		if err != nil || resp.Error != nil {
			b.Fatal(err, resp)
		}
	}
}

// The functions accept the data source's values, wherever it read them.
func TestAccFleetFunctions_dataSource(t *testing.T) {
	t.Parallel()
	s := transports["file"](t)
	writesLikeKalypso(t, s.repo, "dev", "1")
	writesLikeKalypso(t, s.repo, "prod", "2")
	inSteps(t, resource.TestStep{
		Config: s.provider + deploymentsHCL(branchesOf(s.url, "dev", "prod", "none")) + `
output "markdown" { value = provider::kalypso::fleet_markdown(data.kalypso_deployments.fleet) }
output "page" { value = length(provider::kalypso::fleet_page(data.kalypso_deployments.fleet)) > 10000 }
output "time" { value = strcontains(provider::kalypso::fleet_markdown(merge(data.kalypso_deployments.fleet, {
  time = timeadd("2026-11-20T12:00:00+01:00", "-1h")
})), "As of 2026-11-20 10:00 UTC.") }
output "fewer" { value = strcontains(provider::kalypso::fleet_markdown(merge(data.kalypso_deployments.fleet, {
  environments = { for name, e in data.kalypso_deployments.fleet.environments : name => e if name == "prod" }
})), "dev") }
`,
		ConfigStateChecks: checks(
			statecheck.ExpectKnownOutputValue("page", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("time", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("fewer", knownvalue.Bool(false)),
			statecheck.ExpectKnownOutputValue("markdown", knownvalue.StringRegexp(regexp.MustCompile(
				"(?s)\\| `none` \\| not reported \\| – .* the branch does not exist \\|.*"+
					"### `dev` and `prod`.*\\| `shop` \\| configuration `RELEASE` \\| "+
					"`large` \\| `1` \\| `2` \\|.*## `dev`\n\n\\| Deployment target \\| `large` \\|"))),
		),
	})
}
