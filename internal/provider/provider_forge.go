// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

type forgeModel struct {
	URLPrefix string     `tfsdk:"url_prefix"`
	Type      *string    `tfsdk:"type"`
	BaseURL   *string    `tfsdk:"base_url"`
	Token     *string    `tfsdk:"token"`
	App       []appModel `tfsdk:"app"`
	tlsModel
}

type appModel struct {
	ID             string  `tfsdk:"id"`
	InstallationID *string `tfsdk:"installation_id"`
	PrivateKey     string  `tfsdk:"private_key"`
}

func forgeBlock() schema.Block {
	return schema.ListNestedBlock{
		MarkdownDescription: "A forge of repositories, for `pull_request` of `kalypso_gitops_commit`, and for `kalypso_commit_status`." +
			" The block with the longest matching `url_prefix` counts. For a single token, " +
			"[`" + envForgeToken + "`](#credentials-from-environment-variables) is enough. Git over HTTPS uses the same credentials, " +
			"unless a block `git` has the same or a longer prefix.",
		NestedObject: schema.NestedBlockObject{
			Blocks: map[string]schema.Block{"app": appBlock()},
			Attributes: serverAttributes(map[string]schema.Attribute{
				"type": providerText("The software: "+forge.Described("`")+". Known for "+strings.Join(forge.KnownHosts(), ", ")+".",
					stringvalidator.OneOf(forge.Kinds()...)),
				"base_url": providerText("The address of the forge, if the repository's URL has another address."),
				"token": providerSecret("Access token with the right to write contents and pull requests, or commit statuses "+
					"(`kalypso_commit_status`).", oneLine),
			}),
		},
	}
}

func appBlock() schema.Block {
	privateKey := providerSecret("The App's private key, as PEM text.", pemText)
	privateKey.Required, privateKey.Optional = true, false
	return providerBlock("A GitHub App to authenticate as, instead of `token`.", map[string]schema.Attribute{
		"id": providerNeeds("The App's id.", appNumber),
		"installation_id": providerText("The id of the App's installation. Defaults to the installation of the repository.",
			appNumber),
		"private_key": privateKey,
	})
}

// appNumber is the check of the ids of a GitHub App.
var appNumber = wholeNumber(1, math.MaxInt64)

// forges returns the configured forges, and the forge from environment variables. The
// latter has the empty prefix, so every configured forge takes precedence.
func forges(models []forgeModel, getenv func(string) string, diags *diag.Diagnostics) []forge.Config {
	var all []forge.Config
	environment, isSet := environmentForge(getenv, diags)
	seen := prefixes{}
	for i, m := range models {
		seen.add("forge", i, m.URLPrefix, diags)
		config := forge.Config{
			URLPrefix: m.URLPrefix, Kind: forge.Software(text(m.Type)), BaseURL: text(m.BaseURL), Token: text(m.Token),
			TLS: m.tls(),
		}
		switch {
		case len(m.App) > 0 && config.Token != "":
			diags.AddAttributeError(path.Root("forge").AtListIndex(i), "Two ways to authenticate",
				fmt.Sprintf("forge[%d] has a token and an app. Remove one of them.", i))
		case len(m.App) > 0:
			app := m.App[0]
			config.App = &forge.App{ID: number(app.ID), InstallationID: number(text(app.InstallationID)), PrivateKey: app.PrivateKey}
		case config.Token == "":
			config.Token, config.App, config.FromEnvironment = environment.Token, environment.App, isSet
		}
		all = append(all, config)
	}
	if isSet {
		all = append(all, environment)
	}
	return all
}

// forgeCredentials adds the credentials of forges to the credentials of git, for
// repositories over HTTPS without git credentials.
func forgeCredentials(credentials []git.Credential, forges []forge.Config, client *forge.Client) []git.Credential {
	for _, f := range forges {
		if f.Token == "" && f.App == nil || f.URLPrefix != "" && !strings.HasPrefix(f.URLPrefix, "http") {
			continue
		}
		same := func(c git.Credential) bool {
			return remote.ParsePrefix(c.URLPrefix) == remote.ParsePrefix(f.URLPrefix)
		}
		i := slices.IndexFunc(credentials, same)
		if i < 0 {
			credentials = append(credentials, git.Credential{URLPrefix: f.URLPrefix})
			i = len(credentials) - 1
		}
		c := &credentials[i]
		switch {
		case c.Username != "" || c.Password != "":
		case f.App != nil:
			c.Login = func(ctx context.Context, repo string) (username, password string, err error) {
				r, err := client.Repository(ctx, repo)
				switch {
				case f.FromEnvironment && (errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken)):
					return "", "", nil // not on GitHub
				case err != nil:
					return "", "", err
				}
				return r.Login(ctx)
			}
			c.FromEnvironment = f.FromEnvironment
		default:
			c.Username, c.Password, c.FromEnvironment = forge.TokenUser, f.Token, f.FromEnvironment
		}
		c.TLS.CABundle = cmp.Or(c.TLS.CABundle, f.TLS.CABundle)
		if c.TLS.ClientCertificate == "" {
			c.TLS.ClientCertificate, c.TLS.ClientKey = f.TLS.ClientCertificate, f.TLS.ClientKey
		}
	}
	return credentials
}
