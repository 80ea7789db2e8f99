// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestFindingsFunction(t *testing.T) {
	t.Parallel()
	finding := func(severity, code, subject, message string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"severity": exactly(severity), "code": exactly(code), "subject": exactly(subject), "message": exactly(message),
		})
	}
	testFunction(t, `findings([replace(local.fleet[0], "kind: ConfigMap, metadata: {name: {{ .DeploymentTargetName }}}", "kind: ConfigMap")], "prod")`,
		knownvalue.ListExact([]knownvalue.Check{
			finding("info", "POLICY_IDLE", "SchedulingPolicy/batch", "Scheduling policy batch selects no cluster type: no cluster type has the "+
				"label gpu = true."),
			finding("warning", "TARGET_UNASSIGNED", "DeploymentTarget/batch-nightly", "No scheduling policy puts deployment target batch-nightly "+
				"on any cluster type."),
			finding("info", "CONFIG_UNUSED", "ConfigMap/gpu", "ConfigMap gpu applies to no assignment: no cluster type or deployment target has "+
				"the label gpu = true."),
			finding("warning", "OBJECT_INCOMPLETE", "Template/reconciler", "Template reconciler renders an object without metadata.name: "+
				"edge/web-live/reconciler.yaml."),
		}))
}
