// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package provider is the Terraform surface: schemas, the conversion of users' values to
// plain values and back, and the texts of schemas. internal/kalypso computes, decides and
// writes. A model has the attributes of an object as Terraform has them; settings are their
// plain values.
package provider

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// providerData is the data that the provider passes to its resources and data sources.
type providerData struct {
	// Publisher writes to repositories and follows requests; while something in
	// Unknown is not known, it can only plan.
	Publisher *publish.Publisher
	// Snapshots reads each repository once. Forges reads the content of their forges. Both
	// are nil while something in Unknown is not known.
	Snapshots *git.Snapshots
	Forges    *forge.Client
	// Unknown are the attributes of the provider's configuration whose values are not known
	// yet, such as "git[0].password".
	Unknown []string
	// Hold is true if the provider holds every environment.
	Hold bool
}

// offline says why repositories cannot be read; empty if everything is known.
func (d *providerData) offline() string {
	if len(d.Unknown) == 0 {
		return ""
	}
	return fmt.Sprintf("Repositories cannot be read, because the provider's configuration is not known yet (%s). First apply the resources "+
		"that these values come from, with -target, or pass the values as variables.", strings.Join(d.Unknown, ", "))
}

// spare turns errors into warnings if the provider is on hold. The provider then writes
// nothing, so the errors can do no harm.
func (d *providerData) spare(diags *diag.Diagnostics) {
	if !d.Hold {
		return
	}
	for i, e := range *diags {
		if e.Severity() != diag.SeverityError {
			continue
		}
		var warning diag.Diagnostic = diag.NewWarningDiagnostic(e.Summary(), e.Detail())
		if at, ok := e.(diag.DiagnosticWithPath); ok {
			warning = diag.NewAttributeWarningDiagnostic(at.Path(), e.Summary(), e.Detail())
		}
		(*diags)[i] = warning
	}
}

// dataOf returns the data that the framework passes to Configure; nil before the provider is configured.
func dataOf(passed any, diags *diag.Diagnostics) *providerData {
	data, isData := passed.(*providerData)
	if passed != nil && !isData {
		diags.AddError("Unexpected data of the provider", fmt.Sprintf("The framework passed a %T. This is a mistake in the provider: report it.",
			passed))
	}
	return data
}

// dataSource is the part of a data source that gets the provider's data.
type dataSource struct {
	name string
	data *providerData
}

func (c *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + c.name
}

func (c *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	c.data = dataOf(req.ProviderData, &resp.Diagnostics)
}

// deferred defers the read of a data source that needs values of the provider's configuration that are not
// known yet, if Terraform allows this, as in Stacks. Computed attributes become unknown.
func (c *dataSource) deferred(req datasource.ReadRequest, resp *datasource.ReadResponse) bool {
	values := map[string]tftypes.Value{}
	if len(c.data.Unknown) == 0 || !req.ClientCapabilities.DeferralAllowed || req.Config.Raw.As(&values) != nil {
		return false
	}
	for name, attribute := range req.Config.Schema.GetAttributes() {
		if attribute.IsComputed() && values[name].IsNull() {
			values[name] = tftypes.NewValue(values[name].Type(), tftypes.UnknownValue)
		}
	}
	resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), values)
	resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
	return true
}

// New returns the constructor of the provider, for providerserver.
func New(version string) func() provider.Provider {
	return func() provider.Provider {
		return &kalypsoProvider{version: version, lookup: os.LookupEnv}
	}
}

// typeName is the prefix of the names of all resources.
const typeName = "kalypso"

type kalypsoProvider struct {
	version string
	// lookup reads the environment.
	lookup func(name string) (string, bool)
	// compute is the engine that commits run; engine.Compute if it is nil.
	compute func(context.Context, engine.Input) (*engine.Result, error)
}

// providerModel is the provider's configuration, decoded once it is completely known.
type providerModel struct {
	Git           []credentialModel    `tfsdk:"git"`
	Forge         []forgeModel         `tfsdk:"forge"`
	MaxFetchMiB   *string              `tfsdk:"max_fetch_mib"`
	Hold          types.Bool           `tfsdk:"hold"`
	MaxDiffLines  types.String         `tfsdk:"max_diff_lines"`
	CommitAuthor  []commitAuthorModel  `tfsdk:"commit_author"`
	CommitSigning []commitSigningModel `tfsdk:"commit_signing"`
}

type commitAuthorModel struct {
	Name  string `tfsdk:"name"`
	Email string `tfsdk:"email"`
}

// getenv returns an environment variable; empty if it is not set.
func (p *kalypsoProvider) getenv(name string) string {
	value, _ := p.lookup(name)
	return value
}

func (p *kalypsoProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = typeName
	resp.Version = p.version
}

// Schema has blocks for everything with parts, because Terraform refuses a misspelled name in a
// block, and drops one in a nested attribute without a message. It has no attribute that is a
// number: see requiredText.
func (p *kalypsoProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Models a fleet of Kubernetes clusters as Kalypso does, decides which workload runs on which cluster type, and " +
			"writes the result to a GitOps repository.",
		Attributes: map[string]schema.Attribute{
			"max_fetch_mib":  maxFetchAttribute(),
			"hold":           holdAttribute(),
			"max_diff_lines": maxDiffAttribute(),
		},
		Blocks: map[string]schema.Block{
			"git": gitBlock(), "forge": forgeBlock(), "commit_author": commitAuthorBlock(), "commit_signing": commitSigningBlock(),
		},
	}
}

