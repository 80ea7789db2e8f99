// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
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
				proposed, err := client.Propose(t.Context(), branch, draft(t, "one"))
				if err != nil {
					t.Fatal(err)
				}
				r.disk.Fsck(t)
				r.disk.VerifyCommits(t, key, first.Commit.String(), second.Commit.String(), proposed.Commit.String())
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
	r.disk.VerifyCommits(t, key, written.Commit.String())
}

// An apply that was killed after its push is completed: its commit is ours although its time
// and its signature differ. A commit is not ours if only one of the two is signed.
func TestProposeSigned(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]gittest.SigningKey{
		"ssh": gittest.NewSSHSigningKey(t, "ecdsa", ""), "openpgp": gittest.OpenPGPKey(t, "encrypted"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
			in := func(c *git.Client) git.Proposed {
				p, err := c.Propose(t.Context(), r.branch("dev"), draft(t, "one"))
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			unsigned := in(newClient(t, r.credential))
			first := in(r.signing(t, key, inMarch))
			again := in(r.signing(t, key, inJuly))
			if first.Branch == unsigned.Branch || again.Branch != first.Branch || again.Commit != first.Commit {
				t.Errorf("unsigned %+v, first %+v, again %+v", unsigned, first, again)
			}
			r.repo.DeleteBranch(t, unsigned.Branch)
			r.repo.Branch(t, unsigned.Branch, first.Commit.String())
			if later := in(newClient(t, r.credential)); later.Number != 3 {
				t.Errorf("the commit of another branch is %+v, and the unsigned one afterwards %+v", first, later)
			}
		})
	}
}

// A commit is ours only if our key has signed exactly this commit: others may push to the branch.
func TestProposeForgedSignature(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][2]gittest.SigningKey{
		"ssh":     {gittest.NewSSHSigningKey(t, "ed25519", ""), gittest.NewSSHSigningKey(t, "ed25519", "")},
		"openpgp": {gittest.OpenPGPKey(t, "rsa"), gittest.OpenPGPKey(t, "subkey")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
			in := func(key gittest.SigningKey, content string) git.Proposed {
				p, err := r.signing(t, key, inMarch).Propose(t.Context(), r.branch("dev"), draft(t, content))
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			memory, _ := r.repo.(*gitmem.Repo)
			first, second := in(keys[0], "one"), in(keys[0], "two")
			ours := contentOf(t, memory, first.Commit)
			signature := gpgsig.FindString(ours)
			forge := func(header string) string {
				return memory.AddObject(t, "commit", []byte(strings.Replace(ours, signature, header, 1)))
			}
			r.repo.DeleteBranch(t, first.Branch)
			for name, forged := range map[string]string{
				"no text":                     forge("gpgsig nobody\n"),
				"no signature":                forge(""),
				"another key":                 in(keys[1], "one").Commit.String(),
				"another commit":              forge(gpgsig.FindString(contentOf(t, memory, second.Commit))),
				"another time":                memory.AddObject(t, "commit", []byte(strings.ReplaceAll(ours, "> 158", "> 157"))),
				"text before the signature":   forge(strings.Replace(signature, " ", " nobody\n ", 1)),
				"text behind the signature":   forge(signature + " nobody\n"),
				"one more signature":          forge(signature + "gpgsig nobody\n"),
				"one more signature before":   forge("gpgsig nobody\n" + signature),
				"another header":              forge("encoding nobody\n" + signature),
				"a signature that is damaged": forge(signature[:100] + signature[102:]),
			} {
				r.repo.DeleteBranch(t, first.Branch)
				r.repo.DeleteBranch(t, "kalypso/dev/1234-3")
				r.repo.Branch(t, first.Branch, forged)
				if p := in(keys[0], "one"); p.Number != 3 || r.repo.Head(t, first.Branch) != forged {
					t.Errorf("%s: %+v", name, p)
				}
			}
			r.repo.Branch(t, first.Branch, first.Commit.String())
			if p := in(keys[0], "one"); p.Number != 1 || p.Commit != first.Commit {
				t.Errorf("our own commit: %+v", p)
			}
		})
	}
}

// gpgsig matches the signature in a commit's header.
var gpgsig = regexp.MustCompile(`(?m)^gpgsig .*\n(?: .*\n)*`)

// contentOf returns the content of a commit.
func contentOf(t *testing.T, r *gitmem.Repo, commit tree.ID) string {
	t.Helper()
	for _, object := range r.Dump(t).Objects {
		if object.Kind == "commit" && plumbing.ComputeHash(plumbing.CommitObject, object.Data) == plumbing.Hash(commit) {
			return string(object.Data)
		}
	}
	t.Fatalf("there is no commit %s", commit)
	return ""
}

