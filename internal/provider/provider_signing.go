// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// The variables of commit_signing.
const (
	envSigningKey         = "KALYPSO_SIGNING_KEY"
	envSigningKeyPassword = "KALYPSO_SIGNING_KEY_PASSWORD" //nolint:gosec // a variable's name, no secret.
)

type commitSigningModel struct {
	Key         *string `tfsdk:"key"`
	KeyPassword *string `tfsdk:"key_password"`
}

func commitAuthorBlock() schema.Block {
	return providerBlock("Author of the commits that the provider makes.", map[string]schema.Attribute{
		"name":  providerNeeds("Name of the author.", signaturePart),
		"email": providerNeeds("Email address of the author.", signaturePart),
	})
}

func commitSigningBlock() schema.Block {
	return providerBlock("Signs the commits that the provider makes: [Sign commits](#sign-commits).", map[string]schema.Attribute{
		"key":          providerSecret("Private key: an armored OpenPGP key, or an SSH key as PEM text. Default: `" + envSigningKey + "`."),
		"key_password": providerSecret("Password of the key. Default: `" + envSigningKeyPassword + "`."),
	})
}

// signingKey returns the key that signs commits; nil if neither the configuration nor the
// environment asks for signatures. It warns about a missing key, because a plan needs none.
func signingKey(configured []commitSigningModel, getenv func(string) string, masker *remote.Masker,
	diags *diag.Diagnostics) *git.SigningKey {
	at, m := path.Root("commit_signing"), commitSigningModel{}
	for _, block := range configured { // at most one
		m = block
	}
	key, password := cmp.Or(text(m.Key), getenv(envSigningKey)), cmp.Or(text(m.KeyPassword), getenv(envSigningKeyPassword))
	masker.Add(key, password)
	if key == "" {
		if configured == nil && password == "" {
			return nil
		}
		diags.AddAttributeWarning(at, "Missing signing key", "The provider is configured to sign commits, but has no key. A plan needs no "+
			"key. An apply fails when it makes a commit. For the apply, set commit_signing.key or "+envSigningKey+".")
		return new(git.SigningKey)
	}
	signing, err := git.NewSigningKey(key, password, time.Now())
	if err != nil {
		diags.AddAttributeError(at, "Invalid signing key", problem.Sentence(err))
		return nil
	}
	return signing
}
