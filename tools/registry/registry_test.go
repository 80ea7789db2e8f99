// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package registry tests the files of a release: Terraform and OpenTofu install the provider
// from a registry that serves these files, and apply the quick start.
package registry

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

const provider = "/v1/providers/kalypso-gitops/kalypso/"

// release has the content of each file of a release, by name.
type release map[string][]byte

// newRelease reads the files of a snapshot for this platform.
func newRelease(t *testing.T) release {
	t.Helper()
	dist := os.Getenv("KALYPSO_DIST")
	if dist == "" {
		t.Skip("make test-release makes a release and runs this test")
	}
	r := release{}
	for _, pattern := range []string{"*.zip", "*_SHA256SUMS", "*.sig", "key.asc"} {
		files, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file %s in %s: %v", pattern, dist, err)
		}
		for _, file := range files {
			if r[filepath.Base(file)], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

// name returns the name of the file with this end.
func (r release) name(end string) string {
	for name := range r {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	return ""
}

// archive is the name of the archive for this platform.
func (r release) archive() string { return r.name("_" + runtime.GOOS + "_" + runtime.GOARCH + ".zip") }

func (r release) version() string {
	return strings.Split(r.archive(), "_")[1]
}

// ServeHTTP answers as a registry does, and serves the files below /files/.
func (r release) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	platform := map[string]string{"os": runtime.GOOS, "arch": runtime.GOARCH}
	answer := func(value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
	file, isFile := strings.CutPrefix(request.URL.Path, "/files/")
	switch {
	case isFile && r[file] != nil:
		_, _ = w.Write(r[file])
	case request.URL.Path == provider+"versions":
		version := map[string]any{"version": r.version(), "protocols": []string{"6.0"}, "platforms": []any{platform}}
		answer(map[string]any{"versions": []any{version}})
	case request.URL.Path == provider+r.version()+"/download/"+runtime.GOOS+"/"+runtime.GOARCH:
		files := "https://" + request.Host + "/files/"
		answer(map[string]any{
			"protocols": []string{"6.0"}, "os": runtime.GOOS, "arch": runtime.GOARCH, "filename": r.archive(), "shasum": r.shasum(),
			"download_url": files + r.archive(), "shasums_url": files + r.name("_SHA256SUMS"), "shasums_signature_url": files + r.name(".sig"),
			"signing_keys": map[string]any{"gpg_public_keys": []any{map[string]string{"key_id": "0", "ascii_armor": string(r["key.asc"])}}},
		})
	default:
		http.NotFound(w, request)
	}
}

// shasum is the checksum of the archive in the file of checksums.
func (r release) shasum() string {
	for line := range strings.Lines(string(r[r.name("_SHA256SUMS")])) {
		if sum, name, _ := strings.Cut(strings.TrimSpace(line), "  "); name == r.archive() {
			return sum
		}
	}
	return ""
}

// TestFiles checks what the registries expect of a release: one program in each archive, and a file
// of checksums that lists the archives and the manifest, and no other file.
func TestFiles(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	sums := r.name("_SHA256SUMS")
	prefix := strings.TrimSuffix(sums, "SHA256SUMS")
	manifest, err := os.ReadFile("../../terraform-registry-manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x  %smanifest.json\n", sha256.Sum256(manifest), prefix)
	for _, name := range slices.Sorted(maps.Keys(r)) {
		platform, isArchive := strings.CutSuffix(strings.TrimPrefix(name, prefix), ".zip")
		if !isArchive {
			continue
		}
		want = fmt.Sprintf("%x  %s\n", sha256.Sum256(r[name]), name) + want
		program := "terraform-provider-kalypso_v" + r.version()
		if strings.HasPrefix(platform, "windows_") {
			program += ".exe"
		}
		archive, err := zip.NewReader(bytes.NewReader(r[name]), int64(len(r[name])))
		if err != nil || len(archive.File) != 3 || archive.File[0].Name != "LICENSE" || archive.File[1].Name != "THIRD_PARTY_NOTICES.txt" ||
			archive.File[1].UncompressedSize64 < 100_000 || archive.File[2].Name != program || archive.File[2].Mode() != 0o755 {
			t.Errorf("%s does not have LICENSE, THIRD_PARTY_NOTICES.txt and %s: %v", name, program, err)
		}
	}
	lines := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	if got := string(r[sums]); !slices.Equal(lines(got), lines(want)) {
		t.Errorf("%s:\n%s\nwant\n%s", sums, got, want)
	}
}

// anotherKey is the public key of somebody else.
func anotherKey(t *testing.T) []byte {
	t.Helper()
	var public strings.Builder
	key, err := openpgp.NewEntity("Somebody else", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Serialize(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(public.String())
}

// workspace is a copy of the quick start, with a repository. The CLI takes providers only from
// the registry.
type workspace struct {
	cli, dir string
	env      []string
}

func newWorkspace(t *testing.T, cli string, r release) workspace {
	t.Helper()
	w := workspace{cli: cli, dir: filepath.Join(t.TempDir(), "quickstart")}
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	config, roots := filepath.Join(t.TempDir(), "cli.rc"), filepath.Join(t.TempDir(), "roots.pem")
	rc := "provider_installation {\n  direct {}\n}\n"
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		rc += fmt.Sprintf("host %q {\n  services = { \"providers.v1\" = %q }\n}\n", host, server.URL+"/v1/providers/")
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{config: []byte(rc), roots: certificate} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(w.dir, os.DirFS("../../examples/quickstart")); err != nil {
		t.Fatal(err)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "KALYPSO_") {
			w.env = append(w.env, variable)
		}
	}
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+config, "SSL_CERT_FILE="+roots, "TF_INPUT=0", "CHECKPOINT_DISABLE=1",
		"TF_VAR_gitops_repo=file://"+w.dir+"/gitops.git")
	return w
}

func (w workspace) run(program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Dir, command.Env = w.dir, w.env
	out, err := command.CombinedOutput()
	return strings.Join(strings.Fields(strings.ReplaceAll(string(out), "│", "")), " "), err
}

func TestInstall(t *testing.T) {
	t.Parallel()
	released := newRelease(t)
	changed := func(name string, content []byte) release {
		r := release{}
		for file := range released {
			r[file] = released[file]
		}
		r[name] = content
		return r
	}
	sums := released.name("_SHA256SUMS")
	for name, test := range map[string]struct {
		release release
		fails   string // words of the error; empty if the installation succeeds
	}{
		"as released":       {released, ""},
		"changed archive":   {changed(released.archive(), append(slices.Clone(released[released.archive()]), 0)), "checksum"},
		"changed checksums": {changed(sums, append(slices.Clone(released[sums]), '\n')), "signature"},
		"another key":       {changed("key.asc", anotherKey(t)), "signature"},
	} {
		for _, cli := range slices.Compact(filepath.SplitList(os.Getenv("KALYPSO_CLIS"))) {
			t.Run(filepath.Base(cli)+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorkspace(t, cli, test.release)
				out, err := w.run(cli, "init", "-no-color")
				if test.fails != "" {
					if err == nil || !strings.Contains(out, test.fails) {
						t.Errorf("want an error about the %s, got %v\n%s", test.fails, err, out)
					}
					return
				}
				if err != nil || !strings.Contains(out, "key ID") {
					t.Fatalf("%v\n%s", err, out)
				}
				for _, command := range [][]string{{"git", "init", "--quiet", "--bare", "gitops.git"}, {cli, "apply", "-auto-approve", "-no-color"},
					{cli, "plan", "-detailed-exitcode", "-no-color"}, {"git", "--git-dir=gitops.git", "rev-parse", "refs/heads/dev"}} {
					if out, err := w.run(command[0], command[1:]...); err != nil {
						t.Fatalf("%v: %v\n%s", command, err, out)
					}
				}
			})
		}
	}
}
