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
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	vmsgpack "github.com/vmihailenco/msgpack/v5"
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
	state, err := vmsgpack.Marshal(deploymentsOf(f, placesOf(f)))
	if err != nil {
		t.Fatal(err)
	}
	value, err := msgpack.Unmarshal(state, cty.Object(toldTypes()))
	if err != nil {
		t.Fatal(err)
	}
	if f.Time.IsZero() {
		return value
	}
	all := value.AsValueMap()
	all["time"] = cty.StringVal(timeOf(f.Time))
	return cty.ObjectVal(all)
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

// leftOut is what no function shows: what only following and comparing need, and whether
// there is a folder, which the number of packages says.
var leftOut = cmp.Options{
	cmpopts.IgnoreFields(deployments.Environment{}, "NoFolder"), cmpopts.IgnoreFields(deployments.Package{}, "Partial"),
	cmpopts.IgnoreFields(deployments.Source{}, "Chart", "Tag"),
	cmp.FilterPath(func(p cmp.Path) bool {
		return strings.Contains(p.GoString(), ".Packages[") && strings.Contains(p.GoString(), ".Changed.")
	},
		cmpopts.IgnoreFields(deployments.Change{}, "Added", "Changed", "Removed")), // a package has none
	cmpopts.EquateEmpty(),
}

