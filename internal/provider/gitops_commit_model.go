// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// gitOpsCommitModel is the resource as Terraform holds it.
type gitOpsCommitModel struct {
	ID                types.String   `tfsdk:"id"`
	Environment       types.String   `tfsdk:"environment"`
	Manifests         types.List     `tfsdk:"manifests"`
	Assignments       types.Map      `tfsdk:"assignments"`
	Repo              types.String   `tfsdk:"repo"`
	Branch            types.String   `tfsdk:"branch"`
	Path              types.String   `tfsdk:"path"`
	PromotedCommit    types.String   `tfsdk:"promoted_commit"`
	CreateBranchFrom  types.String   `tfsdk:"create_branch_from"`
	Exclusive         types.Bool     `tfsdk:"exclusive"`
	Detail            types.String   `tfsdk:"detail"`
	OnDestroy         types.String   `tfsdk:"on_destroy"`
	MaxDiffLines      types.Int64    `tfsdk:"max_diff_lines"`
	IgnoreFindings    types.List     `tfsdk:"ignore_findings"`
	FailOn            types.List     `tfsdk:"fail_on"`
	Limits            types.Object   `tfsdk:"limits"`
	Acknowledge       types.String   `tfsdk:"acknowledge"`
	AllowEmpty        types.Bool     `tfsdk:"allow_empty"`
	Packages          types.Map      `tfsdk:"packages"`
	Diff              types.String   `tfsdk:"diff"`
	Summary           types.String   `tfsdk:"summary"`
	Commit            types.String   `tfsdk:"commit"`
	ReportIssue       types.Bool     `tfsdk:"report_issue"`
	PullRequest       types.Object   `tfsdk:"pull_request"`
	PullRequestNumber types.Int64    `tfsdk:"pull_request_number"`
	PullRequestURL    types.String   `tfsdk:"pull_request_url"`
	Status            types.String   `tfsdk:"status"`
	MergedCommit      types.String   `tfsdk:"merged_commit"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`

	// renderedOnce is what rendered gives: a plan needs it for the diff, the limits
	// and the text of a request, and it is as dear as the plan's own result.
	renderedOnce *engine.Result
}

// unknownInputs names the inputs that the engine cannot run without and that
// are not known yet.
func (m *gitOpsCommitModel) unknownInputs() []string {
	var unknown []string
	if m.Environment.IsUnknown() {
		unknown = append(unknown, "environment")
	}
	unknown = append(unknown, unknownElements("manifests", m.Manifests)...)
	if m.Assignments.IsUnknown() {
		unknown = append(unknown, "assignments")
	}
	for key, element := range m.Assignments.Elements() {
		if policies, ok := assignmentPolicies(element); !ok || policies.IsUnknown() {
			unknown = append(unknown, fmt.Sprintf("assignments[%q]", key))
		}
	}
	for _, input := range []struct {
		name  string
		value attr.Value
	}{{"promoted_commit", m.PromotedCommit}, {"exclusive", m.Exclusive}, {"detail", m.Detail}, {"max_diff_lines", m.MaxDiffLines},
		{"limits", m.Limits}, {"acknowledge", m.Acknowledge}, {"allow_empty", m.AllowEmpty}, {"report_issue", m.ReportIssue}} {
		if !fullyKnown(input.value) {
			unknown = append(unknown, input.name)
		}
	}
	unknown = append(unknown, unknownElements("ignore_findings", m.IgnoreFindings)...)
	unknown = append(unknown, unknownElements("fail_on", m.FailOn)...)
	slices.Sort(unknown)
	return unknown
}

// fullyKnown tells whether nothing in a value is unknown.
func fullyKnown(value attr.Value) bool {
	raw, err := value.ToTerraformValue(context.Background())
	return err == nil && raw.IsFullyKnown()
}

// unknownElements names the list, or its elements, that are not known yet.
func unknownElements(name string, list types.List) []string {
	if list.IsUnknown() {
		return []string{name}
	}
	var unknown []string
	for i, element := range list.Elements() {
		if element.IsUnknown() {
			unknown = append(unknown, fmt.Sprintf("%s[%d]", name, i))
		}
	}
	return unknown
}

// assignmentPolicies gives the policies of one element of assignments; not ok
// where the element as a whole is unknown.
func assignmentPolicies(element attr.Value) (types.List, bool) {
	object, ok := element.(types.Object)
	if !ok || object.IsUnknown() {
		return types.ListUnknown(types.StringType), false
	}
	policies, ok := object.Attributes()["policies"].(types.List)
	return policies, ok || object.IsNull()
}

