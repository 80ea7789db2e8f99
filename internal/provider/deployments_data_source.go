// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

var (
	_ datasource.DataSourceWithConfigure      = (*deploymentsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*deploymentsDataSource)(nil)
)

// deploymentsDataSource reports which version runs in which place.
type deploymentsDataSource struct{ dataSource }

func newDeploymentsDataSource() datasource.DataSource {
	return &deploymentsDataSource{dataSource{name: "deployments"}}
}

func (d *deploymentsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = deploymentsSchema(ctx)
}

// ValidateConfig checks the known settings of the branches.
func (d *deploymentsDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var model deploymentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		_, diags := model.places(ctx)
		resp.Diagnostics.Append(diags...)
		_, diags = model.rules(ctx, nil) // names of environments may not be known yet
		resp.Diagnostics.Append(diags...)
	}
}

// Read reads one branch after another. It reads content that branches share only once.
func (d *deploymentsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model deploymentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || d.deferred(req, resp) {
		return
	}
	places, diags := model.places(ctx)
	resp.Diagnostics.Append(diags...)
	rules, diags := model.rules(ctx, places)
	resp.Diagnostics.Append(diags...)
	timeout, diags := timeLimit{"read", model.Timeouts.Read}.read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if why := d.data.offline(); why != "" {
		resp.Diagnostics.AddError(message.DeploymentsUnread, why)
	}
	var fleet inventory.Fleet
	if !resp.Diagnostics.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		reader := deployed.Reader{Reader: record.Reader{Snapshots: d.data.Snapshots}, Forges: d.data.Forges}
		var errs map[string]error
		fleet, errs = reader.Fleet(ctx, places, rules)
		for i, p := range places {
			if err := errs[p.Name]; err != nil {
				resp.Diagnostics.AddAttributeError(path.Root("branch").AtListIndex(i), message.DeploymentsUnread,
					problem.Sentence(fmt.Errorf("the branch of the environment %s cannot be read: %w", p.Name, err)))
			}
		}
		resp.Diagnostics.Append(unknownIn(fleet)...)
	}
	d.data.spare(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	environments := map[string]deployedModel{}
	for _, e := range fleet.Environments {
		environments[e.Name] = environmentOf(e)
	}
	model.JSON = types.StringValue(fleet.JSON())
	model.Environments, diags = types.MapValueFrom(ctx, deployedEnvironments.NestedObject.Type(), environments)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// unknownIn warns about environments with unreadable parts.
func unknownIn(f inventory.Fleet) (diags diag.Diagnostics) {
	for _, e := range f.Environments {
		if len(e.Unreadable) > 0 {
			diags.Append(warning("Something of an environment is not known", strings.Join(e.Unreadable, "\n")+
				"\n\nWhat is not known of this environment is empty in json.", e.Name, "")...)
		}
	}
	return diags
}

type deploymentsModel struct {
	Branch       types.List     `tfsdk:"branch"`
	Compare      types.List     `tfsdk:"compare"`
	Ignore       types.Set      `tfsdk:"ignore"`
	Reports      types.String   `tfsdk:"reports"`
	Environments types.Map      `tfsdk:"environments"`
	JSON         types.String   `tfsdk:"json"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

// deployedModel has the attributes of an environment; nil for what is not known.
type deployedModel struct {
	Head         *string  `tfsdk:"head"`
	Time         *string  `tfsdk:"time"`
	Releases     []string `tfsdk:"releases"`
	Packages     *string  `tfsdk:"packages"`
	Silent       []string `tfsdk:"silent"`
	Health       *string  `tfsdk:"health"`
	HealthReason *string  `tfsdk:"health_reason"`
}

func environmentOf(e inventory.Environment) deployedModel {
	m := deployedModel{
		Head: optional(e.Head), Time: optional(e.Time), Releases: append([]string{}, e.Releases...),
		Silent: []string{}, Health: optional(string(e.State)), HealthReason: optional(e.Reason),
	}
	if e.Missing == "" {
		count := strconv.Itoa(len(e.Packages))
		m.Packages = &count
	}
	for _, c := range e.Clusters {
		if c.State == "" {
			m.Silent = append(m.Silent, strings.TrimPrefix(c.ClusterType+"/"+c.Name, "/"))
		}
	}
	return m
}

// rules returns the rules for comparing environments. It leaves out unknown values. If
// places is not empty, rules checks the names of the environments.
func (m *deploymentsModel) rules(ctx context.Context, places []deployed.Place) (inventory.Rules, diag.Diagnostics) {
	var rules inventory.Rules
	var diags diag.Diagnostics
	readKnown(ctx, m.Compare, &rules.Chains, &diags)
	readKnown(ctx, m.Ignore, &rules.Ignore, &diags)
	for i, chain := range rules.Chains {
		for j, name := range chain {
			at := path.Root("compare").AtListIndex(i).AtListIndex(j)
			switch isOf := func(p deployed.Place) bool { return p.Name == name }; {
			case slices.Index(chain, name) < j:
				diags.AddAttributeError(at, "Environment named twice", fmt.Sprintf("%q is in the list twice. Name each environment once in a list.",
					name))
			case len(places) > 0 && !slices.ContainsFunc(places, isOf):
				diags.AddAttributeError(at, "Unknown environment", fmt.Sprintf("No block branch has the environment %q. Write the name from a "+
					"block branch.", name))
			}
		}
	}
	return rules, diags
}

// deployedSettings are the settings of a block branch.
type deployedSettings struct {
	branchSettings
	Environment string   `tfsdk:"environment"`
	Expected    []string `tfsdk:"expected"`
	History     *string  `tfsdk:"history"`
}

// places returns the places of environments, in the order of their blocks. It leaves out a
// block that has an unknown value.
func (m *deploymentsModel) places(ctx context.Context) ([]deployed.Place, diag.Diagnostics) {
	var places []deployed.Place
	var diags diag.Diagnostics
	reports := readReports(m.Reports, &diags)
	for i, block := range m.Branch.Elements() {
		var b deployedSettings
		if !readKnown(ctx, block, &b, &diags) {
			continue
		}
		if slices.ContainsFunc(places, func(p deployed.Place) bool { return p.Name == b.Environment }) {
			diags.AddAttributeError(path.Root("branch").AtListIndex(i), "Environment named twice",
				fmt.Sprintf("Two blocks branch have the environment %q. Rename the environment in one block, or remove that block.", b.Environment))
			continue
		}
		most := deployed.DefaultDeployments
		if b.History != nil {
			most = int(number(*b.History))
		}
		places = append(places, deployed.Place{
			Name: b.Environment, Branch: b.branch(), Path: text(b.Path), Most: most, Expected: b.Expected, Reports: reports,
		})
	}
	return places, diags
}

// maxDeploymentHistory is the largest number of commits of a branch that
// kalypso_deployments reports. The limit exists because the state contains all these
// commits.
const maxDeploymentHistory = 1000

// branchBlock returns the block for a branch that kalypso_deployments reads.
func branchBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "The GitOps branch of an environment. A missing branch is a warning. Has to be set.",
		Validators:          []validator.List{listvalidator.IsRequired()},
		NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"environment": requiredArgument("The name of the environment; unique.", environmentKey),
			"repo": requiredArgument("URL of the GitOps repository. The host gets the credentials from environment variables.",
				gitURL),
			"branch": requiredArgument("Its branch.", gitBranch),
			"path": optionalArgument("The folder of the cluster types' folders. Defaults to `.`, the root. A missing folder is a "+
				"warning.", repoPath),
			"expected": optionalSet("The contexts of the reports of all clusters, as in a `check` of `kalypso_promotion`, such as " +
				"`kalypso/dev/edge/edge-1`. While others report, the health of an environment with a silent cluster is `pending`."),
			"history": optionalArgument(fmt.Sprintf("How many commits of the branch are in the history; `0` for none. With a `path`, only "+
				"commits that change the folder count, and the data source reads up to %d times as many. Defaults to `%d`, at most %d.",
				deployed.MaxShared, deployed.DefaultDeployments, maxDeploymentHistory), wholeNumber(0, maxDeploymentHistory)),
		}},
	}
}

// environmentKey is the rule for the names of environments: contexts of reports have them
// between slashes.
var environmentKey = stringvalidator.RegexMatches(regexp.MustCompile(`^[^/]+$`), "must be a name without slashes, because the context of "+
	"a report is kalypso/<environment>/<cluster type>/<cluster>")

func deploymentsSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reports what runs where: the packages in the GitOps branches of environments, their differences, clusters, and " +
			"changes with time and author. Any tool may have written the branches. The data source reads Git, and commit statuses and " +
			"check runs if it " +
			"knows the forge. It writes nothing.",
		Attributes: map[string]schema.Attribute{
			"compare": schema.ListAttribute{
				ElementType: types.ListType{ElemType: types.StringType}, Optional: true,
				MarkdownDescription: "Which environments are compared, and their order: in each list, every environment with the next one. " +
					"`[[\"dev\", \"stage\", \"prod\"]]` compares `dev` with `stage`, and `stage` with `prod`. Defaults to every pair, by name. `[]` " +
					"compares nothing.",
				Validators: []validator.List{listvalidator.ValueListsAre(listvalidator.SizeAtLeast(2))},
			},
			"ignore": optionalSet("Differences to leave out, as `<workload>/<cluster_type>/<what>` of a row: `*/*/values.LOG_LEVEL`, "+
				"`*/*/sources.ref` if each environment uses its own branch, `canary-*`. `*` matches any text, and you can leave out the last parts.",
				setvalidator.ValueStringsAre(rowPattern)),
			"reports": optionalArgument("Reports as a JSON text, beside those of the forge, as in `kalypso_promotion`: " +
				"`[{ commit, context, state, time }]`. `commit` is a GitOps commit."),
			"environments": deployedEnvironments,
			"json": computedText("Everything that the data source has read, as one JSON text: the environments with their packages, " +
				"clusters and history, and the comparisons ([fields](#the-json))."),
		},
		Blocks: map[string]schema.Block{"branch": branchBlock(), "timeouts": timeouts.BlockWithOpts(ctx,
			timeouts.Opts{ReadDescription: timeoutText})},
	}
}

// deployedEnvironments is the computed attribute with the environments.
var deployedEnvironments = schema.MapNestedAttribute{
	Computed: true, MarkdownDescription: "Each environment, by name.",
	NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"head":     computedText("The newest commit of the branch; null if the branch does not exist."),
		"time":     computedText("The committer time of `head`, in UTC."),
		"releases": computedTexts("The commits of the control plane that the environment is at; several if its resources differ."),
		"packages": computedText("How many packages the environment has; null if the branch or folder does not exist."),
		"silent":   computedTexts("The clusters of `expected` without a report, as `<cluster_type>/<cluster>`."),
		"health": computedText("The result of the reports on the newest commits with the present release: `failure` if one failed, `pending` " +
			"if one is not finished or an expected one is missing, otherwise `success`. Null without reports."),
		"health_reason": computedText("The reports that failed or are not finished, with their texts."),
	}},
}
