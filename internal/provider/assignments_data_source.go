// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

var _ datasource.DataSourceWithConfigure = (*assignmentsDataSource)(nil)

// assignmentsDataSource places a fleet and does not render it.
type assignmentsDataSource struct{ configured }

func newAssignmentsDataSource() datasource.DataSource {
	return &assignmentsDataSource{configured{name: "assignments"}}
}

// assignmentsModel has the attributes of the data source.
type assignmentsModel struct {
	Environment                 types.String               `tfsdk:"environment"`
	Manifests                   types.List                 `tfsdk:"manifests"`
	Assignments                 map[string]assignmentModel `tfsdk:"assignments"`
	UnassignedDeploymentTargets []string                   `tfsdk:"unassigned_deployment_targets"`
	IdleClusterTypes            []string                   `tfsdk:"idle_cluster_types"`
	IdleSchedulingPolicies      []string                   `tfsdk:"idle_scheduling_policies"`
	Findings                    []findingModel             `tfsdk:"findings"`
	IgnoreFindings              []string                   `tfsdk:"ignore_findings"`
	FailOn                      []string                   `tfsdk:"fail_on"`
}

type assignmentModel struct {
	Workload         string   `tfsdk:"workload"`
	Workspace        string   `tfsdk:"workspace"`
	DeploymentTarget string   `tfsdk:"deployment_target"`
	ClusterType      string   `tfsdk:"cluster_type"`
	Namespace        string   `tfsdk:"namespace"`
	Policies         []string `tfsdk:"policies"`

	DecisionGroup *decisionGroupModel `tfsdk:"decision_group"`
}

type decisionGroupModel struct {
	Placement string `tfsdk:"placement"`
	Name      string `tfsdk:"name"`
	Index     string `tfsdk:"index"`
}

// assignmentAttributes are the attributes of an assignment, and findingAttributes those of
// a finding.
var (
	assignmentAttributes = schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"workload":          computedText("The workload."),
		"workspace":         computedText("The workload's workspace."),
		"deployment_target": computedText("The deployment target's full name, `<workload>-<target>`."),
		"cluster_type":      computedText("The cluster type."),
		"namespace":         computedText("The namespace on the clusters, `<environment>-<cluster_type>-<workload>-<target>`."),
		"policies":          computedTexts("The scheduling policies that make this assignment."),
		"decision_group": schema.SingleNestedAttribute{
			Computed: true,
			MarkdownDescription: "The decision group of the cluster type, for waves: that of the first policy by name that has a placement. Null " +
				"without a placement.",
			Attributes: map[string]schema.Attribute{
				"placement": computedText("The placement."),
				"name":      computedText("The name of the group; empty for the last group."),
				"index":     computedText("The position of the group in its placement, from `0`."),
			},
		},
	}}
	findingAttributes = schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"severity": computedText("`error`: `kalypso_gitops_commit` writes nothing unless you silence the finding. `warning`: probably a " +
			"mistake. `info`: for information."),
		"code":    computedText("The code of the finding. " + findingCodesText),
		"subject": computedText("The object, as kind/name."),
		"message": computedText("The text of the finding."),
	}}
)

func (d *assignmentsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Decides which deployment target runs on which cluster type, in one environment. Renders nothing. Pass the fleet " +
			"through a `local`: if a data source names a managed resource directly, Terraform reads the data source at apply while that resource " +
			"changes.\n\nWhile a file of another team is broken, the data source fails, also with `on_error = \"keep\"` of " +
			"`kalypso_gitops_commit`. There, call `try(provider::kalypso::assignments(local.fleet, \"dev\"), {})`.",
		Attributes: map[string]schema.Attribute{
			"environment": requiredArgument("The environment to place.", stringvalidator.LengthAtLeast(1)),
			"manifests": schema.ListAttribute{
				ElementType: types.StringType, Required: true,
				MarkdownDescription: "The fleet: Kalypso's objects as YAML, one or more documents in each element.",
				Validators:          []validator.List{listvalidator.SizeAtLeast(1)},
			},
			"ignore_findings": optionalSet(ignoreFindingsDescription, setvalidator.ValueStringsAre(findingRule)),
			"fail_on":         optionalSet(failOnDescription, setvalidator.ValueStringsAre(findingRule)),
			"assignments": schema.MapNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The assignments by `<cluster_type>/<deployment_target>`, for `for_each`.",
				NestedObject:        assignmentAttributes,
			},
			"unassigned_deployment_targets": computedTexts("Full names of deployment targets without a cluster type."),
			"idle_cluster_types":            computedTexts("Cluster types without a deployment target."),
			"idle_scheduling_policies":      computedTexts("Scheduling policies that select nothing."),
			"findings": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Probable mistakes and other facts for the owner of the fleet. The plan of `kalypso_gitops_commit` and the " +
					"function `findings` also report findings in rendered files.",
				NestedObject: findingAttributes,
			},
		},
	}
}

