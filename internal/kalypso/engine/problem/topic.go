// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

// Topic is a sort of message: its name, the reason for it, and the advice. The guide
// "Messages" lists all of them.
type Topic struct{ Title, Cause, Cure string }

// Topics are those of problems, by their summaries: of a fleet, of a control plane
// that it is read from, and of a promotion. A summary that is not among them fails a test.
var Topics = []Topic{
	{"A clock is needed", "A field of Open Cluster Management depends on the time (`tolerationSeconds`, `validUntil`). A plan has no clock.",
		"Remove the field."},
	{"A source cannot be read", "The repository of a BaseRepo or a WorkloadRegistration does not answer, or refuses.",
		"See [What servers say](#what-servers-say). To continue without it, set `on_unreachable = \"warn\"`."},
	{"Base repositories lead in a circle", "A BaseRepo leads to another one that leads back to it.", "Remove one of the named BaseRepos."},
	{"Configuration cannot be written", "The configuration's file cannot hold a value of that form.", "Change the value in the named " +
		"ConfigMap."},
	{"Configuration does not satisfy its schema", "The configuration of a deployment target on a cluster type breaks its JSON Schema.",
		"Fix the ConfigMap or the schema. `effective_config` shows each value's source."},
	{"Contradicting labels", "A `ManagedCluster` and the cluster type of the same name have different values for a label.",
		"Make them equal, or remove one."},
	{"Document too large", "A YAML document has more than 2 MiB, the limit of Kubernetes.", "Split it, or remove content that is not a " +
		"manifest."},
	{"Duplicate key", "A mapping has the same key twice.", "Remove one."},
	{"Duplicate object", "Two manifests have the same kind and name.", "Remove one. If an HCL object replaces one in YAML, filter the YAML."},
	{"Files of others are broken", "A file of a registration or of a fenced source cannot be read, or brings what it may not.",
		"Fix the named file, in its repository. With `on_error = \"keep\"`, `kalypso_gitops_commit` uses its last good text until then."},
	{"Invalid YAML", "A manifest is not valid YAML or UTF-8.", "Fix the named line."},
	{"Invalid expression", "A CEL expression of a `Placement` does not compile, or is not true or false.", "Fix it at the named column."},
	{"Invalid file name", "A manifest cannot have a file of this name.", "Rename the file."},
	{"Invalid fleet", "The manifests contradict each other.", "Fix the named objects."},
	{"Invalid label", "Kubernetes does not allow a label's key or value.", "Write it as the message says."},
	{"Invalid name", "A name cannot be a folder, a part of a namespace or a key of a ConfigMap.", "Change it as the message says. Use " +
		"lower-case letters, digits, `-` and `.`."},
	{"Invalid overview", "`overview` does not name a Markdown file, or names a cluster type's folder.", "Choose another name, such as " +
		"`FLEET.md`."},
	{"Invalid path", "A path is not a path inside a repository.", "Write the folder from the repository's root."},
	{"Invalid placement", "The assignments or the policies are not valid.", "Fix the named object."},
	{"Invalid promotion", "A check, soak, window or pin of `kalypso_promotion` is not valid.", "Fix the named setting."},
	{"Invalid schema", "A config schema is not a valid JSON Schema.", "Fix it at the named place."},
	{"Invalid selector", "Kubernetes would refuse a selector because of its operator, values or label.", "Fix the named policy."},
	{"Invalid template", "A Go template has a syntax error, or uses a function that does not exist.", "Fix the named line."},
	{"Invalid value", "A number, time, quantity or text is not valid in this field.", "Write it as the message says."},
	{"Kustomization", "A folder of the control plane has a `kustomization.yaml`. The provider does not build it, but Flux would.",
		"Run `kustomize build`, and pass its output as manifests."},
	{"Missing field", "An object lacks a required field.", "Add it."},
	{"Missing template", "The template of a cluster type is not in the manifests, or has another type.", "Add the template to `manifests`, " +
		"or correct the name."},
	{"Namespace too long", "The namespace `<environment>-<cluster type>-<deployment target>` has more than 63 characters.",
		"Shorten one of the names."},
	{"No Kubernetes objects", "Some documents are not Kubernetes objects, for example Helm values. The provider skips them.",
		"Exclude the files with `.sourceignore`, or add `apiVersion`, `kind` and `metadata`."},
	{"Not a workload", "A registered repository contains an object that is not a workload.", "Move the object to the control plane, or " +
		"correct the registration's `path`."},
	{"Outside of a fence", "A source brings an object that its `allow` blocks in `kalypso_control_plane` do not list.",
		"Change or remove the object in its source, or add it to a block."},
	{"Rendering failed", "The provider cannot render the environment.", "Fix the named object."},
	{"Symbolic link", "A file of the control plane is a symbolic link. The provider does not follow links.", "Replace it with the file."},
	{"Template failed", "A template uses a value that does not exist, or exceeds its limit of steps, size or passes.",
		"Correct the template, or set the value."},
	{"Texts of workloads cannot be checked", "A deployment target has too many texts with special characters.",
		"Shorten the texts, or avoid `:`, `#`, `,` and quotes."},
	{"The control plane cannot be read", "The repository or folder of `kalypso_control_plane` does not answer, or refuses.",
		"See [What servers say](#what-servers-say)."},
	{"Two deployment targets of the same name", "Two targets have the full name `<workload>-<target>`.", "Rename one."},
	{"Two workspaces for one workload", "Two registrations deliver one workload for different workspaces.",
		"Remove one registration, or use the same workspace."},
	{"Unknown apiVersion", "An object of Kalypso or Open Cluster Management has an apiVersion that does not exist.", "Write the named one."},
	{"Unknown assignment", "The environment does not have this pair of deployment target and cluster type.",
		"Correct the key, `<cluster_type>/<deployment_target>`, or the function's arguments."},
	{"Unknown environment", "A function's environment has no deployment target and no `Environment` object.", "Correct the name. If the " +
		"environment is empty on purpose, add an `Environment` object."},
	{"Unknown field", "An object has a field that its kind does not have.", "Write the named field, or remove it."},
	{"Unknown kind", "Kalypso does not have this kind.", "Write one of the named kinds."},
	{"Unknown placement", "A scheduling policy names a placement without a `Placement` or `PlacementDecision` in the manifests.",
		"Add the object, or correct the name."},
	{"Unknown source of a fence", "An `allow` block names no BaseRepo, WorkloadRegistration or repository of the fleet, or two of them.",
		"Correct `source`. A source that no block names has no fence."},
	{"Unknown value", "The field does not take this value.", "Write one of the named values."},
	{"Wrong type", "A field needs another type. Numbers and `yes` need quotes to be texts.", "Write it as the message says."},
}
