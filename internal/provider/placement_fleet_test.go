// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// hubSays is what kubectl get … -o yaml prints of a hub that has decided on the cluster
// type small, with everything that the server adds.
//
//go:embed testdata/hub.yaml
var hubSays string

// placedFleet is a fleet of two cluster types, whose policies name a placement of hubSays each.
var placedFleet = strings.Join([]string{
	templatesYAML, clusterTypeYAML("small"), clusterTypeYAML("large"), workloadYAML("web"), workloadYAML("api"),
	decidedPolicy("web", "elsewhere"), decidedPolicy("api", "here"),
}, "---\n")

// decidedPolicy leaves the decision about one workload to a placement.
func decidedPolicy(workload, placement string) string {
	return fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: %[1]s
  annotations: {kalypso-gitops.io/placement: %[2]s}
spec: {deploymentTargetSelector: {labelSelector: {matchLabels: {for: %[1]s}}}, clusterTypeSelector: {labelSelector: {}}}
`, workload, placement)
}

// A fleet can contain the unchanged output of kubectl and of the kubernetes provider.
func TestAccPlacement_ofAHub(t *testing.T) {
	t.Parallel()
	fleet := strings.NewReplacer("name: web\n  labels: {type: app", "name: web\n  labels: {for: web", "name: api\n  labels: {type: app",
		"name: api\n  labels: {for: api").Replace(placedFleet)
	want := exactly("large/api-live small/web-live")
	const keys = `join(" ", keys(provider::kalypso::assignments(%s, "dev")))`
	testFunctionOn(t, fleet+"---\n"+hubSays, fmt.Sprintf(keys, "local.fleet"), want)
	testFunctionOn(t, fleet+"---\n"+hubSays, `provider::kalypso::assignments(local.fleet, "dev")["small/web-live"].decision_group`,
		knownvalue.ObjectExact(map[string]knownvalue.Check{
			"placement": exactly("elsewhere"), "name": exactly("canary"), "index": exactly("0"),
		}))

	// A data source has every field of a schema, most of them null.
	objects := `[for o in yamldecode(local.hub).items : yamlencode(merge(o, { metadata = merge({ annotations = null, deletionTimestamp = null, finalizers = null }, o.metadata) }))]`
	hub := fmt.Sprintf("locals {\n  hub = <<-EOT\n%s\nEOT\n}\n", hubSays)
	expression := fmt.Sprintf(keys, "concat(local.fleet, "+objects+")")
	inSteps(t, []resource.TestStep{{
		Config:            hub + functionHCL(fleet, expression),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("result", want)},
	}}...)

	// In a control plane it is one file more.
	repo := servers["http"](t)
	repo.commit(t, "dev", map[string]string{"fleet.yaml": fleet, "hub.yaml": hubSays})
	expectDirectly(t, providerFor(repo)+controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"", repo.url)),
		checkAssignments("large/api-live:", "small/web-live:"))
}