// The conversion keeps the whole fleet and its order: names can contain characters that
// sort before a slash.
func TestFleetOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]deployments.Fleet{"full": deployed.Full(), "large": deployed.Fleet(100)} {
		got, err := fleetOf(objectOf(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, leftOut); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The content of the data source is the way that fleets take, and the same for the same fleet.
func TestFleetOf_content(t *testing.T) {
	t.Parallel()
	want := deployed.Full()
	state := deploymentsOf(want, placesOf(want))
	got, err := fleetOf(cty.ObjectVal(map[string]cty.Value{"content": cty.StringVal(packed(t, state)),
		"time": cty.StringVal(timeOf(want.Time))}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, leftOut); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := deploymentsOf(want, placesOf(want)); packed(t, again) != packed(t, state) {
		t.Error("it is packed in another way the second time")
	}
}

func packed(t testing.TB, s deploymentsState) string {
	t.Helper()
	content, err := s.packed()
	if err != nil {
		t.Fatal(err)
	}
	return content
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
	content := compressed(t, `{"packages":{}}`)
	if _, err := unpacked(content, 15); err != nil {
		t.Error(err)
	}
	if _, err := unpacked(content, 14); err == nil {
		t.Error("no error for a content that is too large")
	}
}

// A function refuses every content and environments that it cannot show. It does not end
// the provider, and does not show less than the argument has.
func TestFleetOf_hostile(t *testing.T) {
	t.Parallel()
	good := packed(t, deploymentsState{Environments: map[string]environmentState{"dev": {}, "prod": {}}})
	const content, environments = "content does not come from a data source", "environments is not an object"
	dev := cty.StringVal("dev")
	for name, test := range map[string]struct {
		content, environments cty.Value
		want                  string
	}{
		"no content":      {cty.StringVal("x"), cty.NullVal(cty.DynamicPseudoType), content},
		"cut off":         {cty.StringVal(good[:len(good)-8]), cty.NullVal(cty.DynamicPseudoType), content},
		"too deep":        {cty.StringVal(compressed(t, strings.Repeat(`{"packages":`, 1<<16))), cty.NullVal(cty.DynamicPseudoType), content},
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

// An environment without a branch or folder stays an environment. An environment that a
// person has written does not need a number of packages.
func TestFleetOf_missing(t *testing.T) {
	t.Parallel()
	fleet := deployments.NewFleet([]deployments.Environment{{Name: "branch"}, {Name: "folder", Head: "1", NoFolder: true},
		{Name: "there", Head: "1"}}, deployments.Rules{})
	state := deploymentsOf(fleet, []history.Deployed{{Name: "there", Path: "a"}, {Name: "folder", Path: "a"}, {Name: "branch", Path: "a"}})
	var r fleetReader
	read := r.fleet(state)
	state.Environments["folder"] = environmentState{Head: state.Environments["folder"].Head}
	for i, want := range []string{"branch", "folder", ""} {
		if got := read.Environments[i].Missing(); got != want {
			t.Errorf("%s: %q is missing", read.Environments[i].Name, got)
		}
	}
	if got := r.fleet(state).Environments[1].Missing(); got != "" {
		t.Errorf("of one without a path: %q is missing", got)
	}
}

// Values of a newer data source are not errors. A health that is not known is not
// reported, and an unknown kind keeps its name.
func TestFleetOf_newer(t *testing.T) {
	t.Parallel()
	text, failed := callFleet(t, "fleet_markdown", jsonObject(t, `{
		"environments": {"dev": {"head": "1", "health": "paused", "health_reason": "why"}, "prod": {"head": "1"}},
		"packages": {"a": {"environment": "dev", "cluster_type": "x", "deployment_target": "y", "health": "paused"}},
		"discrepancies": [{"kind": "elsewhere", "workload": "y", "left": "dev", "right": "prod", "text": "t"}], "history": []
	}`))
	if failed != nil {
		t.Fatal(failed.Text)
	}
	for _, want := range []string{"| `dev` | not reported | 1 |", "| `y` | elsewhere |", "| `y` | · |"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q: %s", want, text)
		}
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
func TestFleetOf_fewer(t *testing.T) {
	t.Parallel()
	value := objectOf(t, deployed.Fleet(10)).AsValueMap()
	environments := value["environments"].AsValueMap()
	delete(environments, "prod")
	value["environments"] = cty.MapVal(environments)
	got, err := fleetOf(cty.ObjectVal(value))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Environments) != 2 || len(got.Environments[1].Packages) != 10 || len(got.Discrepancies) == 0 {
		t.Fatalf("there are %d environments, and %d discrepancies", len(got.Environments), len(got.Discrepancies))
	}
	for _, d := range got.Discrepancies {
		if d.Left == "prod" || d.Right == "prod" {
			t.Errorf("there is %s", d.Text)
		}
	}
}

func TestFleetOf_mistakes(t *testing.T) {
	t.Parallel()
	with := func(more string) string {
		return `{"environments": {"dev": {}}, "packages": {}, "discrepancies": [], ` + more + "}"
	}
	for name, test := range map[string]struct {
		object string
		want   []string
	}{
		"no object": {`"fleet"`, []string{"the argument is not a kalypso_deployments. Pass a data source, such as data.kalypso_deployments.fleet"}},
		"no text": {`{"environments": {}, "packages": {}, "discrepancies": [], "history": [], "time": 1}`,
			[]string{"time is not a text, such as the result of plantimestamp()"}},
		"no time": {`{"environments": {}, "packages": {}, "discrepancies": [], "history": [], "time": "now"}`,
			[]string{`time: "now" is not a time`}},
		"a list": {`[]`, []string{"the argument is not a kalypso_deployments"}},
		"nothing of it": {`{"environment": "dev"}`, []string{"discrepancies is missing", "environments is missing",
			"history is missing", "the attribute packages is missing. Pass the result of the function deployments, which has environments"}},
		"wrong types": {`{"environments": ["dev"], "packages": "", "discrepancies": {}, "history": [1]}`,
			[]string{"discrepancies: list of object required", "environments: map of object required", "history: element 0: object required, but " +
				"have number", "packages: map of object required"}},
		"a wrong type below": {with(`"history": [{"environment": "dev", "commit": "c", "added": "x"}]`),
			[]string{`history: element 0: attribute "added": list of string required, but have string`}},
		"nothing below": {with(`"history": [{"commit": "c"}]`), []string{`history: element 0: attribute "environment" is required`}},
		"null":          {with(`"history": [{"commit": null, "environment": "dev"}]`), []string{"history[0].commit is null"}},
		"no time of an environment": {`{"environments": {"dev": {"time": "yesterday"}}, "packages": {}, "discrepancies": [], "history": []}`,
			[]string{`environments["dev"].time: "yesterday" is not a time`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failed := callFleet(t, "fleet_page", jsonObject(t, test.object))
			if failed == nil {
				t.Fatal("there is no error")
			}
			for _, want := range test.want {
				if !strings.Contains(failed.Text, want) {
					t.Errorf("the error lacks %q: %s", want, failed.Text)
				}
			}
		})
	}
}

// Objects from a jsondecode, or handwritten objects, are accepted too.
func TestAccFleetFunctions(t *testing.T) {
	t.Parallel()
	const object = `{
	  environments  = { "dev|x" = { head = "c1", time = "2026-11-20T09:00:00Z", promoted_commits = ["p1"], health = "success",
	    repo = "ignored" }, prod = {} }
	  packages      = { a = { environment = "dev|x", cluster_type = "large", deployment_target = "shop-live", workload = "shop",
	    version = "1.4", values = { REGION = "<west>" } } }
	  discrepancies = []
	  history       = []
	  branches      = null
	  time          = timeadd("2026-11-20T12:00:00+01:00", "-1h")
	}`
	inSteps(t, []resource.TestStep{{
		Config: fmt.Sprintf("locals {\n  fleet = %s\n}\noutput \"markdown\" { value = provider::kalypso::fleet_markdown(local.fleet) }\noutput "+
			"\"page\" { value = strcontains(provider::kalypso::fleet_page(local.fleet), \"\\\\u003cwest\\\\u003e\") }\n", object),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("page", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("markdown", exactly("# What runs where\n\nAs of 2026-11-20 10:00 UTC.\n\n"+
				"| Environment | Health | Packages | Workloads | Cluster types | Promoted commit | Head |\n|---|---|---|---|---|---|---|\n"+
				"| <code>dev&#124;x</code> | ✔ healthy | 1 | 1 | 1 | `p1` | `c1` 2026-11-20 09:00 UTC |\n| `prod` | not reported | – | – | – "+
				"| – | the branch does not exist |\n\n"+
				"## Differences\n\n`prod` has no branch: it is not compared.\n\n"+
				"## <code>dev&#124;x</code>\n\n| Deployment target | `large` |\n|---|---|\n| `shop-live` | · `1.4` |\n\n```mermaid\nflowchart LR\n  "+
				"t0(\"shop-live\")\n  c1[\"large\"]\n  t0 --> c1\n```\n\n"+
				"## `prod`\n\nThere is no branch.\n")),
		},
	}}...)
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
output "fewer" { value = strcontains(provider::kalypso::fleet_markdown(merge(data.kalypso_deployments.fleet, {
  environments = { for name, e in data.kalypso_deployments.fleet.environments : name => e if name == "prod" }
})), "dev") }
`,
		ConfigStateChecks: checks(
			statecheck.ExpectKnownOutputValue("page", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("fewer", knownvalue.Bool(false)),
			statecheck.ExpectKnownOutputValue("markdown", knownvalue.StringRegexp(regexp.MustCompile(
				"(?s)\\| `none` \\| not reported \\| – .* the branch does not exist \\|.*"+
					"### `dev` and `prod`.*\\| `shop` \\| configuration `RELEASE` \\| "+
					"`large` \\| `1` \\| `2` \\|.*## `dev`\n\n\\| Deployment target \\| `large` \\|"))),
		),
	})
}
