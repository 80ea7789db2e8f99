// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"golang.org/x/crypto/ssh"
)

// SigningKey is a key that signs commits.
type SigningKey struct {
	// Private is the key as users pass it; Password decrypts it.
	Private, Password string
	// Public is the armored OpenPGP key, or the line of an SSH key.
	Public string
}

//go:embed testdata/signing/*.asc
var openPGPKeys embed.FS

// OpenPGPKey returns a key that testdata/signing/generate has made with GnuPG.
func OpenPGPKey(t testing.TB, name string) SigningKey {
	t.Helper()
	text, err := openPGPKeys.ReadFile("testdata/signing/" + name + ".asc")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := openpgp.ReadArmoredKeyRing(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var public strings.Builder
	w, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys[0].Serialize(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	key := SigningKey{Private: string(text), Public: public.String()}
	if name == "encrypted" {
		key.Password = "open-sesame"
	}
	return key
}

// NewSSHSigningKey makes an SSH key of a type ("ed25519", "rsa", "ecdsa"), encrypted if a
// password is given.
func NewSSHSigningKey(t testing.TB, kind, password string) SigningKey {
	t.Helper()
	var private crypto.Signer
	var err error
	switch kind {
	case "rsa":
		private, err = rsaHostKey()
	case "ecdsa":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		private = newEd25519(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	return SigningKey{Private: encodeKey(t, private, password), Password: password,
		Public: string(ssh.MarshalAuthorizedKey(signer(t, private).PublicKey()))}
}

// AddCommit adds a commit of another repository, for VerifyCommits: without its tree and its
// parents. It returns the commit's id.
func (r *Repo) AddCommit(t testing.TB, content []byte) string {
	t.Helper()
	return strings.TrimSpace(run(t, bytes.NewBuffer(content), "--git-dir", r.path, "hash-object", "-t", "commit", "-w", "--stdin"))
}

// VerifyCommits fails the test if git does not verify the signatures of these commits with the
// key. For OpenPGP, git needs GnuPG: without it, the test is skipped.
func (r *Repo) VerifyCommits(t testing.TB, key SigningKey, commits ...string) {
	t.Helper()
	if len(commits) == 0 {
		t.Error("there is no commit to verify")
	}
	home := t.TempDir()
	file := filepath.Join(home, "public")
	public := key.Public
	if strings.HasPrefix(public, "ssh") || strings.HasPrefix(public, "ecdsa") {
		public = `* namespaces="git" ` + public
	}
	if err := os.WriteFile(file, []byte(public), 0o600); err != nil {
		t.Fatal(err)
	}
	if public == key.Public {
		importKey(t, home, file)
	}
	cmd := Command(t.Context(), append([]string{"--git-dir", r.path, "-c", "gpg.ssh.allowedSignersFile=" + file, "verify-commit", "--verbose"},
		commits...)...)
	cmd.Env = append(cmd.Env, "GNUPGHOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("git verify-commit: %v\n%s", err, out)
	}
}

// importKey puts a public key into a new home of GnuPG.
func importKey(t testing.TB, home, file string) {
	t.Helper()
	if _, err := exec.LookPath("gpg"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs gpg: git verifies OpenPGP signatures with it")
	}
	cmd := exec.CommandContext(t.Context(), "gpg", "--batch", "--quiet", "--no-autostart", "--import", file)
	cmd.Env = append(Env(), "GNUPGHOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("gpg --import: %w\n%s", err, out))
	}
}
