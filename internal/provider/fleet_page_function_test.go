// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/page"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// callFleetPage calls the function as Terraform does.
func callFleetPage(t testing.TB, text string) (string, *tfprotov6.FunctionError) {
	t.Helper()
	argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, text))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := unconfigured().CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: "fleet_page",
		Arguments: []*tfprotov6.DynamicValue{&argument}})
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
	var page string
	if err := value.As(&page); err != nil {
		t.Fatal(err)
	}
	return page, nil
}

func TestFleetPage(t *testing.T) {
	t.Parallel()
	fleet := deployed.Fleet(10)
	want := page.Page(fleet)
	if got, failed := callFleetPage(t, fleet.JSON()); failed != nil || got != want {
		t.Errorf("%v, and %d bytes, not %d", failed, len(got), len(want))
	}
}

// A text that is not the JSON of a fleet is an error of the argument.
func TestFleetPage_mistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"fleet": "the text is not the JSON of a kalypso_deployments: invalid character",
		"{}": "the text is not the JSON of a kalypso_deployments: it has no list of environments. Pass the attribute json of a data source, " +
			"such as data.kalypso_deployments.fleet.json",
	} {
		_, failed := callFleetPage(t, text)
		if failed == nil || !strings.HasPrefix(failed.Text, want) || failed.FunctionArgument == nil || *failed.FunctionArgument != 0 {
			t.Errorf("%s: error %v, want %q", text, failed, want)
		}
	}
}