func maxFetchAttribute() schema.Attribute {
	return providerText(fmt.Sprintf("How many MiB one fetch from a Git repository may have, unpacked. Servers without partial fetches "+
		"send the whole repository, which needs memory. Defaults to %d.", git.DefaultMaxFetch>>20), wholeNumber(1, 1<<20)) // 1 TiB
}

// How many lines of diff a plan shows.
const (
	defaultDiffLines = 400
	mostDiffLines    = 100_000
)

func maxDiffAttribute() schema.Attribute {
	return providerText(fmt.Sprintf("How many lines of diff a plan of `kalypso_gitops_commit` shows. Removals come first, then changes, "+
		"new packages, and one line for each other file. `0` shows none. Changing it updates no resource. Defaults to `%d`.",
		defaultDiffLines), wholeNumber(0, mostDiffLines))
}

// maxDiff returns how many lines of diff a plan shows; the default if the value is not known yet.
func maxDiff(configured types.String) int {
	if configured.IsNull() || configured.IsUnknown() {
		return defaultDiffLines
	}
	return int(number(configured.ValueString()))
}

// envHold is the variable that holds every environment, even if the provider block does
// not.
const envHold = "KALYPSO_HOLD"

func holdAttribute() schema.Attribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Holds every environment in an emergency, as if each `kalypso_gitops_commit` had `hold = true`: the provider " +
			"writes nothing, and no environment can be destroyed. Errors of data sources become warnings, so plans work without a control plane. `" +
			envHold + "=1` does the same, even with `hold = false`.",
	}
}

// holds reports whether the provider holds every environment: the block, the environment
// variable or both say so. An unknown value counts as a hold.
func holds(configured types.Bool, getenv func(string) string, diags *diag.Diagnostics) bool {
	hold := configured.IsUnknown() || configured.ValueBool()
	text := getenv(envHold)
	if text == "" {
		return hold
	}
	said, err := strconv.ParseBool(text)
	if err != nil {
		diags.AddError("Invalid environment variable "+envHold, fmt.Sprintf("%s must be 1 or 0, and is %q.", envHold, text))
	}
	return hold || said
}

// Configure makes the git client, or notes the unknown values of the configuration. Values
// may be unknown at plan, and only the git client needs them.
func (p *kalypsoProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	data := &providerData{Unknown: unknownValues(req.Config.Raw)}
	publishing := publish.Options{Version: p.version, WrittenBy: "Written by Terraform (kalypso_gitops_commit).", Lookup: p.lookup,
		Compute: p.compute}
	var hold types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("hold"), &hold)...)
	data.Hold = holds(hold, p.getenv, &resp.Diagnostics)
	publishing.HoldAll = data.Hold
	var maxDiffLines types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("max_diff_lines"), &maxDiffLines)...)
	publishing.MaxDiffLines = maxDiff(maxDiffLines)
	masker := remote.NewMasker()
	publishing.Logger = logger(masker, "engine")
	data.Publisher = publish.New(publishing)
	resp.ResourceData = data
	resp.DataSourceData = data
	if len(data.Unknown) > 0 {
		return
	}
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	all := credentials(model.Git, p.getenv, &resp.Diagnostics)
	hosts := forges(model.Forge, p.getenv, &resp.Diagnostics)
	trusted := trust(model, p.getenv, &resp.Diagnostics)
	var author git.Signature
	for _, a := range model.CommitAuthor { // at most one
		author = git.Signature{Name: a.Name, Email: a.Email}
	}
	signing := signingKey(model.CommitSigning, p.getenv, masker, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	publishing.Forges = forge.NewClient(forge.Options{Forges: hosts, Trust: trusted, Masker: masker,
		Logger: logger(masker, "forge")})
	all = forgeCredentials(all, hosts, publishing.Forges)
	client, err := git.NewClient(git.Options{
		Credentials: all,
		Trust:       trusted,
		MaxFetch:    number(text(model.MaxFetchMiB)) << 20, // 0 is the default
		Author:      author,
		Signing:     signing,
		Now:         time.Now,
		Masker:      masker,
		Advice:      forge.PushAdvice,
		AsksLogin:   forge.AsksLogin,
		Logger:      logger(masker, "git"),
	})
	if err != nil {
		resp.Diagnostics.AddError("Invalid git credentials", problem.Sentence(err))
		return
	}
	publishing.Git = client
	data.Publisher, data.Snapshots, data.Forges = publish.New(publishing), client.Snapshots(), publishing.Forges
}

func (p *kalypsoProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		newObjectResource("cluster_type", manifest.KindClusterType),
		newCommitStatusResource,
		newGitOpsCommitResource,
		newObjectResource("gitops_repo", manifest.KindGitOpsRepo),
		newObjectResource("scheduling_policy", manifest.KindSchedulingPolicy),
		newObjectResource("template", manifest.KindTemplate),
		newObjectResource("workload", manifest.KindWorkload),
	}
}

func (p *kalypsoProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newControlPlaneDataSource, newPromotionDataSource, newDeploymentsDataSource}
}

func (p *kalypsoProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		newAssignmentsFunction,
		newEffectiveConfigFunction,
		newExplainFunction,
		newFilesFunction,
		newFindingsFunction,
		newConsequencesFunction,
		newFleetPageFunction,
		newRenderFunction,
	}
}

// unknownValues returns the attributes of a configuration whose values are unknown:
// "git[0].password".
func unknownValues(config tftypes.Value) []string {
	var names []string
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		if !value.IsKnown() {
			names = append(names, attributeName(at))
		}
		return true, nil
	}) // the callback never fails
	slices.Sort(names)
	return names
}

func attributeName(at *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(step))
		}
	}
	return b.String()
}
