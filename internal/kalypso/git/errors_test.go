// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// wantKind checks the sort of an error, that it holds these words, no secret and no
// setting of those who call.
func wantKind(t testing.TB, err error, kind remote.ErrorKind, words ...string) {
	t.Helper()
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("got %v (%T), want an error of kind %d", err, err, kind)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q: %v", word, err)
		}
	}
	for _, secret := range []string{password, "wrong-secret", "PRIVATE KEY", "<html", user + ":", "create_branch_from"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds %q: %v", secret, err)
		}
	}
}

// both reads and writes, and returns the errors of both.
func both(t *testing.T, c *git.Client, branch git.Branch) []error {
	t.Helper()
	_, err := head(t.Context(), c, branch)
	return []error{err, write(t.Context(), c, branch, "drone", drone(t, "one"))}
}

func TestLoginErrors(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	for _, err := range both(t, newClient(t), r.branch("dev")) {
		wantKind(t, err, remote.KindAuthentication, r.url, "url_prefix", "KALYPSO_GIT_PASSWORD")
	}
	wrong := git.Credential{URLPrefix: r.url, Username: user, Password: "wrong-secret"}
	for _, err := range both(t, newClient(t, wrong), r.branch("dev")) {
		wantKind(t, err, remote.KindAuthentication, "refuses the username and", "token")
	}
}

// Azure DevOps answers an expired token with a page to log in, or with a redirect to it.
func TestLoginPage(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		status int
		header map[string]string
	}{
		{http.StatusFound, map[string]string{"Location": "https://spsprodcus3.vssps.visualstudio.com/_signin?realm=dev.azure.com"}},
		{http.StatusNonAuthoritativeInfo, nil},
	} {
		r := httpRemote(t, func(w http.ResponseWriter, _ *http.Request, _ gittest.Repository) bool {
			for key, value := range answer.header {
				w.Header().Set(key, value)
			}
			w.WriteHeader(answer.status)
			_, _ = w.Write([]byte("<html>Sign in</html>"))
			return true
		})
		for _, err := range both(t, r.client(t), r.branch("dev")) {
			wantKind(t, err, remote.KindAuthentication, "token has not expired")
		}
		for _, err := range both(t, newClient(t), r.branch("dev")) {
			wantKind(t, err, remote.KindAuthentication, "asks for authentication")
		}
	}
}

// An error of a login is reported as such, not as an error of the repository, and not retried.
func TestFailedLogin(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	for name, failure := range map[string]error{
		"not found": &remote.Error{Kind: remote.KindNotFound, Message: "the App is not installed"},
		"passing":   &remote.Error{Kind: remote.KindServer, Passing: true, Message: "the App is not installed"},
		"later":     &remote.Error{Kind: remote.KindRateLimit, Passing: true, After: time.Millisecond, Message: "the App is not installed"},
		"time":      fmt.Errorf("the App is not installed: %w", context.DeadlineExceeded),
	} {
		logins := 0
		c := newClient(t, git.Credential{URLPrefix: r.url, Login: func(context.Context, string) (username, password string, err error) {
			logins++
			return "", "", failure
		}})
		_, err := head(t.Context(), c, r.branch("dev"))
		wantKind(t, err, remote.KindAuthentication, "the App is not installed")
		if logins != 1 || !errors.Is(err, failure) || remote.Is(err, remote.KindNotFound) {
			t.Errorf("%s: %d logins, error %v", name, logins, err)
		}
		if errors.Is(err, context.DeadlineExceeded) != (name == "time") {
			t.Errorf("%s: the cause is %v", name, errors.Unwrap(err))
		}
	}
}

func TestStatusErrors(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		kind     remote.ErrorKind
		words    []string
		requests int32
	}{
		http.StatusForbidden:           {remote.KindForbidden, []string{"403"}, 1},
		http.StatusNotFound:            {remote.KindNotFound, []string{"does not exist"}, 1},
		http.StatusTooManyRequests:     {remote.KindServer, []string{"429", "later"}, 5},
		http.StatusInternalServerError: {remote.KindServer, []string{"500", "later"}, 5},
		http.StatusTeapot:              {remote.KindServer, []string{"418"}, 1},
		http.StatusOK:                  {remote.KindServer, []string{"web page"}, 1},
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			r := httpRemote(t, func(w http.ResponseWriter, _ *http.Request, _ gittest.Repository) bool {
				requests.Add(1)
				w.WriteHeader(status)
				_, _ = w.Write([]byte("<html>" + password + "</html>"))
				return true
			})
			_, err := head(t.Context(), r.client(t), r.branch("dev"))
			wantKind(t, err, want.kind, want.words...)
			if got := requests.Load(); got != want.requests {
				t.Errorf("%d requests, want %d", got, want.requests)
			}
		})
	}
}