func (d *assignmentsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model assignmentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	result, err := engine.Compute(ctx, engine.Input{Manifests: manifestInputs(model.Manifests), Environment: model.Environment.ValueString(),
		PlaceOnly: true})
	var found []findings.Finding
	if err == nil {
		found, err = result.Findings(ctx, nil)
	}
	resp.Diagnostics.Append(problemDiagnostics(err)...)
	if err != nil {
		model.take(&placement.Placement{}, nil)
	} else {
		shown, failing := findings.Rules{Ignore: model.IgnoreFindings, FailOn: model.FailOn}.Apply(result.Fleet, found)
		resp.Diagnostics.Append(diagnostics(message.Messages{Errors: publish.FailingFindings(shown, failing)})...)
		resp.Diagnostics.Append(model.warnEmpty(shown)...)
		model.take(result.Placement, shown)
	}
	d.data.spare(&resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// warnEmpty warns about an environment without deployment targets. A for_each over its
// assignments creates nothing.
func (m *assignmentsModel) warnEmpty(found []findings.Finding) diag.Diagnostics {
	empty := slices.DeleteFunc(slices.Clone(found), func(f findings.Finding) bool { return f.Code != findings.EnvironmentEmpty })
	if len(empty) == 0 {
		return nil
	}
	return warning("Nothing is assigned", findings.Report(empty)+"\n\nIf the environment is intended to be empty, silence the finding: "+
		"ignore_findings = [\"ENVIRONMENT_EMPTY\"].", m.Environment.ValueString(), "")
}

// take sets the computed attributes from a placement and its findings.
func (m *assignmentsModel) take(p *placement.Placement, found []findings.Finding) {
	m.Assignments = assignmentModels(p)
	// Lists are never null, so that length() and for_each work without coalescing.
	m.UnassignedDeploymentTargets = append([]string{}, p.UnassignedTargets...)
	m.IdleClusterTypes = append([]string{}, p.IdleClusterTypes...)
	m.IdleSchedulingPolicies = []string{}
	for _, idle := range p.IdlePolicies {
		m.IdleSchedulingPolicies = append(m.IdleSchedulingPolicies, idle.Policy.Name)
	}
	m.Findings = findingModels(found)
}

func assignmentModels(p *placement.Placement) map[string]assignmentModel {
	models := make(map[string]assignmentModel, len(p.Assignments))
	for _, a := range p.Assignments {
		model := assignmentModel{
			Workload:         a.Target.Workload,
			Workspace:        a.Target.Workspace,
			DeploymentTarget: a.Target.FullName,
			ClusterType:      a.ClusterType.Name,
			Namespace:        a.Namespace,
			Policies:         a.Policies,
		}
		if d := a.Decided; d != nil {
			model.DecisionGroup = &decisionGroupModel{Placement: d.Group.Placement, Name: d.Group.Name, Index: strconv.Itoa(d.Group.Index)}
		}
		models[a.Key()] = model
	}
	return models
}

type findingModel struct {
	Severity string `tfsdk:"severity"`
	Code     string `tfsdk:"code"`
	Subject  string `tfsdk:"subject"`
	Message  string `tfsdk:"message"`
}

// findingModels returns a list that is never null, so that length() and for work without coalescing.
func findingModels(all []findings.Finding) []findingModel {
	models := make([]findingModel, len(all))
	for i, f := range all {
		models[i] = findingModel{f.Severity, f.Code, f.Subject, f.Message}
	}
	return models
}

// Texts of the documentation about the codes of findings, and about the attributes that
// filter findings.
const (
	ignoreFindingsDescription = "Findings to silence, each as `CODE` or `CODE:subject`, such as `CLUSTER_TYPE_IDLE:ClusterType/spare`. A " +
		"subject that the manifests do not have is a finding itself (`RULE_UNMATCHED`, `info`). Defaults to none."
	findingCodesText  = "[Findings](../guides/findings.md) explains the codes, which are stable."
	failOnDescription = "Findings of any severity that are errors, written as in `ignore_findings`. Silenced findings are not errors. " +
		"Defaults to none."
)