// engineInput is what the engine computes from; everything has to be known.
func (m *gitOpsCommitModel) engineInput(ctx context.Context) (engine.Input, diag.Diagnostics) {
	manifests, diags := manifestInputs(ctx, m.Manifests)
	in := engine.Input{Environment: m.Environment.ValueString(), Manifests: manifests, PromotedCommit: m.PromotedCommit.ValueStringPointer()}
	if m.Assignments.IsNull() {
		return in, diags
	}
	in.Assignments = make(map[string][]string, len(m.Assignments.Elements()))
	for key, element := range m.Assignments.Elements() {
		var names []string
		if policies, ok := assignmentPolicies(element); ok && !policies.IsNull() {
			diags.Append(policies.ElementsAs(ctx, &names, false)...)
		}
		in.Assignments[key] = names
	}
	return in, diags
}

// manifestInputs names each element of a list of manifests for messages.
func manifestInputs(ctx context.Context, list types.List) ([]manifest.Input, diag.Diagnostics) {
	var texts []types.String
	diags := list.ElementsAs(ctx, &texts, false)
	inputs := make([]manifest.Input, len(texts))
	for i, text := range texts {
		inputs[i] = manifest.Input{Name: fmt.Sprintf("manifests[%d]", i), Text: text.ValueString()}
	}
	return inputs, diags
}

// detail is how finely packages are told apart.
func (m *gitOpsCommitModel) detail() engine.Detail { return engine.Detail(m.Detail.ValueString()) }

// location is where the resource writes.
func (m *gitOpsCommitModel) location() git.Location {
	return git.Location{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Path: m.Path.ValueString()}
}

// setLocation fills what the configuration leaves out from the GitOpsRepo of
// the fleet. configured has the configuration's own values.
func (m *gitOpsCommitModel) setLocation(configured *gitOpsCommitModel, f *fleet.Fleet) diag.Diagnostics {
	var diags diag.Diagnostics
	m.Repo, m.Branch, m.Path = configured.Repo, configured.Branch, configured.Path
	if m.Repo.IsNull() || m.Branch.IsNull() || m.Path.IsNull() {
		repo, problem := gitOpsRepo(f)
		if repo == nil && (m.Repo.IsNull() || m.Branch.IsNull()) {
			diags.AddError("No GitOps repository", problem)
			return diags
		}
		if repo == nil {
			repo = &manifest.GitOpsRepo{}
		}
		m.Repo = firstSet(m.Repo, types.StringValue(repo.Repo))
		m.Branch = firstSet(m.Branch, types.StringValue(repo.Branch))
		m.Path = firstSet(m.Path, types.StringValue(repo.Path))
	}
	if m.Path.ValueString() == "" && !m.Path.IsUnknown() {
		m.Path = types.StringValue(".")
	}
	diags.Append(checkLocation(m)...)
	m.ID = locationID(m)
	return diags
}

// checkLocation says what is wrong with a location that came out of a GitOpsRepo.
func checkLocation(m *gitOpsCommitModel) diag.Diagnostics {
	var diags diag.Diagnostics
	if !m.Repo.IsUnknown() {
		if err := git.CheckURL(m.Repo.ValueString()); err != nil {
			diags.AddError("Invalid GitOps repository URL", sentence(err))
		}
	}
	if !m.Branch.IsUnknown() {
		if err := git.CheckBranch(m.Branch.ValueString()); err != nil {
			diags.AddError("Invalid branch name", sentence(err)+" Set branch, or spec.branch of the GitOpsRepo.")
		}
	}
	return diags
}

// locationID is the resource's id, unknown where a part of it is.
func locationID(m *gitOpsCommitModel) types.String {
	if m.Repo.IsUnknown() || m.Branch.IsUnknown() || m.Path.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(m.location().String())
}

// gitOpsRepo gives the GitOpsRepo of the fleet's environment: the one that has
// the environment's name, else the only one, unless it has the name of another
// environment; else it says why there is none.
func gitOpsRepo(f *fleet.Fleet) (*manifest.GitOpsRepo, string) {
	var names []string
	for _, repo := range f.GitOpsRepos {
		if repo.Name == f.Environment {
			return repo, ""
		}
		names = append(names, repo.Name)
	}
	switch {
	case len(names) == 0:
		return nil, "Set repo and branch, or add a GitOpsRepo object to the manifests: without them nothing says where to write."
	case len(names) > 1:
		return nil, fmt.Sprintf("The manifests hold several GitOpsRepo objects (%s) and none of them has the name of environment %q. Set repo, branch and path, or pass only the GitOpsRepo of this environment.",
			strings.Join(names, ", "), f.Environment)
	case slices.Contains(f.Environments, names[0]):
		return nil, fmt.Sprintf("The manifests hold one GitOpsRepo object, and its name is that of another environment, %q, so it is not used for environment %q. Pass the GitOpsRepo of this environment, or set repo, branch and path.",
			names[0], f.Environment)
	}
	return f.GitOpsRepos[0], ""
}
