// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import "fmt"

// Finding is something about a placement that its owner may want to know; it
// stops nothing.
type Finding struct {
	// Severity is "warning" where applications may be missing, "info" otherwise.
	Severity string
	// Code is stable, for filters: "TARGET_UNASSIGNED".
	Code string
	// Subject is the object it is about, as kind/name.
	Subject string
	Message string
}

// Findings gives what was left over by a placement, in a fixed order.
func (p *Placement) Findings() []Finding {
	var findings []Finding
	for _, name := range p.UnassignedTargets {
		findings = append(findings, Finding{
			Severity: "warning", Code: "TARGET_UNASSIGNED", Subject: "DeploymentTarget/" + name,
			Message: fmt.Sprintf("No scheduling policy puts deployment target %s on any cluster type.", name),
		})
	}
	for _, name := range p.IdlePolicies {
		findings = append(findings, Finding{
			Severity: "warning", Code: "POLICY_IDLE", Subject: "SchedulingPolicy/" + name,
			Message: fmt.Sprintf("Scheduling policy %s selects no pair of deployment target and cluster type.", name),
		})
	}
	for _, name := range p.IdleClusterTypes {
		findings = append(findings, Finding{
			Severity: "info", Code: "CLUSTER_TYPE_IDLE", Subject: "ClusterType/" + name,
			Message: fmt.Sprintf("Cluster type %s has no deployment target.", name),
		})
	}
	return findings
}
