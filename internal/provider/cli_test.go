// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// workspace is a folder with a configuration, and a CLI that finds the provider
// as it is built from this source: for what happens between plan and apply.
type workspace struct {
	dir, cliConfig string
}

// builtProvider builds the provider once, as users run it, and gives its folder.
var builtProvider = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(binaries, "provider")
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-kalypso"), "github.com/kalypso-gitops/terraform-provider-kalypso")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// acceptance skips a test where acceptance tests are not asked for, as
// resource.Test does: for tests without it, or with much to do before it.
func acceptance(t testing.TB) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skipf("acceptance tests run where %s=1 is set; make testacc sets it", resource.EnvTfAcc)
	}
}

// newWorkspace makes a workspace; the manifests become files of its folder fleet.
func newWorkspace(t testing.TB, config string, manifests []string) workspace {
	t.Helper()
	acceptance(t)
	provider, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	w := workspace{dir: t.TempDir()}
	w.cliConfig = filepath.Join(w.dir, "cli.tfrc")
	w.write(t, "cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kalypso-gitops/kalypso\" = %q\n  }\n  direct {}\n}\n", provider))
	w.write(t, "versions.tf", "terraform {\n  required_providers {\n    kalypso = { source = \"kalypso-gitops/kalypso\" }\n  }\n}\n")
	w.write(t, "main.tf", config)
	for i, text := range manifests {
		w.write(t, fmt.Sprintf("fleet/%05d.yaml", i), text)
	}
	return w
}

func (w workspace) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command is the CLI in the workspace: the one that TF_ACC_TERRAFORM_PATH names,
// or else terraform on PATH, as resource.Test takes it.
func (w workspace) command(args ...string) *exec.Cmd {
	command := exec.Command(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"), args...)
	command.Dir = w.dir
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.cliConfig, "TF_INPUT=0")
	return command
}

// run runs the CLI and gives what it printed and the most memory, in kB, that
// it or the provider took.
func (w workspace) run(args ...string) (output string, peak int64, err error) {
	command := w.command(slices.Insert(slices.Clone(args), 1, "-no-color")...)
	out, err := command.CombinedOutput()
	if command.ProcessState != nil {
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = usage.Maxrss
		}
	}
	return string(out), peak, err
}

func (w workspace) mustRun(t testing.TB, args ...string) (peak int64) {
	t.Helper()
	out, peak, err := w.run(args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return peak
}

// TestAccCLI_conflict changes the branch between plan and apply.
func TestAccCLI_conflict(t *testing.T) {
	t.Parallel()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transport(t)
			w := newWorkspace(t, fleetHCL(r, fleetOptions{}), nil)
			w.mustRun(t, "apply", "-auto-approve")

			// A foreign commit elsewhere is no conflict.
			w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green"}))
			w.mustRun(t, "plan", "-out=saved")
			r.repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "elsewhere")
			w.mustRun(t, "apply", "saved")
			files := r.repo.Files(t, "prod")
			if files["docs/index.md"] != "# Docs\n" || !strings.Contains(files["small/web-live/reconciler.yaml"], "family: green") {
				t.Errorf("one of the two commits is lost: %v", files)
			}

			// One in a folder of ours is: it stops the apply and is named.
			w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "red"}))
			w.mustRun(t, "plan", "-out=saved")
			head := r.repo.CommitFiles(t, "prod", map[string][]byte{"small/web-live/reconciler.yaml": []byte("edited: in between\n")}, "in between")
			out, _, err := w.run("apply", "saved")
			if err == nil || !regexp.MustCompile(`small/web-live`).MatchString(out) {
				t.Errorf("want an error that names small/web-live, got %v:\n%s", err, out)
			}
			if now := r.repo.Head(t, "prod"); now != head {
				t.Errorf("the branch moved from %s to %s", head, now)
			}

			// The next plan shows it, and its apply goes through.
			w.mustRun(t, "apply", "-auto-approve")
			if text := r.repo.Files(t, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: red") {
				t.Errorf("the conflict was not repaired:\n%s", text)
			}
		})
	}
}

// TestAccCLI_twoStates writes from two states into one branch at once.
func TestAccCLI_twoStates(t *testing.T) {
	t.Parallel()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transport(t)
			const rounds = 3
			var writers sync.WaitGroup
			for _, path := range []string{"one", "two"} {
				w := newWorkspace(t, "", nil)
				writers.Go(func() {
					for round := range rounds {
						w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: fmt.Sprintf("round-%d", round), commit: fmt.Sprintf("path = %q", path)}))
						if out, _, err := w.run("apply", "-auto-approve"); err != nil {
							t.Errorf("%v\n%s", err, out)
						}
					}
				})
			}
			writers.Wait()
			if log := r.repo.Log(t, "prod"); len(log) != 2*rounds {
				t.Errorf("want %d commits, got %q", 2*rounds, log)
			}
			files := r.repo.Files(t, "prod")
			for _, path := range []string{"one", "two"} {
				if text := files[path+"/small/web-live/reconciler.yaml"]; !strings.Contains(text, fmt.Sprintf("family: round-%d", rounds-1)) {
					t.Errorf("%s does not hold its last round:\n%s", path, text)
				}
			}
		})
	}
}

// TestAccCLI_nothingSecretIsShown looks for the password in everything that a
// user may see: output, plan, state and log.
func TestAccCLI_nothingSecretIsShown(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{}), nil)
	const password = "s3cr3t-password"
	shown := w.applyTraced(t)
	if log := shown["log"]; !strings.Contains(log, "fetched objects") && !strings.Contains(log, "pushed") {
		t.Error("the provider has not logged its work, so the test proves nothing")
	}
	for what, text := range shown {
		if strings.Contains(text, password) {
			t.Errorf("the %s holds the password", what)
		}
	}
}

// applyTraced applies with all logs on, and gives everything that a user may
// see: output, state and log.
func (w workspace) applyTraced(t *testing.T) map[string]string {
	t.Helper()
	logged := filepath.Join(w.dir, "trace.log")
	command := w.command("apply", "-auto-approve", "-no-color")
	command.Env = append(command.Env, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+logged)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return map[string]string{"output": string(out), "state": readFile(t, filepath.Join(w.dir, "terraform.tfstate")), "log": readFile(t, logged)}
}