// The words of a server that refuses a credential are in the error, and choose the cure.
func TestRefusedCredential(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]struct {
		status int
		kind   remote.ErrorKind
		words  string
	}{
		"This repository was archived so it is read-only.":               {http.StatusForbidden, remote.KindArchived, "Unarchive it"},
		"Permission to o/r.git denied to hubot, token " + password + ".": {http.StatusForbidden, remote.KindForbidden, "token ***"},
		"Invalid username or token.":                                     {http.StatusUnauthorized, remote.KindAuthentication, "expired"},
	} {
		r := httpRemote(t, func(w http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
			if !strings.Contains(request.URL.String(), "receive-pack") {
				return false
			}
			w.WriteHeader(want.status)
			_, _ = io.WriteString(w, said)
			return true
		})
		err := write(t.Context(), r.client(t), r.branch("dev"), "drone", drone(t, "one"))
		wantKind(t, err, want.kind, strings.Split(said, ",")[0], want.words)
	}
}

// A server that fails once or twice is asked again.
func TestPassingErrors(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	r := httpRemote(t, func(w http.ResponseWriter, _ *http.Request, _ gittest.Repository) bool {
		if n := requests.Add(1); n != 2 && n != 6 {
			return false
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	apply(t, r.client(t), r.branch("dev"), "create", edits{"drone": folder(drone(t, "one"))})
	if log := r.repo.Log(t, "dev"); len(log) != 2 {
		t.Errorf("log %v", log)
	}
}

func TestMissingRepository(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		r.credential.URLPrefix = strings.TrimSuffix(r.credential.URLPrefix, "/repo.git")
		dev := r.branch("dev")
		dev.Repo = strings.Replace(dev.Repo, "repo.git", "missing.git", 1)
		for _, err := range both(t, r.client(t), dev) {
			wantKind(t, err, remote.KindNotFound, "missing.git", "Check the URL")
		}
	})
}

func TestRefusedByHook(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"file", "http", "https", "ssh"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports[name](t)
			r.disk.InstallHook(t, "pre-receive", "echo 'GH006: Protected branch update failed; token "+password+"' >&2; exit 1")
			err := write(t.Context(), r.client(t), r.branch("dev"), "drone", drone(t, "one"))
			wantKind(t, err, remote.KindRefused, "refused the commit to branch dev", "GH006", "hook declined", "token ***")
		})
	}
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	server, other := gittest.ServeSSH(t, repo), gittest.ServeSSH(t, repo)
	dev := git.Branch{Repo: server.URL(), Name: "dev"}
	address := strings.Fields(server.KnownHosts("ssh-ed25519"))[0]
	changed := address + " " + strings.SplitN(other.KnownHosts("ssh-ed25519"), " ", 2)[1]
	for name, test := range map[string]struct{ known, word string }{
		"unknown": {other.KnownHosts(), "not known"},
		"changed": {changed, "the one in known_hosts"},
	} {
		c := newClient(t, git.Credential{URLPrefix: server.URL(), SSHPrivateKey: server.PrivateKey(t, ""), SSHKnownHosts: test.known})
		for _, err := range both(t, c, dev) {
			wantKind(t, err, remote.KindHostKey, test.word, "SHA256:", "ssh_known_hosts", "\n"+address)
			if err != nil && !containsOne(err.Error(), server.Fingerprints()) {
				t.Errorf("%s: the error lacks the server's fingerprint: %v", name, err)
			}
		}
	}
	for _, types := range [][]string{{"ssh-ed25519"}, {"ssh-rsa"}, nil} {
		c := newClient(t, git.Credential{URLPrefix: server.URL(), SSHPrivateKey: server.PrivateKey(t, ""),
			SSHKnownHosts: server.KnownHosts(types...)})
		if _, err := head(t.Context(), c, dev); err != nil {
			t.Errorf("known %v: %v", types, err)
		}
	}
}

