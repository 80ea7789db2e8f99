// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAccCLI_forgeSecretsAreNotShown looks for the key and the tokens of a GitHub App in everything that a
// user may see.
func TestAccCLI_forgeSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	app := h.server.InstallApp(t, time.Hour)
	attributes := fmt.Sprintf("app {\n id = %d\n private_key = %q\n }", app.ID, app.PrivateKey)
	shown := newBuiltWorkspace(t, strings.Replace(h.proposing("blue", ""), h.provider, h.authenticated(attributes), 1)).applyTraced(t)
	expectLogged(t, shown["log"], "forge", "answered", "proposed")
	for what, text := range shown {
		if strings.Contains(text, "ghs_0000") || strings.Contains(text, "PRIVATE KEY") {
			t.Errorf("the %s holds a secret", what)
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

// applyTraced applies with all logs on, and returns everything that a user may
// see: output, state and log.
func (w workspace) applyTraced(t testing.TB) map[string]string {
	t.Helper()
	logged := filepath.Join(w.dir, "trace.log")
	command := w.command("apply", "-auto-approve", "-no-color")
	command.Env = append(command.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+logged)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return map[string]string{"output": string(out), "state": readFile(t, filepath.Join(w.dir, "terraform.tfstate")),
		"log": readFile(t, logged)}
}

// expectLogged expects lines of a subsystem with each of these messages in a log. The lines show
// that a test of the log looks at the work of the provider.
func expectLogged(t testing.TB, log, subsystem string, messages ...string) {
	t.Helper()
	for _, message := range messages {
		line := regexp.MustCompile(`terraform-provider-kalypso: ` + message + `: .*@module=kalypso\.` + subsystem + `\b`)
		if !line.MatchString(log) {
			t.Errorf("the subsystem %s has not logged %q", subsystem, message)
		}
	}
}
