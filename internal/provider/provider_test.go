// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// unknownProvider is a provider block with a password that is known only after the apply.
const unknownProvider = `
resource "terraform_data" "vault" { input = "secret" }
provider "kalypso" {
  git {
    url_prefix = "https://example.com/"
    password   = terraform_data.vault.output
  }
}
`

// While something of the provider is unknown, nothing is imported.
func TestGitOpsCommit_importUnconfigured(t *testing.T) {
	t.Parallel()
	planDirectly(t, unknownProvider).Imports("kalypso_gitops_commit", "https://example.com/gitops#prod").Fails(t,
		"is not known yet (git[0].password")
}

func TestAccProvider_configuration(t *testing.T) {
	t.Parallel()
	expectDirectly(t, inert)
	expectDirectly(t, `
provider "kalypso" {
  git {
    url_prefix = "https://example.com/"
    username   = "deployer"
    password   = "secret"
  }
  git {
    url_prefix = "https://example.com/team/"
    password   = "secret"
  }
  git {
    url_prefix      = "ssh://git@example.com"
    ssh_known_hosts = "example.com `+hostKey+`"
  }
  commit_author {
    name  = "Platform Team"
    email = "platform@example.com"
  }
  max_fetch_mib  = 64
  max_diff_lines = 0
}`+inert)
	inSteps(t,
		resource.TestStep{Config: unknownProvider + inert}, // while the resource that gives it is being created
		resource.TestStep{Config: `# So may be the number of blocks.
resource "terraform_data" "vaults" { input = { "https://example.com/" = "secret" } }
provider "kalypso" {
  dynamic "git" {
    for_each = terraform_data.vaults.output
    content {
      url_prefix = git.key
      password   = git.value
    }
  }
}` + inert},
	)
}

func TestProvider_mistakes(t *testing.T) {
	t.Parallel()
	clientCertificate, _ := gittest.NewClientCertificate(t)
	git := func(credentials ...string) string {
		var blocks strings.Builder
		for _, settings := range credentials {
			blocks.WriteString(block("git", strings.Split(settings, "; ")...) + "\n")
		}
		return block(`provider "kalypso"`, blocks.String()) + inert
	}
	expectMistakes(t, map[string]mistake{
		"no prefix":     {git(`password = "secret"`), `The argument "url_prefix" is required`},
		"misspelled":    {git(`url_prefix = "https://example.com"; pasword = "secret"`), `An argument named "pasword" is not expected here`},
		"key is a path": {git(`url_prefix = "ssh://git@example.com"; ssh_private_key = "~/.ssh/id_ed25519"`), "Pass the content of"},
		"no client key": {git(`url_prefix = "https://example.com"; client_certificate = <<-EOT
` + clientCertificate + `EOT`), `Attribute "git[0].client_key" must be specified`},
		"no pair": {git(`url_prefix = "https://example.com"; client_certificate = <<-EOT
` + clientCertificate + `EOT
client_key = "-----BEGIN PRIVATE KEY-----\nMQ==\n-----END PRIVATE KEY-----"`), "the certificate and client_key"},
		"duplicate prefix": {git(`url_prefix = "https://a"; password = "x"`, `url_prefix = "https://a/"; password = "y"`),
			"git[0] and git[1] both are for https://a"},
		"author": {`provider "kalypso" {
  commit_author {
    name  = "Platform <Team>"
    email = "a@example.com"
  }
}` + inert, "commit_author[0].name must be a text"},
		"two authors": {`provider "kalypso" {
  dynamic "commit_author" {
    for_each = ["a", "b"]
    content {
      name  = commit_author.value
      email = "a@example.com"
    }
  }
}` + inert, "at most 1 elements"},
	})
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	getenv := func(name string) string {
		return map[string]string{"KALYPSO_GIT_USERNAME": "deployer", "KALYPSO_GIT_PASSWORD": "from-environment"}[name]
	}
	prefix, password := "https://example.com/", "configured"
	var diags diag.Diagnostics
	got := credentials([]credentialModel{{URLPrefix: prefix, Password: &password}}, getenv, &diags)
	want := []git.Credential{
		{URLPrefix: prefix, Password: password},
		{FromEnvironment: true, Username: "deployer", Password: "from-environment"},
	}
	if diff := cmp.Diff(want, got); diff != "" || diags.HasError() {
		t.Errorf("credentials (-want +got):\n%s%v", diff, diags)
	}
}

func TestCredentials_environment(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		environment map[string]string
		want        []string
	}{
		"empty":      {nil, nil},
		"line break": {map[string]string{envPassword: "secret\n"}, []string{"Invalid environment variable KALYPSO_GIT_PASSWORD"}},
		"key file":   {map[string]string{envSSHPrivateKey: "/root/key"}, []string{"Invalid environment variable KALYPSO_SSH_PRIVATE_KEY"}},
		"prefix": {map[string]string{envURLPrefix: "https://example.com/ example.org"},
			[]string{"Invalid environment variable KALYPSO_GIT_URL_PREFIX"}},
		"known hosts": {map[string]string{envSSHKnownHosts: "\n"}, []string{"Invalid environment variable KALYPSO_SSH_KNOWN_HOSTS"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			getenv := func(name string) string { return test.environment[name] }
			credentials(nil, getenv, &diags)
			trust(providerModel{}, getenv, &diags)
			var got []string
			for _, d := range diags {
				got = append(got, d.Summary())
			}
			if !slices.Equal(test.want, got) {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
}

func TestLogger_masksSecrets(t *testing.T) {
	t.Parallel()
	var output strings.Builder
	ctx := tflogtest.RootLogger(context.WithoutCancel(t.Context()), &output)
	masker := remote.NewMasker()
	log := logger(masker, "git")
	forge.NewClient(forge.Options{Masker: masker, Forges: []forge.Config{{Token: "ghp_t0ken", App: &forge.App{PrivateKey: "APP KEY"},
		TLS: remote.TLS{ClientKey: "FORGE KEY"}}}})
	if _, err := git.NewClient(git.Options{Masker: masker, Credentials: []git.Credential{{Password: "pa55word",
		SSHPrivateKeyPassword: "passphrase"}}}); err != nil {
		t.Fatal(err)
	}
	masker.Add(git.Credential{SSHPrivateKey: "PRIVATE KEY", TLS: remote.TLS{ClientKey: "CLIENT KEY"}}.Secrets()...) // which no client takes
	log(ctx, "pushing with pa55word and ghp_t0ken", map[string]any{"url": "https://x:passphrase@example.com",
		"key": "PRIVATE KEY, CLIENT KEY, APP KEY, FORGE KEY"})

	for _, secret := range []string{"pa55word", "passphrase", "PRIVATE KEY", "CLIENT KEY", "APP KEY", "FORGE KEY", "ghp_t0ken"} {
		if strings.Contains(output.String(), secret) {
			t.Errorf("the log holds %q: %s", secret, output.String())
		}
	}
	if !strings.Contains(output.String(), "pushing with") {
		t.Errorf("the message is missing: %s", output.String())
	}
}
