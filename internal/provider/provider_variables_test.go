// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestTrust(t *testing.T) {
	t.Parallel()
	model := providerModel{
		Git:   []credentialModel{{URLPrefix: "https://git.example.com/team/"}, {URLPrefix: "https://"}},
		Forge: []forgeModel{{URLPrefix: "https://forge.example.com/"}},
	}
	variables := map[string]string{envURLPrefix: " https://github.com/contoso/\n\tgit@github.com:contoso/ "}
	var diags diag.Diagnostics
	trusted := trust(model, func(name string) string { return variables[name] }, &diags)
	if diags.HasError() {
		t.Fatal(diags)
	}
	for url, want := range map[string]bool{
		"https://github.com/contoso/gitops": true, "git@github.com:contoso/gitops": true, "https://github.com/other/gitops": false,
		"https://git.example.com/other/gitops": true, "https://forge.example.com/a/b": true, "https://example.com/a/b": false,
	} {
		u, err := remote.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := trusted.Withheld(t.Context(), u, u); (got == "") != want {
			t.Errorf("%s: %q", url, got)
		}
	}
}

// The credentials from environment variables in these tests.
const canary = "c4n4ry-0f-the-env1ronment"

var canaries = map[string]string{envUsername: "deployer", envPassword: canary}

// sings reports whether a text holds the canary, in the clear or as HTTP and private
// state write it.
func sings(text string) bool {
	return slices.ContainsFunc([]string{canary, base64.StdEncoding.EncodeToString([]byte("deployer:" + canary)),
		base64.StdEncoding.EncodeToString([]byte(canary))},
		func(song string) bool { return strings.Contains(text, song) })
}

