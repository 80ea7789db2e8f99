// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// A resource that gets another name without a moved block leaves its packages to the one of
// that name. Where both are under way at once, no commit lacks them.
func TestAccCLI_rename(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		parallelism, family string
		providers           factories
	}{
		"together":                 {together, "blue", patient},
		"in turn, and it changes":  {inTurn, "green", protoV6ProviderFactories},
		"together, and it changes": {together, "green", protoV6ProviderFactories}, // Terraform changes what it is made of only after the destroy
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["http"](t)
			w := newWorkspace(t, "")
			w.providers = test.providers
			w.applies(t, fleetHCL(r, fleetOptions{}))
			said := w.applies(t, called("other", fleetHCL(r, fleetOptions{family: test.family})), test.parallelism)
			expectSaid(t, said, "warning", "Folders are taken over", ".kalypso/", "add a moved block")
			expectOwned(t, w, r, "other", test.family)
			if test.family == "blue" {
				expectNeverGone(t, r.repo, "prod", fixtureFiles...)
			}
		})
	}
}

// With -target, half of a rename is an apply of its own.
func TestAccCLI_renameInTwoApplies(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := promotedHCL(r, promoted, "")
	files := append([]string{trackingPath}, fixtureFiles...)
	w := newWorkspace(t, "")
	w.applies(t, config)

	// The new one first: the old one has nothing to remove then, and says so.
	w.applies(t, called("other", config), "-target=kalypso_gitops_commit.other")
	said := w.applies(t, called("other", config))
	expectSaid(t, said, "warning", "Removes nothing: prod in ", `belong to environment "prod"`)
	expectNeverGone(t, r.repo, "prod", files...)

	// The old one first: what it removed is written again.
	w.applies(t, called("third", config), "-target=kalypso_gitops_commit.other")
	expectFiles(t, r, "prod")
	w.applies(t, called("third", config))
	expectFiles(t, r, "prod", files...)
	expectOwner(t, r.repo, "prod", w.instance(t, "third"), ".", "large", "small")
	w.settled(t)
}

// A rename to another alias of the provider is one between two processes, which see of
// each other what stands in the branch.
func TestAccCLI_renameToAnotherAlias(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.provider += strings.Replace(r.provider, `provider "kalypso" {`, "provider \"kalypso\" {\nalias = \"other\"\n", 1)
	w := newBuiltWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	w.applies(t, called("other", fleetHCL(r, fleetOptions{commit: "provider = kalypso.other"})))
	expectOwned(t, w, r, "other", "blue")
}
