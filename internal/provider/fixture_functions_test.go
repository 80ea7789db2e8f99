// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// functionFleet is a fleet for functions: web-live goes on edge; batch-nightly
// misses it by a label.
//
//go:embed testdata/functions.yaml
var functionFleet string

// testFunction evaluates a call of the function on functionFleet with further arguments.
func testFunction(t *testing.T, call string, want knownvalue.Check) {
	t.Helper()
	testFunctionOn(t, functionFleet, "provider::kalypso::"+call, want)
}

// testFunctionOn evaluates an expression in which local.fleet is the fleet.
func testFunctionOn(t *testing.T, fleet, expression string, want knownvalue.Check) {
	t.Helper()
	expectDirectly(t, functionHCL(fleet, expression), statecheck.ExpectKnownOutputValue("result", want))
}

// functionHCL puts the result of an expression, in which local.fleet is the fleet, into an output.
func functionHCL(fleet, expression string) string {
	return fmt.Sprintf("locals {\n  fleet = [<<-EOT\n%s\nEOT\n  ]\n}\noutput \"result\" { value = %s }\n", fleet, expression)
}

// exactly is a check of a string, exactList of a list of strings.
func exactly(text string) knownvalue.Check { return knownvalue.StringExact(text) }

func exactList(texts ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(texts))
	for i, text := range texts {
		checks[i] = exactly(text)
	}
	return knownvalue.ListExact(checks)
}
