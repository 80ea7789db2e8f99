// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

// The JSON of a fleet has the whole fleet.
func TestFleetJSON(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]inventory.Fleet{"full": deployed.Full(), "large": deployed.Fleet(100)} {
		got, err := inventory.Parse(want.JSON())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.JSON(), got.JSON()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(want.Environments[0].Packages[0], got.Environments[0].Packages[0]); name == "full" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Each field is in the JSON, also if its value is not known: an expression of Terraform can
// name it. Lists are never null.
func TestFleetJSONOfNothing(t *testing.T) {
	t.Parallel()
	f := inventory.Fleet{Environments: []inventory.Environment{{Packages: []inventory.Package{{}}, History: []inventory.Change{{}}}}}
	const want = `{"environments":[{"name":"","repo":"","branch":"","path":"","head":"","time":"","missing":"","releases":[],"health":"",` +
		`"health_reason":"","clusters":[],"unreadable":[],"packages":[{"cluster_type":"","deployment_target":"","id":"","workload":"","workspace":"",` +
		`"namespace":"","version":"","build":"","commit":"","changed":null,"health":"","health_reason":"","sources":[],"values":null,` +
		`"unreadable":[]}],"history":[{"commit":"","author":"","subject":"","time":"","releases":[],"run":"","added":[],"changed":[],` +
		`"removed":[]}]}],"comparisons":[]}`
	if diff := cmp.Diff(want, f.JSON()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_mistakes(t *testing.T) {
	t.Parallel()
	const noFleet = "…JSON of a kalypso_deployments…"
	for text, want := range map[string]string{
		"":                               noFleet + "unexpected end of JSON input",
		"{":                              noFleet + "unexpected end of JSON input",
		"null":                           noFleet + "…no list of environments…",
		`{"packages": []}`:               noFleet + "…no list of environments…",
		`"dev"`:                          noFleet + "… string … 5",
		`{"environments": {"dev": {}}}`:  noFleet + "… object … 18",
		`{"environments": [{"name":1}]}`: noFleet + "… number …",
		`{"environments": ` + strings.Repeat("[", 1<<15): noFleet,
	} {
		if _, err := inventory.Parse(text); err == nil || !elided.Has(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %s", text, err, want)
		}
	}
	if !json.Valid([]byte(deployed.Fleet(10).JSON())) {
		t.Error("the JSON of a fleet is not valid")
	}
}
