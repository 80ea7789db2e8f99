// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

// Cures say what to do about what a code stands for.
var Cures = map[string]string{
	EnvironmentEmpty:        "Correct the environment's name, or that in the deployment targets; the message has the nearest. The list of manifests may also lack files.",
	RegistrationNotFollowed: "Pass the fleet through `kalypso_control_plane` (`fleet_manifests`), which reads what registrations name.",
	BaseRepoNotFollowed:     "Pass the fleet through `kalypso_control_plane` (`fleet_manifests`), which reads what base repositories hold.",
	TargetUnassigned:        "Ask `explain` about the pair that was meant: it names the label that keeps them apart.",
	PolicyIdle:              "Look at the labels that its selectors name; the message has the nearest. Remove it if it is not needed any more.",
	ConfigUnused:            "Look at the ConfigMap's labels: every one has to hold for an assignment. The message has the nearest.",
	ConfigConflict:          "Give one of them a further label, so that it is the more specific one, or take the value out of one.",
	SchemaIgnored:           "Say it by a keyword of draft 7, or remove it: `dependencies` for `dependentRequired`, a list under `items` for `prefixItems`, `allOf` around a `$ref` and what stands beside it.",
	ManifestDoubtful:        "Write what is meant, as the message says. What is meant so can stay, and be silenced.",
	Credential:              "Take it out, and have templates write a reference to a secret store. Change the credential if it was ever committed. What is none is silenced by name.",
	OutputNotYAML:           "Mend the template. A value without quotes is the usual cause.",
	ObjectIncomplete:        "Mend the template, or the value that is missing: clusters refuse such an object.",
	ObjectDuplicate:         "Give the objects other names or namespaces in the template: clusters get one of the two.",
	ClusterTypeIdle:         "Nothing, if it is a spare one. Else ask `explain` what keeps a target away.",
	TemplateUnused:          "Remove it, or look for a misspelled name in a cluster type.",
}
