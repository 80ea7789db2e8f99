// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noGo is a go command that downloads and builds nothing: what it makes says its version,
// as Terraform and OpenTofu do.
const noGo = `#!/bin/sh
make() { printf '#!/bin/sh\necho "{\\"terraform_version\\": \\"%s\\"}"\n' "${RELEASE:-1.15.0}" >"$1" && chmod +x "$1"; }
case "$*" in
  "list -m"*) [ -n "$NEWEST" ] && echo "$NEWEST" ;;
  *getterraform*)
    for folder; do :; done
    [ -z "$OFFLINE" ] && make "$folder/terraform"
    ;;
  *"mod download"*) echo "  \"Dir\": \"$MODULE\"," ;;
  *"build -mod=mod"*)
    while [ "$1" != -o ]; do shift; done
    [ -e internal/backend/s3/none.go ] && make "$2"
    ;;
  *opentofu*)
    while [ "$1" != -o ]; do shift; done
    make "$2"
    ;;
  *) exit 1 ;;
esac
`

// scripts/terraform-cli chooses a program by the variable CLI and the installed programs.
func TestTerraformCLI(t *testing.T) {
	t.Parallel()
	const downloaded = "cache/terraform-1.15.0/terraform"
	built := "cache/opentofu-" + pinned(t) + "/tofu"
	const downloads, builds, source = "Downloading Terraform", "Building OpenTofu", "Building Terraform"
	type test struct {
		has     map[string]string // files that there are, with the version that they say
		cli     string
		offline bool
		release string // the version that is downloaded or built; 1.15.0 where it is empty
		newest  string // what the module proxy says; nothing where it is empty
		want    string // the file that is printed; empty if the script fails
		says    []string
	}
	tests := map[string]test{
		"terraform of PATH": {has: map[string]string{"bin/terraform": "1.14.0", "bin/tofu": "1.11.0"}, want: "bin/terraform"},
		"tofu of PATH":      {has: map[string]string{"bin/tofu": "1.11.0"}, want: "bin/tofu"},
		"an old terraform": {has: map[string]string{"bin/terraform": "1.7.5", "bin/tofu": "1.11.0"}, want: "bin/tofu",
			says: []string{"older than 1.8"}},
		"nothing":                {want: downloaded, says: []string{downloads}},
		"nothing, offline":       {offline: true, want: built, says: []string{downloads, builds}},
		"what was downloaded":    {has: map[string]string{downloaded: "1.15.0"}, offline: true, want: downloaded},
		"what was built":         {has: map[string]string{built: "1.11.0"}, want: built},
		"CLI=terraform":          {cli: "terraform", has: map[string]string{"bin/terraform": "1.14.0"}, want: "bin/terraform"},
		"CLI=terraform, nothing": {cli: "terraform", want: downloaded, says: []string{downloads}},
		"CLI=terraform, offline": {cli: "terraform", has: map[string]string{"bin/tofu": "1.11.0"}, offline: true,
			says: []string{downloads}},
		"CLI=tofu": {cli: "tofu", has: map[string]string{"bin/terraform": "1.14.0", "bin/tofu": "1.11.0"},
			want: "bin/tofu"},
		"CLI=tofu, nothing":    {cli: "tofu", want: built, says: []string{builds}},
		"CLI=newest":           {cli: "newest", has: map[string]string{"bin/terraform": "1.16.0"}, want: "bin/terraform"},
		"CLI=newest, an older": {cli: "newest", has: map[string]string{"bin/terraform": "1.11.4"}, want: downloaded, says: []string{downloads}},
		"CLI=newest, downloaded": {cli: "newest", has: map[string]string{"bin/terraform": "1.11.4", downloaded: "1.15.0"}, offline: true,
			want: downloaded},
		"CLI=newest, a newer one": {cli: "newest", has: map[string]string{"bin/terraform": "1.15.3"}, newest: "v1.16.2", release: "1.16.2",
			want: "cache/terraform-1.16.2/terraform", says: []string{downloads}},
		"CLI=newest, the proxy is behind": {cli: "newest", newest: "v1.13.3", want: downloaded, says: []string{downloads}},
		"CLI=newest, only a beta":         {cli: "newest", newest: "v1.17.0-beta1", want: downloaded, says: []string{downloads}},
		"CLI=newest, offline":             {cli: "newest", offline: true, want: downloaded, says: []string{downloads, source}},
		"CLI=source":                      {cli: "source", want: downloaded, says: []string{source}},
		"CLI=download": {cli: "download", has: map[string]string{"bin/terraform": "1.14.0"}, want: downloaded,
			says: []string{downloads}},
		"CLI=download, downloaded":      {cli: "download", has: map[string]string{downloaded: "1.15.0"}, want: downloaded},
		"CLI=download, offline":         {cli: "download", offline: true, says: []string{downloads}},
		"CLI=download, another version": {cli: "download", release: "1.12.0", says: []string{downloads, "or has another version"}},
		"CLI=download, a damaged cache": {cli: "download", has: map[string]string{"cache/terraform-1.15.0/LICENSE.txt": ""},
			want: downloaded, says: []string{downloads}},
		"CLI=build": {cli: "build", has: map[string]string{"bin/terraform": "1.14.0", "bin/tofu": "1.11.0"}, want: built,
			says: []string{builds}},
		"CLI=build, built": {cli: "build", has: map[string]string{built: "1.11.0"}, want: built},
		"CLI=a path":       {cli: "other/tofu", has: map[string]string{"other/tofu": "1.11.0"}, want: "other/tofu"},
		"CLI=a path of an old one": {cli: "other/tofu", has: map[string]string{"other/tofu": "1.7.0"},
			says: []string{"is not Terraform or OpenTofu 1.8 or newer"}},
		"CLI=a path that does not exist": {cli: "other/tofu", says: []string{"is not Terraform or OpenTofu 1.8 or newer"}},
	}
	// No program is written while others start, or Linux would refuse to run it.
	machines := map[string]machine{}
	for name, c := range tests {
		machines[name] = newMachine(t, c.has)
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := machines[name]
			cli := c.cli
			if strings.Contains(cli, "/") {
				cli = filepath.Join(m.root, cli)
			}
			printed, said := m.run(t, cli, c.offline, c.release, c.newest)
			if printed != c.want {
				t.Errorf("it prints %q, want %q; it says %s", printed, c.want, said)
			}
			for _, text := range []string{downloads, builds, source, "older than 1.8", "is not Terraform or OpenTofu", "or has another version"} {
				if got, want := strings.Contains(said, text), strings.Contains(strings.Join(c.says, "\n"), text); got != want {
					t.Errorf("that it says %q is %t, want %t:\n%s", text, got, want, said)
				}
			}
			m.holds(t, c.has, c.want)
		})
	}
}