func containsOne(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func TestWrongSSHKey(t *testing.T) {
	t.Parallel()
	server := gittest.ServeSSH(t, gittest.NewBare(t))
	c := newClient(t, git.Credential{URLPrefix: server.URL(), SSHPrivateKey: gittest.NewPrivateKey(t), SSHKnownHosts: server.KnownHosts()})
	for _, err := range both(t, c, git.Branch{Repo: server.URL(), Name: "dev"}) {
		wantKind(t, err, remote.KindAuthentication, "refuses the SSH key", "deploy key")
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	for _, bad := range gittest.BadCertificates {
		address, authorities := bad.Serve(t)
		c := newClient(t, git.Credential{URLPrefix: address, Username: user, Password: password, TLS: remote.TLS{CABundle: authorities}})
		for _, err := range both(t, c, git.Branch{Repo: address + "/repo.git", Name: "dev"}) {
			wantKind(t, err, remote.KindTLS, bad.Words)
		}
	}
}

func TestJunkCredentials(t *testing.T) {
	t.Parallel()
	server := gittest.ServeSSH(t, gittest.NewBare(t))
	locked := server.PrivateKey(t, "open-sesame")
	for name, test := range map[string]struct {
		credential git.Credential
		word       string
	}{
		"ca_bundle":      {git.Credential{TLS: remote.TLS{CABundle: "/etc/ssl/ca.pem"}}, "ca_bundle"},
		"key":            {git.Credential{SSHPrivateKey: "-----BEGIN junk"}, "ssh_private_key"},
		"no passphrase":  {git.Credential{SSHPrivateKey: locked}, "Set ssh_private_key_password"},
		"bad passphrase": {git.Credential{SSHPrivateKey: locked, SSHPrivateKeyPassword: "wrong-secret"}, "cannot be decrypted"},
		"known_hosts":    {git.Credential{SSHKnownHosts: "host key"}, "ssh_known_hosts"},
	} {
		test.credential.URLPrefix = "https://git.example.com/"
		_, err := git.NewClient(git.Options{Credentials: []git.Credential{test.credential}})
		if err == nil || !strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), "https://git.example.com/") {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "wrong-secret") || strings.Contains(err.Error(), "BEGIN junk")) {
			t.Errorf("%s: the error holds a secret: %v", name, err)
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	_, err := head(t.Context(), newClient(t), git.Branch{Repo: closed.URL + "/repo.git", Name: "dev"})
	wantKind(t, err, remote.KindNetwork, "cannot be reached", "proxy")
	cuts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("001e# service=git-upload-pack\n000000ff1111"))
	}))
	t.Cleanup(cuts.Close)
	_, err = head(t.Context(), newClient(t), git.Branch{Repo: cuts.URL + "/repo.git", Name: "dev"})
	wantKind(t, err, remote.KindNetwork, "connection before its answer", "Try again")
}

// A server that takes the connection and then says nothing does not hold us
// longer than the operation may take.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	server := gittest.ServeSSH(t, gittest.NewBare(t))
	c := newClient(t, git.Credential{SSHPrivateKey: server.PrivateKey(t, ""), SSHKnownHosts: server.KnownHosts()})
	for _, scheme := range []string{"ssh", "http"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := head(ctx, c, git.Branch{Repo: scheme + "://" + listener.Addr().String() + "/repo.git", Name: "dev"})
		cancel()
		wantKind(t, err, remote.KindTimeout, "timeouts")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: the cause is lost: %v", scheme, errors.Unwrap(err))
		}
	}
}

// A branch that somebody else moves all the time ends the operation with its time.
func TestRaceUntilTimeIsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var races atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, repo gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-receive-pack") {
			n := races.Add(1)
			repo.CommitFiles(t, "dev", map[string][]byte{"other": []byte(strings.Repeat("x", int(n)))}, "race")
			if n == 3 {
				cancel()
			}
		}
		return false
	})
	err := write(ctx, r.client(t), r.branch("dev"), "drone", drone(t, "one"))
	wantKind(t, err, remote.KindTimeout)
}
