// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestEffectiveConfigFunction(t *testing.T) {
	t.Parallel()
	leaf := func(value, setBy string, overrode ...string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"value": exactly(value), "set_by": exactly(setBy), "overrode": exactList(overrode...),
		})
	}
	testFunction(t, `effective_config(local.fleet, "prod", "web-live", "edge")`, knownvalue.ObjectExact(map[string]knownvalue.Check{
		"values": knownvalue.MapExact(map[string]knownvalue.Check{
			"REGION": exactly("Edge"), "servers.yaml": exactly("- name: a\n  port: 80"),
		}),
		"provenance": knownvalue.MapExact(map[string]knownvalue.Check{
			"REGION":               leaf("Edge", "edge", "all"),
			"servers.yaml[0].name": leaf("a", "all"),
			"servers.yaml[0].port": leaf("80", "all"),
		}),
	}))
}
