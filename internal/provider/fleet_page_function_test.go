// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// objectOf is the way back from fleetOf: a fleet as a kalypso_deployments has it.
func objectOf(t testing.TB, f deployments.Fleet) cty.Value {
	t.Helper()
	o := deploymentsObject{Environments: map[string]environmentObject{}, Packages: map[string]packageObject{}, Discrepancies: []discrepancyObject{}, History: []historyObject{}}
	at := func(c deployments.Change) *string { return optional(c.Time.Format("2006-01-02T15:04:05Z")) }
	for _, e := range f.Environments {
		o.Environments[e.Name] = environmentObject{optional(e.Head), at(deployments.Change{Time: e.Time}), e.PromotedCommits, optional(string(e.Health.State)), optional(e.Health.Reason), e.Unreadable}
		for _, p := range e.Packages {
			c := p.Changed
			read := packageObject{
				Environment: e.Name, ClusterType: p.ClusterType, DeploymentTarget: p.DeploymentTarget, ID: &p.ID, Workload: &p.Workload, Workspace: &p.Workspace, Namespace: &p.Namespace,
				Values: p.Values, Version: &p.Version, Build: &p.Build, Commit: &p.Commit, Health: optional(string(p.Health.State)), HealthReason: optional(p.Health.Reason), Unreadable: p.Unreadable,
				Changed: &changeObject{c.Commit, &c.Author, &c.Subject, at(c), c.PromotedCommits, &c.Run},
			}
			for _, s := range p.Sources {
				read.Sources = append(read.Sources, sourceObject{s.Kind, &s.Repo, &s.Ref, &s.Path, optional(s.Commit)})
			}
			o.Packages[e.Name+"/"+p.Key()] = read
		}
		for _, c := range e.History {
			o.History = append(o.History, historyObject{e.Name, c.Commit, &c.Author, &c.Subject, at(c), c.PromotedCommits, c.Added, c.Changed, c.Removed, &c.Run})
		}
	}
	for _, d := range f.Discrepancies {
		o.Discrepancies = append(o.Discrepancies, discrepancyObject{string(d.Kind), d.Workload, optional(d.ClusterType), optional(d.Key), d.Left, d.Right, optional(d.LeftValue), optional(d.RightValue), &d.Text})
	}
	types := map[string]cty.Type{}
	for name, wanted := range deploymentsTypes {
		types[name] = wanted.WithoutOptionalAttributesDeep()
	}
	value, err := gocty.ToCtyValue(o, cty.Object(types))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// callFleet calls a function that shows a fleet as Terraform does.
func callFleet(t testing.TB, name string, object cty.Value) (string, *tfprotov6.FunctionError) {
	t.Helper()
	wire, err := msgpack.Marshal(object, cty.DynamicPseudoType)
	if err != nil {
		t.Fatal(err)
	}
	server, err := protoV6ProviderFactories["kalypso"]()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: []*tfprotov6.DynamicValue{{MsgPack: wire}}})
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

