// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// A resource that gets another name without a moved block leaves its packages to the one
// of that name, also where they change in the same apply: what resources model,
// Terraform changes only after the destroy.
func TestAccCLI_rename(t *testing.T) {
	t.Parallel()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce(t, func(t *testing.T, parallelism string) {
				r := transport(t)
				w := newWorkspace(t, "", nil)
				w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
				said := w.applies(t, called("other", fleetHCL(r, fleetOptions{})), parallelism)
				expectSaid(t, said, "warning", "Folders are taken over", ".kalypso/", "add a moved block")
				expectOwned(t, w, r, "other", "blue")
				w.applies(t, called("third", fleetHCL(r, fleetOptions{family: "green"})), parallelism)
				expectOwned(t, w, r, "third", "green")
				if parallelism == together {
					expectNeverGone(t, r.repo, "prod", fixtureFiles...)
				}
			})
		})
	}
}

// A rename in two applies, as after an interruption, ends right, whichever comes first.
func TestAccCLI_renameInTwoApplies(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		config := promotedHCL(r, promoted, "")
		files := append([]string{trackingPath}, fixtureFiles...)
		w := newWorkspace(t, "", nil)
		w.applies(t, config, parallelism)

		// The new one first: the old one has nothing to remove then, and says so.
		w.applies(t, called("other", config), parallelism, "-target=kalypso_gitops_commit.other")
		said := w.applies(t, called("other", config), parallelism)
		expectSaid(t, said, "warning", "Removes nothing: prod in ", `belong to environment "prod"`)
		expectNeverGone(t, r.repo, "prod", files...)
		w.settled(t)

		// The old one first: what it removed is written again.
		w.applies(t, called("third", config), parallelism, "-target=kalypso_gitops_commit.other")
		expectFiles(t, r, "prod")
		w.applies(t, called("third", config), parallelism)
		expectFiles(t, r, "prod", files...)
		expectOwner(t, r.repo, "prod", w.instance(t, "third"), ".", "large", "small")
		w.settled(t)
	})
}

// A rename to another alias of the provider is one between two processes, which see of
// each other what stands in the branch.
func TestAccCLI_renameToAnotherAlias(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["http"](t)
		r.provider += strings.Replace(r.provider, `provider "kalypso" {`, "provider \"kalypso\" {\nalias = \"other\"\n", 1)
		w := newWorkspace(t, "", nil)
		w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
		w.applies(t, called("other", fleetHCL(r, fleetOptions{commit: "provider = kalypso.other"})), parallelism)
		expectOwned(t, w, r, "other", "blue")
		w.applies(t, called("third", fleetHCL(r, fleetOptions{family: "green"})), parallelism)
		expectOwned(t, w, r, "third", "green")
	})
}
