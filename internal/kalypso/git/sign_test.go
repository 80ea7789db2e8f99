// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A day on which all keys of testdata are valid, and a day on which one is expired.
var (
	inMarch = time.Date(2020, time.March, 1, 12, 0, 0, 0, time.UTC)
	inJuly  = time.Date(2020, time.July, 1, 12, 0, 0, 0, time.UTC)
)

// signing is a client whose commits are signed, at one time.
func (r origin) signing(t testing.TB, key gittest.SigningKey, now time.Time) *git.Client {
	t.Helper()
	signing, err := git.NewSigningKey(key.Private, key.Password, inMarch)
	if err != nil {
		t.Fatal(err)
	}
	return r.signingWith(t, signing, now)
}

func (r origin) signingWith(t testing.TB, key *git.SigningKey, now time.Time) *git.Client {
	t.Helper()
	c, err := git.NewClient(git.Options{Credentials: []git.Credential{r.credential}, Trust: ofThisMachine, Signing: key,
		Author: author, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Git verifies the first commit of an empty repository, a commit on it, and that of a request.
func TestSignedCommits(t *testing.T) {
	t.Parallel()
	keys := map[string]func(t *testing.T) gittest.SigningKey{
		"ssh-ed25519": func(t *testing.T) gittest.SigningKey { return gittest.NewSSHSigningKey(t, "ed25519", "") },
		"ssh-rsa":     func(t *testing.T) gittest.SigningKey { return gittest.NewSSHSigningKey(t, "rsa", "") },
		"ssh-ecdsa":   func(t *testing.T) gittest.SigningKey { return gittest.NewSSHSigningKey(t, "ecdsa", "open-sesame") },
	}
	for _, name := range []string{"encrypted", "rsa", "subkey"} {
		keys["openpgp-"+name] = func(t *testing.T) gittest.SigningKey { return gittest.OpenPGPKey(t, name) }
	}
	for name, key := range keys {
		for _, transport := range []string{"file", "http"} {
			t.Run(name+", "+transport, func(t *testing.T) {
				t.Parallel()
				r, key := transports[transport](t), key(t)
				client, branch := r.signing(t, key, inMarch), r.branch("dev")
				first := apply(t, client, branch, "first\n\nwith a body\n", edits{"a": file("1")})
				second := apply(t, client, branch, "second", edits{"a": file("2")})
				proposed, err := client.Propose(t.Context(), branch, proposal(t, "one"))
				if err != nil {
					t.Fatal(err)
				}
				r.disk.Fsck(t)
				r.disk.VerifyCommits(t, key, first.String(), second.String(), proposed.Commit.String())
			})
		}
	}
}

// A commit that has lost a race is signed again, as the commit that it is then.
func TestSignedAfterALostRace(t *testing.T) {
	t.Parallel()
	var raced atomic.Bool
	var repo gittest.Repository
	r := diskRemote(t, gittest.WithHook(func(_ http.ResponseWriter, request *http.Request) bool {
		if strings.HasSuffix(request.URL.Path, "/git-receive-pack") && !raced.Swap(true) {
			repo.CommitFiles(t, "dev", map[string][]byte{"theirs": nil, "file": []byte("theirs")}, "theirs")
		}
		return false
	}))
	repo = r.repo
	key := gittest.NewSSHSigningKey(t, "ed25519", "")
	written := apply(t, r.signing(t, key, inMarch), r.branch("dev"), "ours", edits{"a": file("1")})
	if log := repo.Log(t, "dev"); !slices.Equal(log, []string{"ours", "theirs"}) {
		t.Errorf("log %q", log)
	}
	r.disk.VerifyCommits(t, key, written.String())
}

// Many goroutines sign with one key.
func TestSignedByMany(t *testing.T) {
	t.Parallel()
	r, key := fileRemote(t), gittest.OpenPGPKey(t, "rsa")
	client := r.signing(t, key, inMarch)
	commits := make([]string, 4)
	var all sync.WaitGroup
	for i := range commits {
		all.Go(func() {
			commits[i] = apply(t, client, r.branch(fmt.Sprintf("dev-%d", i)), "many", edits{"a": file("1")}).String()
		})
	}
	all.Wait()
	r.disk.VerifyCommits(t, key, commits...)
}

// A commit is signed at its own time. Nothing is written with a key that expires during a run.
func TestSigningKeyExpires(t *testing.T) {
	t.Parallel()
	r, key := memoryRemote(t), gittest.OpenPGPKey(t, "expired")
	apply(t, r.signing(t, key, inMarch), r.branch("early"), "early", edits{"a": file("1")})
	_, err := r.signing(t, key, inJuly).Apply(t.Context(), r.branch("dev"), job("late", edits{"a": file("1")}))
	if err == nil || !strings.Contains(err.Error(), "commit cannot be signed. Plan again") || r.repo.Head(t, "dev") != "" {
		t.Errorf("error %v", err)
	}
}

// Without its key, a client that signs reads, and makes no commit at all.
func TestMissingSigningKey(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	propose(t, r, proposal(t, "one"))
	heads := r.repo.Branches(t)
	c, dev := r.signingWith(t, new(git.SigningKey), inMarch), r.branch("dev")
	errs := map[string]error{}
	_, errs["a commit"] = c.Apply(t.Context(), dev, job("ours", edits{"a": file("1")}))
	_, errs["a new branch"] = c.Apply(t.Context(), r.branch("new"), job("ours", edits{"a": file("1")}))
	_, errs["a request"] = c.Propose(t.Context(), dev, proposal(t, "two"))
	for name, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "commit_signing.key or KALYPSO_SIGNING_KEY") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := r.repo.Branches(t); !maps.Equal(now, heads) {
		t.Errorf("branches %v, before %v", now, heads)
	}
	if same := apply(t, c, dev, "nothing", edits{"a": gone(tree.ModeFile)}); !same.IsZero() {
		t.Errorf("there was nothing to commit, but %+v", same)
	}
}

func TestNewSigningKey(t *testing.T) {
	t.Parallel()
	openPGP := func(name string) string { return gittest.OpenPGPKey(t, name).Private }
	sshKey, locked := gittest.NewSSHSigningKey(t, "ed25519", ""), gittest.NewSSHSigningKey(t, "ed25519", "open-sesame")
	const (
		notSSH     = "commit_signing.key (KALYPSO_SIGNING_KEY) is not a valid"
		notOpenPGP = "commit_signing.key (KALYPSO_SIGNING_KEY) is not one valid"
		encrypted  = "commit_signing.key (KALYPSO_SIGNING_KEY) is encrypted. Set commit_signing.key_password, or KALYPSO_SIGNING_KEY_PASSWORD"
		wrong      = "commit_signing.key (KALYPSO_SIGNING_KEY) cannot be decrypted with commit_signing.key_password"
	)
	for name, test := range map[string]struct {
		key, password string
		err           string
	}{
		"ssh":                        {key: sshKey.Private},
		"ssh, encrypted":             {key: locked.Private, password: locked.Password},
		"ssh, without its password":  {key: locked.Private, err: encrypted},
		"ssh, wrong password":        {key: locked.Private, password: "close-sesame", err: wrong},
		"ssh, public":                {key: sshKey.Public, err: notSSH},
		"a file's name":              {key: "~/.ssh/id_ed25519", err: notSSH},
		"cut":                        {key: sshKey.Private[:100], err: notSSH},
		"openpgp":                    {key: openPGP("rsa"), password: "not needed"},
		"subkey":                     {key: openPGP("subkey")},
		"openpgp, encrypted":         {key: openPGP("encrypted"), password: "open-sesame"},
		"openpgp, without password":  {key: openPGP("encrypted"), err: encrypted},
		"openpgp, wrong password":    {key: openPGP("encrypted"), password: "close-sesame", err: wrong},
		"openpgp, public":            {key: gittest.OpenPGPKey(t, "rsa").Public, err: notOpenPGP},
		"openpgp, cut":               {key: openPGP("rsa")[:300], err: notOpenPGP},
		"openpgp, expired":           {key: openPGP("expired"), err: "secret key for signing"},
		"openpgp, revoked":           {key: openPGP("revoked"), err: "secret key for signing"},
		"openpgp, no key that signs": {key: openPGP("certify"), err: "secret key for signing"},
		"openpgp, only a stub":       {key: openPGP("stub"), err: "secret key for signing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := git.NewSigningKey(test.key, test.password, inJuly)
			if err == nil && test.err == "" {
				return
			}
			if err == nil || test.err == "" || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v", err)
			}
			for line := range strings.Lines(test.key + "\n" + test.password) {
				if line = strings.TrimSpace(line); len(line) > 8 && strings.Contains(err.Error(), line) {
					t.Errorf("the error has %q", line)
				}
			}
		})
	}
}
