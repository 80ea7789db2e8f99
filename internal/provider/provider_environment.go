// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

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
	checkVariable(envSSHPrivateKey, c.SSHPrivateKey, pemText, diags)
	checkVariable(envSSHKnownHosts, c.SSHKnownHosts, knownHosts, diags)
	if c.Username+c.Password+c.SSHPrivateKey+c.SSHKnownHosts == "" {
		return nil
	}
	return c
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
		configured = append(configured, remote.ParsePrefix(text(m.URLPrefix)))
	}
	for _, m := range model.Forges {
		configured = append(configured, remote.ParsePrefix(text(m.URLPrefix)))
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
		diags.AddError("Invalid environment variable "+name, fmt.Sprintf("%s %s: %s", name, rule.rule, err))
	}
}
