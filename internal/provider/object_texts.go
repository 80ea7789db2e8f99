// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// objectText is what an attribute or block of an object resource has beyond the row of its field.
type objectText struct {
	text string
	// check is the check of the text, or of each text in the list, in place of that of the field.
	check validator.String
	// isRequired reports whether Terraform needs what a document may leave out.
	isRequired bool
	reserved   []validator.Map
}

// objectTexts are the attributes and blocks of object resources: "resource.block.attribute", or
// "attribute" for all resources and blocks. Fields that are not here are not in Terraform.
var objectTexts = map[string]objectText{
	"name":   {text: "Name of the object, unique in its kind. A new name makes a new object.", check: dnsSubdomain},
	"labels": {text: "Labels of the object."},

	"cluster_type":      {text: "A cluster type: a group of similar clusters that get the same workloads."},
	"cluster_type.name": {text: "Name of the object, unique in its kind. A new name makes a new object.", check: dnsLabel},
	"cluster_type.labels": {text: "Labels by which scheduling policies and platform configuration select the cluster type, such as its " +
		"region or hardware."},
	"cluster_type.reconciler": {text: "Name of the `kalypso_template` of type `reconciler`, which makes the clusters fetch a workload.",
		check: dnsSubdomain},
	"cluster_type.namespace_service": {text: "Name of the `kalypso_template` of type `namespace`, which renders the namespace of an " +
		"assignment.", check: dnsSubdomain},
	"cluster_type.config_type": {text: "Name of the `kalypso_template` of type `config`, which renders the platform configuration of an " +
		"assignment. Defaults to a ConfigMap named `platform-config`.", check: dnsSubdomain},

	"gitops_repo": {text: "A GitOps repository, which the clusters read. `kalypso_gitops_commit` uses its `repo` and `branch`, but not " +
		"`path`: if the path is not the root, set `path` of `kalypso_gitops_commit`."},
	"gitops_repo.repo": {text: "URL of the Git repository, such as `https://host/path`, `ssh://git@host/path`, `git@host:path` or " +
		"`file:///path`.", check: gitURL},
	"gitops_repo.branch": {text: "Branch of the repository.", check: gitBranch, isRequired: true},
	"gitops_repo.path":   {text: "Folder in the repository. Defaults to `.`, the root.", check: repoPath},

	"scheduling_policy": {text: "A scheduling policy: assigns every deployment target that one selector selects to every cluster type that " +
		"the other selector selects."},
	"scheduling_policy.placement": {text: "Name of the placement that chooses among the selected cluster types: a `Placement`, or the name " +
		"in `PlacementDecision`s. Defaults to all."},
	"scheduling_policy.per_deployment_target": {text: "`true` lets the placement choose for each deployment target separately. Many targets " +
		"then spread over the cluster types with equal scores, or over all with `prioritizerPolicy: {mode: Exact}` in the placement. " +
		"Defaults to `false`: all get the same cluster types. Requires `placement`."},
	"scheduling_policy.deployment_target_selector": {
		text: "Which deployment targets: all conditions have to be met. Has to be set.",
	},
	"scheduling_policy.deployment_target_selector.workspace": {text: "Only deployment targets of this workspace.", check: filledLabelValue},
	"scheduling_policy.cluster_type_selector":                {text: "Which cluster types: all conditions have to be met. Has to be set."},
	"match_labels":     {text: "Labels that have exactly these values."},
	"match_expression": {text: "A condition on labels."},
	"key":              {text: "Key of the label.", check: labelKey},
	"operator":         {text: "`In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also match a missing key."},
	"values":           {text: "Values for `In` and `NotIn`.", check: labelValue},

	"template":      {text: "A template for the files of an assignment. Cluster types name templates."},
	"template.type": {text: "What the template renders: `reconciler`, `namespace` or `config`."},
	"template.content_type": {text: "The type of the rendered file: `yaml` or `sh`. Defaults to `yaml`.",
		check: stringvalidator.OneOf("yaml", manifest.ContentTypeShell)},
	"template.manifests": {text: "Go `text/template` sources of Kubernetes manifests or scripts, with " +
		"[functions](../guides/template-functions.md). Templates see `.DeploymentTargetName`, `.Namespace`, `.Environment`, `.Workspace`, " +
		"`.Workload`, `.Labels`, `.Manifests`, `.ClusterType`, `.ClusterTypeLabels` and `.ConfigData`. A plan checks the syntax.",
		check: templateSyntax},

	"workload":      {text: "A workload: an application with its deployment targets."},
	"workload.name": {text: "Name of the object, unique in its kind. A new name makes a new object.", check: dnsLabel},
	"workload.labels": {text: "Labels of the workload and of every deployment target, where they replace labels with the same key.",
		reserved: []validator.Map{reservedLabel(manifest.LabelWorkspace, "the label says which workspace the workload belongs to. Write "+
			"workspace = \"...\" instead")}},
	"workload.workspace": {text: "Workspace of the workload, usually the application team. The workspace of a `WorkloadRegistration` wins."},
	"workload.config_schemas": {text: "JSON Schemas, as JSON or YAML texts, for the platform configuration of every deployment target.",
		check: jsonSchema},
	"workload.deployment_target": {text: "A deployment target. Its full name is `<workload>-<name>`. A `dynamic` block makes targets from a " +
		"list or map."},
	"workload.deployment_target.name": {text: "Name of the target, unique in its workload and environment.", check: dnsLabel},
	"workload.deployment_target.environment": {text: "Environment of the target, such as `dev`. Without it, the target exists in every " +
		"environment.", check: dnsLabel},
	"workload.deployment_target.labels": {text: "Labels by which scheduling policies select the target.", reserved: []validator.Map{
		reservedLabel(manifest.LabelWorkspace, "a target's workspace is that of its workload. Write workspace = \"...\" there"),
		reservedLabel(manifest.LabelWorkload, "every target has this label already, with the name of its workload as value. Remove it")}},
	"workload.deployment_target.manifests": {text: "Where the Kubernetes manifests of the target are: usually `repo`, `branch` and `path`. " +
		"Templates see these values as `.Manifests`."},
	"workload.deployment_target.config_schemas": {text: "More JSON Schemas for the platform configuration of this target.",
		check: jsonSchema},
}