// An open branch without signatures gets no more commits: its commits would come into the base
// branch with a merge.
func TestProposeOnUnsignedBranch(t *testing.T) {
	t.Parallel()
	key := gittest.NewSSHSigningKey(t, "ed25519", "")
	eachSession(t, func(t *testing.T, r origin) {
		r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
		unsigned := propose(t, r, draft(t, "one"))
		on := func(open git.Proposed, content string, holds bool) git.Proposed {
			d := onto(draft(t, content), open)
			d.Next, d.Holds = 2, func(git.Change) bool { return holds }
			p, err := r.signing(t, key, inMarch).Propose(t.Context(), r.branch("dev"), d)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		signed, same := on(unsigned, "one", true), on(unsigned, "one", false)
		if signed.Number != 2 || same.Commit != signed.Commit || r.repo.Head(t, unsigned.Branch) != unsigned.Commit.String() {
			t.Errorf("unsigned %+v, signed %+v, again %+v", unsigned, signed, same)
		}
		if log := r.repo.Log(t, signed.Branch); !slices.Equal(log, []string{"propose one", "foreign"}) {
			t.Errorf("log %q", log)
		}
		if held := on(signed, "one", true); held.Commit != signed.Commit {
			t.Errorf("signed %+v, held %+v", signed, held)
		}
		if grown := on(signed, "two", false); grown.Branch != signed.Branch || grown.Commit == signed.Commit {
			t.Errorf("signed %+v, grown %+v", signed, grown)
		}
	})
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
			commits[i] = apply(t, client, r.branch(fmt.Sprintf("dev-%d", i)), "many", edits{"a": file("1")}).Commit.String()
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
	if err == nil || !strings.Contains(err.Error(), "the commit cannot be signed. Plan again") || r.repo.Head(t, "dev") != "" {
		t.Errorf("error %v", err)
	}
}

// Without its key, a client that signs reads, and makes no commit at all.
func TestMissingSigningKey(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	open := propose(t, r, draft(t, "one"))
	heads := r.repo.Branches(t)
	c, dev := r.signingWith(t, new(git.SigningKey), inMarch), r.branch("dev")
	errs := map[string]error{}
	_, errs["a commit"] = c.Apply(t.Context(), dev, job("ours", edits{"a": file("1")}))
	_, errs["a new branch"] = c.Apply(t.Context(), r.branch("new"), job("ours", edits{"a": file("1")}))
	_, errs["a request"] = c.Propose(t.Context(), dev, draft(t, "one"))
	_, errs["an open request"] = c.Propose(t.Context(), dev, onto(draft(t, "two"), open))
	for name, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "Set commit_signing.key or KALYPSO_SIGNING_KEY") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := r.repo.Branches(t); !maps.Equal(now, heads) {
		t.Errorf("branches %v, before %v", now, heads)
	}
	if same := apply(t, c, dev, "nothing", edits{"a": gone(tree.ModeFile)}); !same.Commit.IsZero() || same.Head.String() != heads["dev"] {
		t.Errorf("there was nothing to commit, but %+v", same)
	}
}

func TestNewSigningKey(t *testing.T) {
	t.Parallel()
	openPGP := func(name string) string { return gittest.OpenPGPKey(t, name).Private }
	sshKey, locked := gittest.NewSSHSigningKey(t, "ed25519", ""), gittest.NewSSHSigningKey(t, "ed25519", "open-sesame")
	const (
		notSSH     = "commit_signing.key (KALYPSO_SIGNING_KEY) is not a valid private key. Pass the content"
		notOpenPGP = `commit_signing.key (KALYPSO_SIGNING_KEY) is not one valid OpenPGP private key. Pass the output of "gpg --armor`
		encrypted  = "commit_signing.key (KALYPSO_SIGNING_KEY) is encrypted. Set commit_signing.key_password, or KALYPSO_SIGNING_KEY_PASSWORD"
		wrong      = "commit_signing.key (KALYPSO_SIGNING_KEY) cannot be decrypted with commit_signing.key_password"
	)
	for name, test := range map[string]struct {
		key, password string
		emails        []string
		err           string
	}{
		"ssh":                        {key: sshKey.Private},
		"ssh, encrypted":             {key: locked.Private, password: locked.Password},
		"ssh, without its password":  {key: locked.Private, err: encrypted},
		"ssh, wrong password":        {key: locked.Private, password: "close-sesame", err: wrong},
		"ssh, public":                {key: sshKey.Public, err: notSSH},
		"a file's name":              {key: "~/.ssh/id_ed25519", err: notSSH},
		"cut":                        {key: sshKey.Private[:100], err: notSSH},
		"openpgp":                    {key: openPGP("rsa"), password: "not needed", emails: []string{"robot@example.com", "rsa@example.com"}},
		"subkey":                     {key: openPGP("subkey"), emails: []string{"subkey@example.com"}},
		"openpgp, encrypted":         {key: openPGP("encrypted"), password: "open-sesame", emails: []string{"encrypted@example.com"}},
		"openpgp, without password":  {key: openPGP("encrypted"), err: encrypted},
		"openpgp, wrong password":    {key: openPGP("encrypted"), password: "close-sesame", err: wrong},
		"openpgp, public":            {key: gittest.OpenPGPKey(t, "rsa").Public, err: notOpenPGP},
		"openpgp, cut":               {key: openPGP("rsa")[:300], err: notOpenPGP},
		"openpgp, expired":           {key: openPGP("expired"), err: "in commit_signing.key (KALYPSO_SIGNING_KEY) is expired, or not valid yet"},
		"openpgp, revoked":           {key: openPGP("revoked"), err: "is revoked. Use another key"},
		"openpgp, no key that signs": {key: openPGP("certify"), err: "has no secret key for signing that is valid now"},
		"openpgp, only a stub":       {key: openPGP("stub"), err: "has no secret key for signing that is valid now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := git.NewSigningKey(test.key, test.password, inJuly)
			if err == nil {
				if test.err != "" || !slices.Equal(key.Emails, test.emails) {
					t.Errorf("no error, emails %q", key.Emails)
				}
				return
			}
			if test.err == "" || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %q", err)
			}
			for line := range strings.Lines(test.key + "\n" + test.password) {
				if line = strings.TrimSpace(line); len(line) > 8 && strings.Contains(err.Error(), line) {
					t.Errorf("the error has %q", line)
				}
			}
		})
	}
}
