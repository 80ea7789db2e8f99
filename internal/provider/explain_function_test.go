// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestExplainFunction(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments string
		want      knownvalue.Check
	}{
		"placed": {`"web-live", "edge"`, knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"placed":   knownvalue.Bool(true),
			"policies": exactList("web"),
			"text": exactly(strings.Join([]string{
				"Deployment target web-live is placed on cluster type edge by web.",
				"- policy web selects the pair",
				"    yes workspace = web-team",
				"    yes deployment target: any labels",
				"    yes cluster type: label tier = edge",
				"- policy batch misses 2 of 3 requirements",
				"    no  workspace = batch-team, found web-team",
				"    yes deployment target: any labels",
				"    no  cluster type: label gpu = true, found false",
			}, "\n")),
		})},
		"of another environment": {`"web-test", "edge"`, knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"placed": knownvalue.Bool(false),
			"steps": knownvalue.ListExact([]knownvalue.Check{
				step(" | deployment_target | false | deployment target web-test in environment prod | it belongs to environment dev | " +
					"OTHER_ENVIRONMENT"),
			}),
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFunction(t, `explain(local.fleet, "prod", `+test.arguments+`)`, test.want)
		})
	}
}

// step is a check of a step of explain, written as its six fields with " | " between them.
func step(fields string) knownvalue.Check {
	parts := strings.Split(fields, " | ")
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"policy": exactly(parts[0]), "stage": exactly(parts[1]), "holds": knownvalue.Bool(parts[2] == "true"),
		"requirement": exactly(parts[3]), "found": exactly(parts[4]), "code": exactly(parts[5]),
	})
}
