// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// TakenNames returns the names that an object takes in an environment, so that no other object may
// take them: its kind and name, and the full names of its deployment targets. The value is the name
// of the workload whose objects share the name of a deployment target; empty for kind and name.
func TakenNames(o Object, environment string) map[string]string {
	names := map[string]string{o.Metadata().ID(): ""}
	const target = "deployment target "
	switch x := o.(type) {
	case *Workload:
		for i := range x.DeploymentTargets {
			if t := &x.DeploymentTargets[i]; t.Environment == environment {
				names[target+x.Name+"-"+t.Name] = x.Name
			}
		}
	case *DeploymentTargetObject:
		if x.Environment == environment {
			names[target+x.Name] = x.Workload()
		}
	}
	return names
}
