// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Environment variables of the one credential that most users need.
const (
	envURLPrefix             = "KALYPSO_GIT_URL_PREFIX"
	envUsername              = "KALYPSO_GIT_USERNAME"
	envPassword              = "KALYPSO_GIT_PASSWORD" //nolint:gosec // a variable's name, no secret.
	envSSHPrivateKey         = "KALYPSO_SSH_PRIVATE_KEY"
	envSSHPrivateKeyPassword = "KALYPSO_SSH_PRIVATE_KEY_PASSWORD" //nolint:gosec // a variable's name, no secret.
	envSSHKnownHosts         = "KALYPSO_SSH_KNOWN_HOSTS"
	// envForgeToken is the token of the one forge that most users need.
	envForgeToken = "KALYPSO_FORGE_TOKEN" //nolint:gosec // a variable's name, no secret.
	// The GitHub App that authenticates instead of the token.
	envAppID             = "KALYPSO_FORGE_APP_ID"
	envAppInstallationID = "KALYPSO_FORGE_APP_INSTALLATION_ID"
	envAppPrivateKey     = "KALYPSO_FORGE_APP_PRIVATE_KEY"
)

// environmentCredential returns the credential from environment variables, which has the
// empty prefix. It returns nil if no variable is set.
func environmentCredential(getenv func(string) string, diags *diag.Diagnostics) *git.Credential {
	c := &git.Credential{
		FromEnvironment:       true,
		Username:              getenv(envUsername),
		Password:              getenv(envPassword),
		SSHPrivateKey:         getenv(envSSHPrivateKey),
		SSHPrivateKeyPassword: getenv(envSSHPrivateKeyPassword),
		SSHKnownHosts:         getenv(envSSHKnownHosts),
	}
	checkVariable(envPassword, c.Password, oneLine, diags)
	checkVariable(envSSHPrivateKey, c.SSHPrivateKey, pemText, diags)
	checkVariable(envSSHKnownHosts, c.SSHKnownHosts, knownHosts, diags)
	if c.Username+c.Password+c.SSHPrivateKey+c.SSHKnownHosts == "" {
		return nil
	}
	return c
}

// environmentForge returns the token or the GitHub App from environment variables, which has the
// empty prefix. ok is false if no variable is set.
func environmentForge(getenv func(string) string, diags *diag.Diagnostics) (c forge.Config, ok bool) {
	c = forge.Config{FromEnvironment: true, Token: getenv(envForgeToken)}
	checkVariable(envForgeToken, c.Token, oneLine, diags)
	app := forge.App{PrivateKey: getenv(envAppPrivateKey)}
	checkVariable(envAppPrivateKey, app.PrivateKey, pemText, diags)
	for name, id := range map[string]*int64{envAppID: &app.ID, envAppInstallationID: &app.InstallationID} {
		checkVariable(name, getenv(name), appNumber, diags)
		*id = number(getenv(name))
	}
	switch {
	case app == (forge.App{}):
		return c, c.Token != ""
	case c.Token != "":
		diags.AddError("Two ways to authenticate", fmt.Sprintf("The environment has both %s and a GitHub App (%s). Remove one of them.",
			envForgeToken, envAppID))
	case app.ID == 0 || app.PrivateKey == "":
		diags.AddError("An incomplete GitHub App", fmt.Sprintf("A GitHub App needs %s and %s. Set both.", envAppID, envAppPrivateKey))
	}
	c.App = &app
	return c, true
}

// trust returns the hosts that get the credentials from environment variables in every
// operation: the hosts of a prefix from an environment variable, and the hosts in the
// configuration.
func trust(model providerModel, getenv func(string) string, diags *diag.Diagnostics) remote.Trust {
	var trusted remote.Trust
	for _, prefix := range strings.Fields(getenv(envURLPrefix)) {
		checkVariable(envURLPrefix, prefix, urlPrefix, diags)
		trusted = append(trusted, remote.ParsePrefix(prefix))
	}
	var configured []remote.Prefix
	for _, m := range model.Git {
		configured = append(configured, remote.ParsePrefix(m.URLPrefix))
	}
	for _, m := range model.Forge {
		configured = append(configured, remote.ParsePrefix(m.URLPrefix))
	}
	return append(trusted, remote.Hosts(configured...)...)
}

// checkVariable checks an environment variable, if it is set, with the rule of the
// attribute of the same meaning.
func checkVariable(name, value string, rule textCheck, diags *diag.Diagnostics) {
	if value == "" {
		return
	}
	if err := rule.check(value); err != nil {
		diags.AddError("Invalid environment variable "+name, fmt.Sprintf("%s %s: %s", name, rule.described, err))
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
		"new packages, moves, and one line for each other file. `0` shows none. Changing it updates no resource. Defaults to `%d`.",
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
