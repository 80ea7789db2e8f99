// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

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
