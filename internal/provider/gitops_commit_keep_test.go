// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keptFleet is a plain fleet on large and small with the further workload app, which has the
// given labels or fails without them.
func keptFleet(family, app, schema string) string {
	workload := kalypsoObject("Workload", "app", "workspace: web-team"+app, "{deploymentTargets: [{name: live, environment: dev}], "+
		"configSchemas: ['"+schema+"']}")
	return strings.Replace(plainFleet(family, "large small", "dev"), "EOT\n  ]", "---\n"+workload+"EOT\n  ]", 1)
}

// keptCommit keeps what is broken.
func keptCommit(attributes string) string {
	return plainCommit("dev", "dev", "dev", "on_error = \"keep\"\n  "+attributes)
}

// An application that breaks stays as it is while everything else is written. Each plan and each
// apply says so, and a plan without another change has no change, until it is fixed.
func TestAccCLI_keep(t *testing.T) {
	t.Parallel()
	for _, attributes := range []string{"", `detail = "cluster_type"`} {
		t.Run(attributes, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newPlainWorkspace(t, r)
			commit := keptCommit(attributes)
			w.mustRun(t, w.written(t, keptFleet("blue", ", family: blue", "{}")+commit, applying...)...)
			before := r.repo.Files(t, "dev")

			broken := keptFleet("green", "", `{}`) + commit
			warning := []string{"Packages cannot be rendered", "These packages stay as they are: packages large/app-live, small/app-live",
				"the deployment target has no label family", "Deployment target: manifests[0]"}
			w.fails(t, w.written(t, strings.Replace(broken, `"keep"`, `"fail"`, 1), "plan"), "Template failed")
			w.succeeds(t, w.written(t, broken, applying...), warning...)
			after := r.repo.Files(t, "dev")
			for path, text := range before {
				sound := !strings.HasSuffix(path, "web-live-dev/reconciler.yaml") || strings.Contains(after[path], "family: green")
				if kept := strings.Contains(path, "/app-live/"); kept && after[path] != text || !sound {
					t.Errorf("%s holds %s", path, after[path])
				}
			}
			for range 2 {
				w.succeeds(t, []string{"plan", "-detailed-exitcode"}, append(warning, "No changes")...)
			}
			w.succeeds(t, w.written(t, broken+"output \"kept\" { value = kalypso_gitops_commit.dev.kept }", applying...), "large/app-live")

			// Drift of what is kept stays.
			r.repo.CommitFiles(t, "dev", map[string][]byte{"large/app-live/namespace.yaml": []byte("edited")}, "by hand")
			w.succeeds(t, w.written(t, broken, applying...), warning...)
			if text := r.repo.Files(t, "dev")["large/app-live/namespace.yaml"]; text != "edited" {
				t.Errorf("the kept package was repaired: %s", text)
			}
			w.succeeds(t, []string{"plan", "-detailed-exitcode"}, "No changes")

			w.mustRun(t, w.written(t, keptFleet("green", ", family: blue", "{}")+commit, applying...)...)
			if diff := cmp.Diff(before["large/app-live/namespace.yaml"], r.repo.Files(t, "dev")["large/app-live/namespace.yaml"]); diff != "" {
				t.Errorf("the fixed package: %s", diff)
			}
			w.settled(t)
		})
	}
}

// A package that is new and broken is left out.
func TestAccCLI_keepNew(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)
	new := keptFleet("blue", ", family: blue", `{"required": ["MISSING"]}`)
	w.mustRun(t, w.written(t, new+keptCommit(""), "plan", "-out=saved")...)
	w.succeeds(t, []string{"apply", "saved"}, "Left out, because the state does not have them: packages large/app-live, small/app-live",
		"missing property 'MISSING'", "config schema 1 of Workload/app")
	expectFiles(t, r, "dev", "large/README.md", "large/web-live-dev/namespace.yaml", "large/web-live-dev/platform-config.yaml",
		"large/web-live-dev/reconciler.yaml", "small/README.md", "small/web-live-dev/namespace.yaml",
		"small/web-live-dev/platform-config.yaml", "small/web-live-dev/reconciler.yaml")
	w.succeeds(t, []string{"plan", "-detailed-exitcode"}, "No changes", "Left out")
	w.fails(t, w.written(t, strings.Replace(new+keptCommit(""), `"keep"`, `"ignore"`, 1), "plan"), "on_error")
}

// A pull request proposes everything else.
func TestAccCLI_keepInRequest(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	w := newPlainWorkspace(t, h.gitServer)
	config := func(family, app string) string {
		return keptFleet(family, app, "{}") + keptCommit("create_branch_from = \"prod\"\n  pull_request {}")
	}
	w.mustRun(t, w.written(t, config("blue", ", family: blue"), applying...)...)
	h.server.Merge(t, h.only(t).Number, "squash")
	w.succeeds(t, w.written(t, config("green", ""), applying...), "These packages stay as they are")
	w.succeeds(t, []string{"plan", "-detailed-exitcode"}, "No changes", "These packages stay as they are")
	files := h.repo.Files(t, h.only(t).Head)
	if text := files["large/app-live/reconciler.yaml"]; !strings.Contains(text, "family: blue") ||
		!strings.Contains(files["large/web-live-dev/reconciler.yaml"], "family: green") {
		t.Errorf("the request proposes %v", files)
	}
	h.server.Merge(t, h.only(t).Number, "squash")
	w.succeeds(t, applying, "These packages stay as they are")
	w.succeeds(t, []string{"plan", "-detailed-exitcode"}, "No changes")
}
