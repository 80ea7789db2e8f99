// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

// Topic is a sort of message: what it is called, why it is told, and what to do. The
// guide "Messages" lists all of them.
type Topic struct{ Title, Cause, Cure string }

// Topics are those of problems, by their summaries: of a fleet, of a control plane
// that it is read from, and of a promotion. A summary that is not among them fails a test.
var Topics = []Topic{
	{"A clock is needed", "A field of Open Cluster Management has a meaning that changes as time goes by (`tolerationSeconds`, `validUntil`), and a plan has no clock.", "Take it out: the toleration or the scores count as they are given."},
	{"A source cannot be read", "A repository that a BaseRepo or a WorkloadRegistration names does not answer, or refuses.", "Look at the cause at its end, and below at what servers say. `on_unreachable = \"warn\"` lets a run go on without it."},
	{"Base repositories lead in a circle", "A BaseRepo leads to one that leads back to it.", "Take one of the named BaseRepos out."},
	{"Configuration cannot be written", "A value of the platform configuration has a form that its file cannot hold.", "Change the value in the ConfigMap that the message names."},
	{"Configuration does not satisfy its schema", "The configuration that a deployment target gets on a cluster type breaks its JSON Schema.", "Mend the ConfigMap that the message names; `effective_config` shows where each value comes from. Or mend the schema."},
	{"Contradicting labels", "A `ManagedCluster` and the cluster type of its name, which are the same cluster, have a label with different values.", "Have them agree, or remove one."},
	{"Document too large", "A YAML document has more than 2 MiB, which Kubernetes does not take.", "Split it, or take out what is no manifest."},
	{"Duplicate key", "A key stands twice in one mapping.", "Remove one; which was meant cannot be told."},
	{"Duplicate object", "Two manifests are of one kind and name.", "Remove one of the two places that the message names. An HCL object that takes the place of one in YAML needs a filter for that one."},
	{"Invalid YAML", "A manifest cannot be parsed, or is no UTF-8.", "Mend it at the line that the message names."},
	{"Invalid expression", "A CEL expression of a `Placement` does not compile, or is neither true nor false.", "Mend it at the column that the message names."},
	{"Invalid file name", "A file of the control plane has a name that no manifest can have.", "Rename the file."},
	{"Invalid fleet", "The manifests contradict each other.", "Mend what the message names."},
	{"Invalid label", "A label's key or value is none that Kubernetes takes.", "Write it as the message says."},
	{"Invalid name", "A name cannot become a folder, a part of a namespace or a key of a ConfigMap.", "Change it as the message says. Names of objects are lower-case letters, digits, `-` and `.`."},
	{"Invalid overview", "The name of an overview is none of a Markdown file, or a cluster type's folder has it.", "Give `overview` another name, such as `FLEET.md`."},
	{"Invalid path", "A path leads out of a repository, or is none.", "Write the folder from the repository's root."},
	{"Invalid placement", "The assignments that were passed, or the policies, cannot be followed.", "Mend what the message names."},
	{"Invalid promotion", "A setting of `kalypso_promotion` cannot be followed: a check, a soak, a window, or a pin that is abbreviated.", "Mend the setting that the message names."},
	{"Invalid schema", "A config schema is no JSON Schema that can be read.", "Mend it at the place that the message names."},
	{"Invalid selector", "Kubernetes would refuse a selector: an unknown operator, values that are missing or too many, a label that is none.", "Mend the policy that the message names."},
	{"Invalid template", "A Go template has a syntax error, or needs a function that templates do not have.", "Mend it at the line that the message names."},
	{"Invalid value", "A field holds a number, a time, a quantity or a text that its kind does not take.", "Write it as the message says."},
	{"Kustomization", "A folder of the control plane has a `kustomization.yaml`. Flux would build it; the provider does not.", "Run `kustomize build`, and pass its output as manifests."},
	{"Missing field", "An object lacks a field that it cannot do without.", "Add it."},
	{"Missing template", "A cluster type that gets assignments refers to a template that is not among the manifests, or is of another type.", "Add the template to `manifests`, or correct the name."},
	{"Namespace too long", "The namespace of an assignment, `<environment>-<cluster type>-<deployment target>`, has more than 63 characters.", "Shorten one of the names."},
	{"No Kubernetes objects", "Documents of the control plane or of a registered repository are no objects, as the values of a Helm chart. They are left out, with this warning.", "Exclude their files by `.sourceignore`. If one is meant to be an object, add `apiVersion`, `kind` and `metadata`."},
	{"Not a workload", "A registered repository delivers something else than workloads.", "Move that object to the control plane, or correct the registration's `path`."},
	{"Rendering failed", "The files of the environment could not be made.", "Mend what the message names."},
	{"Symbolic link", "A file of the control plane is a symbolic link, which is never followed.", "Put the file in its place."},
	{"Template failed", "A template names something that is missing, or went beyond its bounds: steps, size, passes.", "Correct the template at the place that the message names, or give the assignment the value."},
	{"Texts of workloads cannot be checked", "A deployment target has so many doubtful texts that to look where templates write them takes too much work.", "Have the application team write fewer and shorter texts, or texts without characters such as `:`, `#`, `,` and quotes."},
	{"The control plane cannot be read", "The repository or folder of `kalypso_control_plane` does not answer, or refuses.", "Look at the cause at its end, and below at what servers say."},
	{"Two deployment targets of the same name", "Two targets have one full name, `<workload>-<target>`, and would share a folder and a namespace.", "Rename one."},
	{"Two workspaces for one workload", "Two registrations deliver one workload for different workspaces.", "Remove one registration, or have them agree."},
	{"Unknown apiVersion", "An object of a Kalypso kind, or of one of Open Cluster Management, has another apiVersion.", "Write the one that the message names; a misspelled one would silently empty a cluster type."},
	{"Unknown assignment", "There is no such pair of deployment target and cluster type in the environment.", "Correct the key, `<cluster_type>/<deployment_target>`, or the names that a function is asked about."},
	{"Unknown environment", "A function is asked about an environment that no deployment target and no `Environment` object names. Its answer would be empty, and a test would pass without testing anything. `kalypso_assignments` warns of an environment without deployment targets instead.", "Correct the name; the message has the nearest. For an environment that is empty on purpose, add an `Environment` object."},
	{"Unknown field", "An object has a field that its kind does not know, mostly a misspelled one.", "Write the field that the message offers, or remove it."},
	{"Unknown kind", "An object of Kalypso's apiVersion has no kind of Kalypso.", "Write one of those that the message lists."},
	{"Unknown placement", "A scheduling policy names a placement that is not among the manifests, nor are decisions for it.", "Add the `Placement`, or the `PlacementDecision`s, or correct the name."},
	{"Unknown value", "A field takes one of a few words, and this is none of them.", "Write one of those that the message lists."},
	{"Wrong type", "A field holds a list, a mapping or a text where another one is needed. Numbers and `yes` need quotes to be texts.", "Write it as the message says."},
}
