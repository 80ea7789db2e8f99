// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestSigningKey(t *testing.T) {
	t.Parallel()
	ssh, rsa, locked := gittest.NewSSHSigningKey(t, "ed25519", ""), gittest.OpenPGPKey(t, "rsa"), gittest.OpenPGPKey(t, "encrypted")
	for name, test := range map[string]struct {
		configured    []commitSigningModel
		key, password string // of the environment
		signs         bool
		says          string
	}{
		"nothing":             {},
		"environment":         {key: ssh.Private, signs: true},
		"configuration":       {configured: []commitSigningModel{{Key: &ssh.Private}}, signs: true},
		"configuration first": {configured: []commitSigningModel{{Key: &ssh.Private}}, key: "junk", signs: true},
		"password":            {configured: []commitSigningModel{{Key: &locked.Private}}, password: locked.Password, signs: true},
		"empty block":         {configured: []commitSigningModel{{}}, signs: true, says: "set commit_signing.key or KALYPSO_SIGNING_KEY."},
		"only a password":     {password: "open-sesame", signs: true, says: "set commit_signing.key or KALYPSO_SIGNING_KEY."},
		"junk":                {key: "junk", says: "commit_signing.key (KALYPSO_SIGNING_KEY) is not a valid"},
		"openpgp":             {key: rsa.Private, signs: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			masker := remote.NewMasker()
			variables := map[string]string{envSigningKey: test.key, envSigningKeyPassword: test.password}
			getenv := func(name string) string { return variables[name] }
			got := signingKey(test.configured, getenv, masker, &diags)
			if (got != nil) != test.signs || len(diags) > 1 || (len(diags) == 0) != (test.says == "") {
				t.Fatalf("key %v, %v", got != nil, diags)
			}
			for _, d := range diags {
				if !strings.Contains(d.Detail(), test.says) || (d.Severity() == diag.SeverityWarning) != test.signs {
					t.Errorf("%s: %s: %s", d.Severity(), d.Summary(), d.Detail())
				}
			}
			key := test.key
			if len(test.configured) > 0 && test.configured[0].Key != nil {
				key = *test.configured[0].Key
			}
			if key != "" && masker.Mask(key) != "***" {
				t.Error("the key is not masked")
			}
		})
	}
}

// A key in the environment is enough: the commit of a request is signed, and nobody sees the key
// or its password. A plan needs no key, but an apply of this plan fails.
func TestAccCLI_signedCommits(t *testing.T) {
	t.Parallel()
	h, key := newGitHub(t), gittest.OpenPGPKey(t, "encrypted")
	w := newBuiltWorkspace(t, h.proposing("blue", ""))
	w.env = append(w.env, envSigningKeyPassword+"="+key.Password)
	heads := h.repo.Branches(t)
	w.succeeds(t, []string{"plan", "-out=unsigned"}, "plan needs no key")
	w.fails(t, []string{"apply", "unsigned"}, "commit_signing.key or KALYPSO_SIGNING_KEY")
	if now := h.repo.Branches(t); !maps.Equal(now, heads) {
		t.Errorf("branches %v, before %v", now, heads)
	}
	w.env = append(w.env, envSigningKey+"="+key.Private)
	w.mustRun(t, "plan", "-out=saved")
	shown := w.applyTraced(t)
	shown["plan's file"] = readFile(t, w.dir+"/saved")
	for line := range strings.Lines(key.Private + "\n" + key.Password) {
		for what, text := range shown {
			if line = strings.TrimSpace(line); line != "" && strings.Contains(text, line) {
				t.Errorf("%s has %q", what, line)
			}
		}
	}
	expectLogged(t, shown["log"], "git", "pushed")

	memory, _ := h.repo.(*gitmem.Repo)
	memory.VerifyCommits(t, key, "terraform-provider-kalypso")
}

func TestProvider_signingMistakes(t *testing.T) {
	t.Parallel()
	block := func(settings string) string {
		return "provider \"kalypso\" {\n  commit_signing {\n    " + settings + "\n  }\n}\n" + inert
	}
	expectMistakes(t, map[string]mistake{
		"misspelled":    {block(`keey = "x"`), "keey"},
		"a file's name": {block(`key = "~/.ssh/id_ed25519"`), "not a valid private"},
	})
	expectDirectly(t, block("")).Warns(t, "Missing signing key: The provider is configured")
}