// holds fails unless the cache has these files and no others: what fails leaves nothing
// there, so the next run tries again.
func (m machine) holds(t *testing.T, had map[string]string, printed string) {
	t.Helper()
	want := map[string]bool{}
	for _, file := range append(slices.Collect(maps.Keys(had)), printed) {
		if strings.HasPrefix(file, "cache/") {
			want[filepath.Base(filepath.Dir(file))] = true
		}
	}
	folders, err := os.ReadDir(filepath.Join(m.root, "cache/terraform-provider-kalypso"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, folder := range folders {
		got[folder.Name()] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("the cache has %v, want %v", got, want)
	}
}

// machine is a folder with all that scripts/terraform-cli can find: programs in bin, which
// is its PATH, and its cache.
type machine struct{ root string }

func newMachine(t *testing.T, has map[string]string) machine {
	t.Helper()
	root := t.TempDir()
	m := machine{root}
	m.program(t, "bin/go", noGo)
	for _, name := range []string{"bash", "sh", "sed", "dirname", "basename", "mkdir", "mktemp", "mv", "cp", "rm", "find", "chmod"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	m.program(t, "module/go.mod", "replace github.com/hashicorp/terraform/internal/backend/s3 => ./internal/backend/s3\n")
	for file, version := range has {
		m.program(t, file, "#!/bin/sh\necho '{\"terraform_version\": \""+version+"\"}'\n")
	}
	return m
}

// pinned returns the version of OpenTofu that tools/tofu pins.
func pinned(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../tofu/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "github.com/opentofu/opentofu v")
	return strings.Fields(rest)[0]
}

// program writes a program that can be run.
func (m machine) program(t *testing.T, file, content string) {
	t.Helper()
	path := filepath.Join(m.root, strings.Replace(file, "cache/", "cache/terraform-provider-kalypso/", 1))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// run returns the file that the script prints, relative to the machine (empty if the script
// fails), and its messages.
func (m machine) run(t *testing.T, cli string, offline bool, release, newest string) (printed, said string) {
	t.Helper()
	var out, errs strings.Builder
	command := exec.CommandContext(t.Context(), "bash", "../../scripts/terraform-cli", cli)
	command.Env = []string{"PATH=" + filepath.Join(m.root, "bin"), "XDG_CACHE_HOME=" + filepath.Join(m.root, "cache"), "RELEASE=" + release,
		"NEWEST=" + newest,
		"MODULE=" + filepath.Join(m.root, "module")}
	if offline {
		command.Env = append(command.Env, "OFFLINE=true")
	}
	command.Stdout, command.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	} else if (err != nil) != (out.Len() == 0) {
		t.Errorf("it ends with %v, and prints %q", err, out.String())
	}
	printed = strings.TrimSpace(strings.TrimPrefix(out.String(), m.root+"/"))
	return strings.Replace(printed, "terraform-provider-kalypso/", "", 1), errs.String()
}