// The objects of a control plane lead to its own server and to others. Its own server gets
// the credential. No other server sees it, and neither does a user who looks at the run.
func TestAccCLI_credentialsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	home, open := newOverheard(t, gittest.WithLogin("deployer", canary)), newOverheard(t)
	locked, thief := newOverheard(t, gittest.WithLogin("deployer", canary)), newOverheard(t)
	detour := redirecting(t, thief.url)
	home.commit(t, "shared", map[string]string{"small.yaml": clusterTypeYAML("small")})
	open.commit(t, "main", map[string]string{"policy.yaml": policyYAML("apps", "app-team", "small")})
	locked.commit(t, "main", map[string]string{"workload.yaml": workloadYAML("app")})
	thief.commit(t, "main", map[string]string{"workload.yaml": workloadYAML("stolen")})
	home.commit(t, "dev", map[string]string{
		"bases.yaml": baseRepoYAML("shared", home.served, "shared", ".", "") + "---\n" + baseRepoYAML("open", open.served, "main", ".", ""),
		"apps.yaml": registrationYAML("app", locked.url, "main", ".", "app-team") + "---\n" +
			registrationYAML("detour", detour.url, "main", ".", "app-team"),
		"repo.yaml": kalypsoObject("GitOpsRepo", "dev", "", fmt.Sprintf("{repo: %q, branch: main, path: .}", thief.url)),
	})
	config := fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  environment = "dev"
  branch      = "dev"
  repo = %[1]q
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = [for text in data.kalypso_control_plane.dev.manifests : text if !strcontains(text, "kind: ClusterType")]
  repo        = %[1]q
  branch      = "packages"
  on_error    = "keep"
  limits {
    allow_empty = true
  }
}
`, home.url)
	w := newBuiltWorkspace(t, config)
	for name, value := range canaries {
		w.env = append(w.env, name+"="+value)
	}
	w.mustRun(t, "plan", "-out=saved")
	plan, _, err := w.run("show", "-json", "saved")
	if err != nil {
		t.Fatal(err)
	}
	shown := w.applyTraced(t)
	shown["plan"], shown["plan's file"] = plan, readFile(t, w.dir+"/saved")
	for server, o := range map[string]overheard{"open": open, "locked": locked, "detour": detour} {
		if shown["what "+server+" heard"] = o.Heard(); o.Requests() == 0 {
			t.Errorf("nobody has asked the server %s", server)
		}
	}
	for what, text := range shown {
		if sings(text) {
			t.Errorf("%s: the canary sings there", what)
		}
	}
	if !sings(home.Heard()) || thief.Requests() > 0 {
		t.Errorf("%d requests to where a server redirects to; the home server heard %s", thief.Requests(), home.Heard())
	}
	told := shown["output"] + shown["log"] // of similar warnings, the CLI shows one
	if !saying("Credentials from environment variables were not sent there").MatchString(told) {
		t.Errorf("nothing says why:\n%s", told)
	}

	// The configuration names the server that gets the credential.
	w.env = append(w.env, envURLPrefix+"=https://git.example.com/ "+locked.url)
	out, _, err := w.run("apply", "-auto-approve")
	if err != nil || !strings.Contains(out, "DeploymentTarget/app-live") || !sings(locked.Heard()) || sings(out) {
		t.Errorf("%v:\n%s", err, out)
	}

	// A GitOpsRepo does not name a server that gets credentials.
	w.write(t, "main.tf", strings.Replace(strings.Replace(config, "  repo        = \""+home.url+"\"\n", "", 1), "\"packages\"", "\"main\"", 1))
	if out, _, err = w.run("apply", "-auto-approve"); err != nil || sings(thief.Heard()) || thief.Requests() == 0 {
		t.Errorf("%v: %d requests:\n%s", err, thief.Requests(), out)
	}
}

// A redirect to another server is not followed from a URL of the configuration either.
func TestControlPlane_redirect(t *testing.T) {
	t.Parallel()
	thief := newOverheard(t)
	detour := redirecting(t, thief.url)
	planDirectlyWith(t, inEnvironment(canaries), controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"",
		detour.url))).
		Fails(t, "redirects to "+thief.url+". A redirect is followed only within a server")
	if thief.Requests() > 0 || !sings(detour.Heard()) {
		t.Errorf("%d requests to where it redirects to", thief.Requests())
	}
}

// A GitOpsRepo that is modelled reaches the commit through manifests, so repo explicitly
// names the host that is trusted.
func TestAccGitOpsCommit_credentialsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	server := newOverheard(t, gittest.WithLogin("deployer", canary))
	r := gitServer{repo: server.repo, url: server.url}
	config := func(commit string) string { return fleetHCL(r, fleetOptions{commit: commit}) }
	const repo = "repo = kalypso_gitops_repo.prod.repo"
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: inEnvironment(canaries), Steps: []resource.TestStep{
		{Config: config(""), ExpectError: saying("the URL comes from manifests")},
		{
			Config: config(repo),
			Check: func(*terraform.State) error {
				if !sings(server.Heard()) {
					return fmt.Errorf("the server heard %s", server.Heard())
				}
				return expectPaths(t, r, fixtureFiles...)(nil)
			},
		},
	}})
	if told := planDirectlyWith(t, inEnvironment(canaries), "").Imports("kalypso_gitops_commit", r.url+"#prod:.").Told(); told != "" {
		t.Error(told)
	}
}

// A key of the environment may have a password, and is not shown to other servers.
func TestControlPlane_keyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	home, base := gittest.NewBare(t), gittest.NewBare(t)
	homeServer, baseServer := gittest.ServeSSH(t, home), gittest.ServeSSH(t, base)
	base.CommitFiles(t, "main", map[string][]byte{"small.yaml": []byte(clusterTypeYAML("small"))}, "base")
	home.CommitFiles(t, "dev", map[string][]byte{"base.yaml": []byte(baseRepoYAML("base", served{url: baseServer.URL()}, "main", ".", ""))},
		"control plane")
	variables := map[string]string{
		envSSHPrivateKey: homeServer.PrivateKey(t, "open-sesame"), envSSHPrivateKeyPassword: "open-sesame",
		envSSHKnownHosts: homeServer.KnownHosts() + baseServer.KnownHosts(),
	}
	home.CommitFiles(t, "alone", map[string][]byte{"app.yaml": []byte(workloadYAML("app"))}, "without a base repository")
	config := func(branch string) string {
		return controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = %q\n  environment = \"dev\"", homeServer.URL(), branch))
	}
	planDirectlyWith(t, inEnvironment(variables), config("alone")).Expect(t)
	planDirectlyWith(t, inEnvironment(variables), config("dev")).Fails(t, "Credentials from environment variables were not sent there")
	if ours := homeServer.ClientFingerprint(t); !slices.Contains(homeServer.Shown(), ours) || slices.Contains(baseServer.Shown(), ours) {
		t.Errorf("shown at home: %q, elsewhere: %q", homeServer.Shown(), baseServer.Shown())
	}
	delete(variables, envSSHPrivateKeyPassword)
	planDirectlyWith(t, inEnvironment(variables), config("dev")).Fails(t, "KALYPSO_SSH_PRIVATE_KEY_PASSWORD")
}

// A server that asks for a certificate is given the one of the provider's
// configuration, whose key nobody sees.
func TestAccCLI_clientCertificate(t *testing.T) {
	t.Parallel()
	certificate, key := gittest.NewClientCertificate(t)
	server := newOverheard(t, gittest.WithClientCertificate(certificate))
	r := gitServer{repo: server.repo, url: server.url}
	provider := func(more string) string {
		return fmt.Sprintf("provider \"kalypso\" {\n  git {\n    url_prefix = %q\n    ca_bundle = <<-EOT\n%sEOT\n    %s\n  }\n}\n", r.url,
			server.CABundle(), more)
	}
	r.provider = provider("")
	w := newBuiltWorkspace(t, fleetHCL(r, fleetOptions{}))
	if out, _, err := w.run("apply", "-auto-approve"); err == nil || !saying("set client_certificate and client_key").MatchString(out) {
		t.Errorf("without a certificate: %v\n%s", err, out)
	}
	r.provider = provider(fmt.Sprintf("client_certificate = <<-EOT\n%sEOT\n    client_key = <<-EOT\n%sEOT\n", certificate, key))
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{}))
	secret := strings.Split(key, "\n")[1]
	for what, text := range w.applyTraced(t) {
		if strings.Contains(text, secret) {
			t.Errorf("the %s holds the key", what)
		}
	}
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Error(err)
	}
}

// overheard is a repository behind a server that keeps all requests.
type overheard struct {
	served
	*gittest.HTTPServer
}

func newOverheard(t testing.TB, options ...gittest.HTTPOption) overheard {
	t.Helper()
	repo := gittest.NewBare(t)
	server := gittest.ServeHTTP(t, repo, append(options, gittest.WithRecord())...)
	return overheard{served{repo: repo, url: server.URL()}, server}
}

// redirecting is a server that sends everybody to another repository.
func redirecting(t testing.TB, to string) overheard {
	t.Helper()
	return newOverheard(t, gittest.WithHook(func(w http.ResponseWriter, r *http.Request) bool {
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.String(), "/"), "/")
		http.Redirect(w, r, to+"/"+rest, http.StatusFound)
		return true
	}))
}
