// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// guarded is a repository for which the environment has a credential, and whether that
// was ever shown to its server.
type guarded struct {
	origin
	shown func() bool
}

var guardedTransports = map[string]func(t testing.TB) guarded{
	"http": func(t testing.TB) guarded {
		r := httpRemote(t, nil, gittest.WithRecord())
		r.credential = git.Credential{FromEnvironment: true, Username: user, Password: password}
		return guarded{r, func() bool { return strings.Contains(r.server.Heard(), password) }}
	},
	"ssh": func(t testing.TB) guarded {
		repo := gittest.NewBare(t)
		server := gittest.ServeSSH(t, repo)
		return guarded{
			origin{repo: repo, disk: repo, url: server.URL(), credential: git.Credential{
				FromEnvironment: true, SSHPrivateKey: server.PrivateKey(t, "open"), SSHPrivateKeyPassword: "open", SSHKnownHosts: server.KnownHosts(),
			}},
			func() bool { return slices.Contains(server.Shown(), server.ClientFingerprint(t)) },
		}
	},
}

func eachGuarded(t *testing.T, test func(t *testing.T, r guarded)) {
	t.Helper()
	for name, open := range guardedTransports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
			test(t, r)
		})
	}
}

// Only trusted repositories get the credential from environment variables.
func TestCredentialOfTheEnvironment(t *testing.T) {
	t.Parallel()
	eachGuarded(t, func(t *testing.T, r guarded) {
		c, dev := r.client(t), r.branch("dev")
		for _, err := range both(t, c, dev) {
			wantKind(t, err, remote.KindWithheld, r.url, "comes from manifests", "repo", "KALYPSO_GIT_URL_PREFIX", "(git)")
		}
		if _, err := head(remote.Trusting(t.Context(), "https://github.com/octo/gitops"), c, dev); !remote.Is(err, remote.KindWithheld) {
			t.Errorf("while somebody else is trusted: %v", err)
		}
		if r.shown() {
			t.Error("it was shown to a server that nobody trusts")
		}
		trusting := remote.Trusting(t.Context(), r.url)
		if err := write(trusting, c, dev, "drone", drone(t, "one")); err != nil {
			t.Errorf("while it is trusted: %v", err)
		}
		if !r.shown() {
			t.Error("the server never asked for it, so the test proves nothing")
		}
	})
}

func TestTrustOfTheProvider(t *testing.T) {
	t.Parallel()
	eachGuarded(t, func(t *testing.T, r guarded) {
		c, err := git.NewClient(git.Options{Credentials: []git.Credential{r.credential}, Trust: remote.Trust{remote.ParsePrefix(r.url)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range both(t, c, r.branch("dev")) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// What one operation of a run reads with the credential is not for one that gets none,
// whichever comes first.
func TestTrustInSnapshots(t *testing.T) {
	t.Parallel()
	eachGuarded(t, func(t *testing.T, r guarded) {
		open := func(run *git.Snapshots, ctx context.Context) error {
			_, err := run.Open(ctx, git.Revision{Repo: r.url, Branch: "dev"}, ".")
			return err
		}
		trusting := remote.Trusting(t.Context(), r.url)
		run := r.client(t).Snapshots()
		for range 2 {
			if err := open(run, t.Context()); !remote.Is(err, remote.KindWithheld) {
				t.Errorf("without trust: %v", err)
			}
			if err := open(run, trusting); err != nil {
				t.Errorf("with trust: %v", err)
			}
		}
	})
}

// Known hosts are not secret: they count for every host, also if the key does not.
func TestKnownHostsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	ours, others := gittest.ServeSSH(t, gittest.NewBare(t)), gittest.ServeSSH(t, gittest.NewBare(t))
	c := newClient(t, git.Credential{FromEnvironment: true, SSHPrivateKey: ours.PrivateKey(t, ""), SSHKnownHosts: ours.KnownHosts()})
	_, err := head(remote.Trusting(t.Context(), others.URL()), c, git.Branch{Repo: others.URL(), Name: "dev"})
	wantKind(t, err, remote.KindHostKey, "not known")
}

// If the key of the environment is withheld, none is given: the agent is asked, as
// for every host without a key.
func TestAgentWhereTheKeyIsWithheld(t *testing.T) {
	ours, others := gittest.ServeSSH(t, gittest.NewBare(t)), gittest.ServeSSH(t, gittest.NewBare(t))
	c := newClient(t, git.Credential{FromEnvironment: true, SSHPrivateKey: ours.PrivateKey(t, ""), SSHKnownHosts: ours.KnownHosts() +
		others.KnownHosts()})
	branch := git.Branch{Repo: others.URL(), Name: "dev"}

	t.Setenv("SSH_AUTH_SOCK", "")
	_, err := head(t.Context(), c, branch)
	wantKind(t, err, remote.KindWithheld, "no SSH agent runs", "KALYPSO_GIT_URL_PREFIX")

	t.Setenv("SSH_AUTH_SOCK", gittest.ServeAgent(t, gittest.NewPrivateKey(t)))
	_, err = head(t.Context(), c, branch)
	wantKind(t, err, remote.KindWithheld, "the SSH key of the SSH agent", "KALYPSO_GIT_URL_PREFIX")

	t.Setenv("SSH_AUTH_SOCK", gittest.ServeAgent(t, others.PrivateKey(t, "")))
	if _, err := head(t.Context(), c, branch); err != nil {
		t.Error(err)
	}
	if slices.Contains(others.Shown(), ours.ClientFingerprint(t)) {
		t.Error("the key of the environment was shown")
	}
}

// A server that asks for a certificate is given that of the credential, for reading
// and writing.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	certificate, key := gittest.NewClientCertificate(t)
	r := httpRemote(t, nil, gittest.WithClientCertificate(certificate))
	for _, err := range both(t, r.client(t), r.branch("dev")) {
		wantKind(t, err, remote.KindTLS, "client_certificate")
	}
	r.credential.TLS.ClientCertificate, r.credential.TLS.ClientKey = certificate, key
	for _, err := range both(t, r.client(t), r.branch("dev")) {
		if err != nil {
			t.Error(err)
		}
	}
}
