// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who may only read can plan everything: a creation, which warns that it cannot be
// applied, an update, a move and a destroy.
func TestAccCLI_readOnlyPlan(t *testing.T) {
	t.Parallel()
	r := newHTTP(t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	writer := newPlainWorkspace(t, r.gitServer)
	reader := r.gitServer
	reader.provider = r.reading()
	blue := plainFleet("blue", "large small", "prod") + plainCommit("prod", "prod", "prod", "")
	plans := func(w workspace, args []string, words ...string) {
		t.Helper()
		before := len(r.Log())
		w.write(t, "server.tf", fmt.Sprintf("%s\nlocals {\n  repo = %q\n}\n", reader.provider, r.url))
		w.succeeds(t, append([]string{"plan"}, args...), words...)
		if pushes := slices.DeleteFunc(r.Log()[before:], func(request string) bool {
			return !strings.HasPrefix(request,
				"POST /git-receive-pack")
		}); len(pushes) > 0 {
			t.Errorf("the plan pushes: %q", pushes)
		}
	}
	created := newPlainWorkspace(t, reader)
	created.write(t, "main.tf", blue)
	plans(created, nil, "+2 ~0 -0 packages in 2 cluster types", "Plan: 1 to add")
	created.fails(t, applying, "The GitOps repository was")

	writer.write(t, "main.tf", blue)
	writer.mustRun(t, applying...)
	before := everything(t, r)
	plans(created, nil, "Folders exist already", "Plan: 1 to add")
	plans(writer, []string{"-detailed-exitcode"}, "No changes")
	writer.write(t, "main.tf", plainFleet("green", "large", "prod")+plainCommit("prod", "prod", "prod", ""))
	plans(writer, nil, "+0 ~1 -1 packages in 2 cluster types", "Plan: 0 to add, 1 to change")
	writer.write(t, "main.tf", plainFleet("green", "large", "prod")+plainCommit("prod", "prod", "prod", `path = "fleet"`))
	plans(writer, nil, "+1 ~0 -0 packages in 1 cluster type", "Plan: 1 to add, 0 to change, 1 to destroy")
	plans(writer, []string{"-destroy"}, "Destroying releases 2 packages: prod in ", "1 to destroy")
	writer.fails(t, destroying, "The GitOps repository was")
	if diff := cmp.Diff(before, everything(t, r)); diff != "" {
		t.Errorf("a login that may only read has changed this (-want +got):\n%s", diff)
	}
}