// Nothing of a fleet is lost on the way.
func TestFleetOf(t *testing.T) {
	t.Parallel()
	want := deployed.Fleet(100)
	got, err := fleetOf(objectOf(t, want))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*deployments.Fleet{&want, &got} {
		for i := range f.Environments {
			for j := range f.Environments[i].Packages { // of a change, a package has no packages
				c := &f.Environments[i].Packages[j].Changed
				c.Added, c.Changed, c.Removed = nil, nil, nil
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
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

// What belongs to an environment that is not asked for is left out.
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
	const start = `{"environments": {"dev": {}}, "packages": {}, "discrepancies": [], "history": []`
	with := func(more string) string { return start[:strings.Index(start, `"history"`)] + more + "}" }
	for name, test := range map[string]struct {
		object string
		want   []string
	}{
		"no object":          {`"fleet"`, []string{"a kalypso_deployments is needed, as data.kalypso_deployments.fleet is"}},
		"a list":             {`[]`, []string{"a kalypso_deployments is needed"}},
		"nothing of it":      {`{"environment": "dev"}`, []string{"discrepancies is missing", "environments is missing", "history is missing", "packages is missing: the object of a data source kalypso_deployments has environments"}},
		"wrong types":        {`{"environments": ["dev"], "packages": "", "discrepancies": {}, "history": [1]}`, []string{"discrepancies: list of object required", "environments: map of object required", "history: element 0: object required, but have number", "packages: map of object required"}},
		"a wrong type below": {with(`"history": [{"environment": "dev", "commit": "c", "added": "x"}]`), []string{`history: element 0: attribute "added": list of string required, but have string`}},
		"nothing below":      {with(`"history": [{"commit": "c"}]`), []string{`history: element 0: attribute "environment" is required`}},
		"null":               {with(`"history": [{"commit": null, "environment": "dev"}]`), []string{"history[0].commit: "}},
		"no time, no health": {
			`{"environments": {"dev": {"time": "yesterday", "health": "green"}}, "packages": {"a": {"environment": "dev", "cluster_type": "x", "deployment_target": "y", "health": "red"}}, "discrepancies": [], "history": []}`,
			[]string{`environments["dev"].time: "yesterday" is no time`, `environments["dev"].health: "green" is none of success, failure and pending`, `packages["a"].health: "red"`},
		},
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

// What Terraform gives from a jsondecode, or a handwritten object, is taken too.
func TestAccFleetFunctions(t *testing.T) {
	t.Parallel()
	const object = `{
	  environments  = { "dev|x" = { head = "c1", time = "2026-11-20T09:00:00Z", promoted_commits = ["p1"], health = "success", repo = "ignored" }, prod = {} }
	  packages      = { a = { environment = "dev|x", cluster_type = "large", deployment_target = "shop-live", workload = "shop", version = "1.4", values = { REGION = "<west>" } } }
	  discrepancies = []
	  history       = []
	  branches      = null
	}`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf("locals {\n  fleet = %s\n}\noutput \"markdown\" { value = provider::kalypso::fleet_markdown(local.fleet) }\noutput \"page\" { value = strcontains(provider::kalypso::fleet_page(local.fleet), \"\\\\u003cwest\\\\u003e\") }\n", object),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("page", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("markdown", exactly("# What runs where\n\n"+
					"| Environment | Health | Packages | Workloads | Cluster types | Promoted commit | Head |\n|---|---|---|---|---|---|---|\n"+
					"| <code>dev&#124;x</code> | ✔ healthy | 1 | 1 | 1 | `p1` | `c1` 2026-11-20 09:00 UTC |\n| `prod` | not reported | 0 | 0 | 0 | – | there is no branch |\n\n"+
					"## Differences\n\nNothing is known to differ between the environments.\n\n"+
					"## <code>dev&#124;x</code>\n\n| Deployment target | `large` |\n|---|---|\n| `shop-live` | · `1.4` |\n\n```mermaid\nflowchart LR\n  t0(\"shop-live\")\n  c1[\"large\"]\n  t0 --> c1\n```\n\n"+
					"## `prod`\n\nThere is no package.\n")),
			},
		}},
	})
}

// A page of 2,000 packages in each of three environments, as Terraform asks for it.
func BenchmarkFleetPage(b *testing.B) {
	wire, err := msgpack.Marshal(objectOf(b, deployed.Fleet(2000)), cty.DynamicPseudoType)
	if err != nil {
		b.Fatal(err)
	}
	server, err := protoV6ProviderFactories["kalypso"]()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		resp, err := server.CallFunction(b.Context(), &tfprotov6.CallFunctionRequest{Name: "fleet_page", Arguments: []*tfprotov6.DynamicValue{{MsgPack: wire}}})
		if err != nil || resp.Error != nil {
			b.Fatal(err, resp)
		}
	}
}
