// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func TestProvider_forgeMistakes(t *testing.T) {
	t.Parallel()
	const app = "app {\n id = 1\n private_key = \"-----BEGIN X-----\\nMQ==\\n-----END X-----\"\n}"
	forges := func(entries ...string) string {
		var blocks strings.Builder
		for _, settings := range entries {
			blocks.WriteString(block("forge", strings.Split(settings, "; ")...) + "\n")
		}
		return block(`provider "kalypso"`, blocks.String()) + inert
	}
	expectMistakes(t, map[string]mistake{
		"no prefix": {forges(`token = "t"`), `The argument "url_prefix" is required`},
		"prefix":    {forges(`url_prefix = "example.com"; token = "t"`), "must be the beginning"},
		"type":      {forges(`url_prefix = "https://a"; type = "bitbucket"`), "must be one of"},
		"duplicate prefix": {forges(`url_prefix = "https://a"; token = "t"`, `url_prefix = "https://a/"; token = "u"`),
			"forge[0] and forge[1] both are for https://a"},
		"token and app":   {forges(`url_prefix = "https://a"; token = "t"; ` + app), "token and an app"},
		"two apps":        {forges(`url_prefix = "https://a"; ` + app + "; " + app), "at most 1 elements"},
		"app without key": {forges(`url_prefix = "https://a"; app { id = 1 }`), `The argument "private_key" is required`},
		"app's id":        {forges(`url_prefix = "https://a"; ` + strings.Replace(app, "id = 1", "id = 0", 1)), "must be a whole number, at"},
		"misspelled":      {forges(`url_prefix = "https://a"; typ = "github"`), `An argument named "typ" is not expected here`},
		"client key alone": {forges(`url_prefix = "https://a"; client_key = "-----BEGIN X-----\nMQ==\n-----END X-----"`),
			`Attribute "forge[0].client_certificate" must be specified`},
		"key is a path": {forges(`url_prefix = "https://a"; ` + strings.Replace(app, "-----BEGIN X-----\\nMQ==\\n-----END X-----", "key.pem", 1)),
			"Pass the content of"},
	})
}

// testKey has the form of a private key.
const testKey = "-----BEGIN X-----\nMQ==\n-----END X-----"

// A forge's token is also that of git over HTTPS, unless git has its own.
func TestForges(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	models := []forgeModel{
		{URLPrefix: "https://github.com/contoso/", Token: text("own")},
		{URLPrefix: "https://git.contoso.com/", Type: text("gitea")},
		{URLPrefix: "https://ghe.contoso.com/", App: []appModel{{ID: "7", PrivateKey: "key"}}},
		{URLPrefix: "git@github.com:contoso/", Token: text("api")},
	}
	var diags diag.Diagnostics
	getenv := func(name string) string { return map[string]string{envForgeToken: "common"}[name] }
	got := forges(models, getenv, &diags)
	want := []forge.Config{
		{URLPrefix: "https://github.com/contoso/", Token: "own"},
		{URLPrefix: "https://git.contoso.com/", Kind: forge.Gitea, Token: "common", FromEnvironment: true},
		{URLPrefix: "https://ghe.contoso.com/", App: &forge.App{ID: 7, PrivateKey: "key"}},
		{URLPrefix: "git@github.com:contoso/", Token: "api"},
		{Token: "common", FromEnvironment: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || diags.HasError() {
		t.Errorf("forges (-want +got):\n%s%v", diff, diags)
	}

	for _, test := range []struct {
		name, variable string
		want           *forge.App
	}{
		{"an App", envAppPrivateKey, &forge.App{ID: 7, InstallationID: 8, PrivateKey: testKey}},
		{"no key", "", nil},
		{"a token beside it", envForgeToken, nil},
	} {
		var diags diag.Diagnostics
		got, _ := environmentForge(func(name string) string {
			return map[string]string{envAppID: "7", envAppInstallationID: "8", test.variable: testKey, "": ""}[name]
		}, &diags)
		if diff := cmp.Diff(test.want, got.App); diags.HasError() == (test.want != nil) || test.want != nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", test.name, diff, diags)
		}
	}

	all := forgeCredentials([]git.Credential{
		{URLPrefix: "https://github.com/contoso", Username: "git", Password: "its own"}, {FromEnvironment: true, SSHPrivateKey: "key"},
	}, got, forge.NewClient(forge.Options{Forges: got}))
	type login struct {
		prefix, username, password string
		asked, fromEnvironment     bool
	}
	var logins []login
	for _, c := range all {
		logins = append(logins, login{c.URLPrefix, c.Username, c.Password, c.Login != nil, c.FromEnvironment})
	}
	wanted := []login{
		{"https://github.com/contoso", "git", "its own", false, false},
		{"", "x-access-token", "common", false, true},
		{"https://git.contoso.com/", "x-access-token", "common", false, true},
		{"https://ghe.contoso.com/", "", "", true, false},
	}
	if diff := cmp.Diff(wanted, logins, cmp.AllowUnexported(login{})); diff != "" {
		t.Errorf("credentials (-want +got):\n%s", diff)
	}
}

// The GitHub App of the environment is only for repositories on GitHub.
func TestForgeCredentials_appOfTheEnvironment(t *testing.T) {
	t.Parallel()
	hosts := []forge.Config{{App: &forge.App{ID: 7, PrivateKey: testKey}, FromEnvironment: true}}
	all := forgeCredentials(nil, hosts, forge.NewClient(forge.Options{Forges: hosts}))
	if len(all) != 1 || !all[0].FromEnvironment || all[0].Login == nil {
		t.Fatalf("the credentials are %+v", all)
	}
	for url, isAsked := range map[string]bool{
		"https://codeberg.org/contoso/gitops": false, "https://git.example.com/contoso/gitops": false, "https://github.com/contoso/gitops": true,
	} {
		username, password, err := all[0].Login(remote.Trusting(t.Context(), url), url)
		if username != "" || password != "" || (err != nil) != isAsked { // the key is not an RSA key
			t.Errorf("%s: %q, %q, error %v", url, username, password, err)
		}
	}
}
