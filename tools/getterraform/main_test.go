// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

const program = "#!/bin/sh\necho This is Terraform.\n"

// site has the content of each path on a server of releases.
type site map[string][]byte

const (
	folder  = "/terraform/1.11.4/"
	index   = folder + "index.json"
	sums    = folder + "terraform_1.11.4_SHA256SUMS"
	sumsSig = sums + ".sig"
)

var archive = folder + fmt.Sprintf("terraform_1.11.4_%s_%s.zip", runtime.GOOS, runtime.GOARCH)

// newSite makes a release for this machine, signed by the key.
func newSite(t *testing.T, key *openpgp.Entity) site {
	t.Helper()
	s := site{archive: packed(t, program)}
	var err error
	s[index], err = json.Marshal(map[string]any{
		"name": "terraform", "version": "1.11.4",
		"shasums": filepath.Base(sums), "shasums_signature": filepath.Base(sumsSig),
		"builds": []map[string]string{{
			"name": "terraform", "version": "1.11.4", "os": runtime.GOOS, "arch": runtime.GOARCH,
			"filename": filepath.Base(archive), "url": "https://releases.example.com" + archive,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s[sums] = fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(s[archive]), filepath.Base(archive))
	s.sign(t, key)
	return s
}

// sign signs the checksums as they are.
func (s site) sign(t *testing.T, key *openpgp.Entity) {
	t.Helper()
	var signature bytes.Buffer
	if err := openpgp.DetachSign(&signature, key, bytes.NewReader(s[sums]), nil); err != nil {
		t.Fatal(err)
	}
	s[sumsSig] = signature.Bytes()
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, ok := s[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	switch filepath.Ext(r.URL.Path) {
	case ".json":
		w.Header().Set("Content-Type", "application/json")
	case ".zip":
		w.Header().Set("Content-Type", "application/zip")
	}
	_, _ = w.Write(content)
}

// packed is an archive that has Terraform's program, and its licence.
func packed(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{"terraform": content, "LICENSE.txt": "A licence.\n"} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newKey(t *testing.T) *openpgp.Entity {
	t.Helper()
	key, err := openpgp.NewEntity("Releases", "", "releases@example.com", &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func armored(t *testing.T, key *openpgp.Entity) string {
	t.Helper()
	var b strings.Builder
	w, err := armor.Encode(&b, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Serialize(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInstall(t *testing.T) {
	t.Parallel()
	key, other := newKey(t), newKey(t)
	for name, c := range map[string]struct {
		change func(*testing.T, site) // what is wrong with the release
		err    string
	}{
		"good": {change: func(*testing.T, site) {}},
		"another archive": {func(t *testing.T, s site) { s[archive] = packed(t, "something else") }, "its checksum is not the signed " +
			"checksum"},
		"another's signature": {func(t *testing.T, s site) { s.sign(t, other) }, "unable to verify checksums signature"},
		"another archive's sums": {func(_ *testing.T, s site) {
			s[sums] = bytes.Replace(s[sums], []byte("terraform_"), []byte("vault_"), 1)
		}, "unable to verify checksums signature"},
		"no signature":    {func(_ *testing.T, s site) { delete(s, sumsSig) }, "404"},
		"no sums":         {func(_ *testing.T, s site) { delete(s, sums) }, "404"},
		"no archive":      {func(_ *testing.T, s site) { delete(s, archive) }, "404"},
		"no such version": {func(_ *testing.T, s site) { delete(s, index) }, "404 Not Found"},
		"another page":    {func(_ *testing.T, s site) { s[index] = []byte("<html>Log in first</html>") }, "unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			released := newSite(t, key)
			c.change(t, released)
			web := httptest.NewServer(released)
			defer web.Close()

			to := t.TempDir()
			err := server{url: web.URL, key: armored(t, key), patience: time.Minute}.install(t.Context(), "1.11.4", to)
			if c.err == "" {
				holds(t, err, filepath.Join(to, "terraform"))
			} else {
				refused(t, err, c.err, to)
			}
		})
	}
}

// holds fails unless the program was installed, and can be run.
func holds(t *testing.T, err error, file string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(content) != program {
		t.Errorf("%s has %q, want %q", file, content, program)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&0o100 == 0 {
		t.Errorf("%s has mode %v, so it cannot be run", file, info.Mode())
	}
}

// refused fails unless the error says why, and the folder is empty.
func refused(t *testing.T, err error, why, folder string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("the error is %v, want one with %q", err, why)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) > 0 {
		t.Errorf("%v was left in the folder", files)
	}
}

// A release that HashiCorp has not signed is refused without a key of the test's own.
func TestInstallWantsHashiCorpsSignature(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(newSite(t, newKey(t)))
	defer web.Close()
	to := t.TempDir()
	err := server{url: web.URL, patience: time.Minute}.install(t.Context(), "1.11.4", to)
	refused(t, err, "unable to verify checksums signature", to)
}

func TestInstallWithoutAnswer(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct {
		server server
		err    string
	}{
		"silent": {server{url: silent.URL, patience: 10 * time.Millisecond}, "timeout"},
		"gone":   {server{url: gone.URL, patience: time.Minute}, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := t.TempDir()
			refused(t, c.server.install(t.Context(), "1.11.4", to), c.err, to)
		})
	}
}

func TestInstallNoVersion(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	refused(t, server{url: "http://127.0.0.1:0"}.install(t.Context(), "latest", to), "latest", to)
}
