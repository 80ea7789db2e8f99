// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestAccCLI_conflict changes the branch between plan and apply.
func TestAccCLI_conflict(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{}))
	w.mustRun(t, "apply", "-auto-approve")

	// A foreign commit elsewhere does not cause a conflict.
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

	// The next plan shows the change, and its apply succeeds.
	w.mustRun(t, "apply", "-auto-approve")
	if text := r.repo.Files(t, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: red") {
		t.Errorf("the conflict was not repaired:\n%s", text)
	}
}

// TestAccCLI_twoStates writes from two states to one branch at the same time.
func TestAccCLI_twoStates(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	const rounds = 2
	var writers sync.WaitGroup
	for _, path := range []string{"one", "two"} {
		w := newWorkspace(t, "")
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
}

// TestAccCLI_nothingSecretIsShown looks for the password in everything that a
// user may see: output, plan, state and log.
func TestAccCLI_nothingSecretIsShown(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newBuiltWorkspace(t, fleetHCL(r, fleetOptions{}))
	const password = "s3cr3t-password"
	shown := w.applyTraced(t)
	expectLogged(t, shown["log"], "git", "listed references", "pushed")
	expectLogged(t, shown["log"], "engine", "computed", "planned")
	for what, text := range shown {
		if strings.Contains(text, password) {
			t.Errorf("the %s holds the password", what)
		}
	}
}
