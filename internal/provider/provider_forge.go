// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

type forgeModel struct {
	URLPrefix         *string   `tfsdk:"url_prefix"`
	Type              *string   `tfsdk:"type"`
	BaseURL           *string   `tfsdk:"base_url"`
	Token             *string   `tfsdk:"token"`
	App               *appModel `tfsdk:"app"`
	CABundle          *string   `tfsdk:"ca_bundle"`
	ClientCertificate *string   `tfsdk:"client_certificate"`
	ClientKey         *string   `tfsdk:"client_key"`
}

type appModel struct {
	ID             *int64  `tfsdk:"id"`
	InstallationID *int64  `tfsdk:"installation_id"`
	PrivateKey     *string `tfsdk:"private_key"`
}

// forgesAttribute describes how to reach forges. All attributes are optional, and mustSet
// checks them: see mustSet.
func forgesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Forges of the repositories, for `pull_request` of `kalypso_gitops_commit`, and for `kalypso_commit_status`." +
			" The entry with the longest matching `url_prefix` counts. For a single token, " +
			"[`" + envForgeToken + "`](#credentials-from-environment-variables) is enough. Git over HTTPS uses the same credentials, " +
			"unless `git` has an entry with the same or a longer prefix.",
		NestedObject: schema.NestedAttributeObject{
			Validators: []validator.Object{mustSet("url_prefix"), clientPair},
			Attributes: map[string]schema.Attribute{
				"url_prefix": providerText("Beginning of the repositories' URLs, such as `https://github.com/contoso/`. Has to be set.", urlPrefix),
				"type": providerText("The software: `github` (also GitHub Enterprise Server), `gitea` (also Forgejo), `gitlab`, or `azure` (also "+
					"Azure DevOps Server). Known for github.com, *.ghe.com, codeberg.org, gitea.com, gitlab.com, dev.azure.com and "+
					"*.visualstudio.com.", stringvalidator.OneOf(forge.Kinds()...)),
				"base_url": providerText("The address of the forge, if the repository's URL has another address."),
				"token": providerSecret("Access token with the right to write contents and pull requests, or commit statuses "+
					"(`kalypso_commit_status`).", oneLine),
				"app": schema.SingleNestedAttribute{
					Optional:            true,
					MarkdownDescription: "A GitHub App to authenticate as, instead of `token`.",
					Validators:          []validator.Object{mustSet("id", "private_key")},
					Attributes: map[string]schema.Attribute{
						"id": schema.Int64Attribute{
							Optional:            true,
							MarkdownDescription: "The App's id. Has to be set.",
							Validators:          []validator.Int64{int64validator.AtLeast(1)},
						},
						"installation_id": schema.Int64Attribute{
							Optional:            true,
							MarkdownDescription: "The id of the App's installation. Defaults to the installation of the repository.",
							Validators:          []validator.Int64{int64validator.AtLeast(1)},
						},
						"private_key": providerSecret("The App's private key, as PEM text. Has to be set.", pemText),
					},
				},
				"ca_bundle":          providerText("More certificates of authorities to trust, as PEM text.", certificates),
				"client_certificate": clientCertificateAttribute(),
				"client_key":         clientKeyAttribute(),
			},
		},
	}
}

// forges returns the configured forges, and the forge from environment variables. The
// latter has the empty prefix, so every configured forge takes precedence.
func forges(models []forgeModel, getenv func(string) string, diags *diag.Diagnostics) []forge.Config {
	var all []forge.Config
	environment, isSet := environmentForge(getenv, diags)
	seen := prefixes{}
	for i, m := range models {
		seen.add("forges", i, text(m.URLPrefix), diags)
		config := forge.Config{
			URLPrefix: text(m.URLPrefix), Kind: forge.Software(text(m.Type)), BaseURL: text(m.BaseURL), Token: text(m.Token),
			TLS: remote.TLS{CABundle: text(m.CABundle), ClientCertificate: text(m.ClientCertificate), ClientKey: text(m.ClientKey)},
		}
		switch {
		case m.App != nil && config.Token != "":
			diags.AddAttributeError(path.Root("forges").AtListIndex(i), "Two ways to authenticate",
				fmt.Sprintf("forges[%d] has a token and an app. Remove one of them.", i))
		case m.App != nil:
			config.App = &forge.App{ID: orElse(m.App.ID, 0), InstallationID: orElse(m.App.InstallationID, 0), PrivateKey: text(m.App.PrivateKey)}
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
