// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

// Topic is a sort of message: its name, the reason for it, and the advice. The guide
// "Messages" lists all of them.
type Topic struct{ Title, Cause, Cure string }

// The cause and the advice of problems whose messages say everything themselves. The guide
// lists topics with the same advice in one row.
const (
	described = "A manifest or a setting has the mistake that the message describes."
	fixThere  = "Fix it at the named place."
)

// Topics are those of problems, by their summaries: of a fleet, of a control plane
// that it is read from, and of a promotion. A summary that is not among them fails a test.
var Topics = []Topic{
	{"A clock is needed", "A field of Open Cluster Management depends on the time (`tolerationSeconds`, `validUntil`). A plan has no clock.",
		"Remove the field."},
	{"A source cannot be read", "The repository of a BaseRepo or a WorkloadRegistration does not answer, or refuses.",
		"See [What servers say](#what-servers-say). To keep the packages of a team meanwhile, set `on_unreachable = \"keep\"`."},
	{"Base repositories lead in a circle", "A BaseRepo leads to another one that leads back to it.", "Remove one of the BaseRepos."},
	{"Configuration cannot be written", "The file cannot hold a value of that form.", "Change the value in the named ConfigMap."},
	{"Configuration does not satisfy its schema", "The configuration of a package breaks a JSON Schema.",
		"Fix the ConfigMap or the schema. `effective_config` shows each value's source."},
	{"Contradicting labels", "A `ManagedCluster` and the cluster type of the same name have different values for a label.",
		"Make them equal, or remove one."},
	{"Document too large", "A YAML document has more than 2 MiB.", "Split it, or remove content that is not a manifest."},
	{"Duplicate key", described, fixThere},
	{"Duplicate object", described, fixThere},
	{"Files of others are broken", "The provider cannot read a file of a registration or of a fenced source, or the file is outside of its " +
		"fence.",
		"Fix the named file in its repository. With `on_error = \"keep\"`, `kalypso_gitops_commit` uses its last good text until then."},
	{"Invalid YAML", described, fixThere},
	{"Invalid expression", described, fixThere},
	{"Invalid file name", described, fixThere},
	{"Invalid fleet", described, fixThere},
	{"Invalid label", described, fixThere},
	{"Invalid name", described, fixThere},
	{"Invalid overview", "`overview` does not name a Markdown file, or names a cluster type's folder.",
		"Choose another name, such as `FLEET.md`."},
	{"Invalid path", described, fixThere},
	{"Invalid placement", described, fixThere},
	{"Invalid promotion", described, fixThere},
	{"Invalid schema", described, fixThere},
	{"Invalid selector", described, fixThere},
	{"Invalid template", described, fixThere},
	{"Invalid value", described, fixThere},
	{"Kustomization", "A folder of the control plane has a `kustomization.yaml`, which the provider does not build.",
		"Pass the output of `kustomize build` as manifests."},
	{"Missing field", described, fixThere},
	{"Missing template", "The template of a cluster type is not in the manifests, or has another type.",
		"Add the template, or correct the name."},
	{"Namespace too long", "The namespace `<environment>-<cluster type>-<deployment target>` has more than 63 characters.",
		"Shorten one of the names."},
	{"No Kubernetes objects", "The provider skips documents that are not Kubernetes objects, for example Helm values.",
		"Exclude the files with `.sourceignore`, or add `apiVersion`, `kind` and `metadata`."},
	{"Not a workload", "A registered repository contains an object that is not a workload.",
		"Move it to the control plane, or correct the registration's `path`."},
	{"Outside of a fence", "A source brings an object that its `allow` blocks in `kalypso_control_plane` do not list.",
		"Change or remove the object in its source, or add it to a block."},
	{"Rendering failed", "The provider cannot render the environment.", "Fix the named object."},
	{"Sources without a promoted commit", "`source_commits` of `kalypso_control_plane` has no commit for a repository that an object leads " +
		"to, so the provider reads the head of its branch.",
		"Let an earlier environment follow the repository first, or add its commit to `source_commits`."},
	{"Symbolic link", "A file of the control plane is a symbolic link, which the provider does not follow.", "Replace it with the file."},
	{"Template failed", "A template uses a value that does not exist, or exceeds [its limits](templates.md#bounds).",
		"Correct the template, or set the value."},
	{"The control plane cannot be read", "The repository or folder of `kalypso_control_plane` does not answer, or refuses.",
		"See [What servers say](#what-servers-say)."},
	{"Two commits for one source", "`source_commits` of `kalypso_control_plane` has two spellings of one repository, with different commits.",
		"Remove one of them."},
	{"Two deployment targets of the same name", "Two targets have the full name `<workload>-<target>`.", "Rename one."},
	{"Two workspaces for one workload", "Two registrations deliver one workload for different workspaces.",
		"Remove one, or use the same workspace."},
	{"Unknown apiVersion", described, fixThere},
	{"Unknown assignment", "The environment does not have this pair of deployment target and cluster type.",
		"Correct the key, `<cluster_type>/<deployment_target>`, or the function's arguments."},
	{"Unknown environment", "No deployment target and no `Environment` object has the name.",
		"Correct the name, or add an `Environment` object."},
	{"Unknown field", described, fixThere},
	{"Unknown kind", described, fixThere},
	{"Unknown placement", "A policy names a placement without a `Placement` or `PlacementDecision`.", "Add the object, or correct the name."},
	{"Unknown source of a fence", "An `allow` block names no BaseRepo, WorkloadRegistration or repository of the fleet, or two of them.",
		"Correct `source`."},
	{"Unknown value", described, fixThere},
	{"Wrong type", described, fixThere},
}
