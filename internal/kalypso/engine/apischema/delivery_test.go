// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// Built-in definitions check objects of Flux and Argo CD, unless the manifests contain a
// definition.
func TestCheckDelivery(t *testing.T) {
	t.Parallel()
	const kustomization = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {interval: 1m, " +
		"prune: true, sourceRef: {kind: GitRepository, name: a}}\n"
	own := strings.NewReplacer("example.com", "kustomize.toolkit.fluxcd.io", "Thing",
		"Kustomization").Replace(definitionOf("{type: object, x-kubernetes-preserve-unknown-fields: true}"))
	for name, test := range map[string]struct {
		definitions, object, want string
		isUnknown                 bool
	}{
		"right": {"", kustomization, "", false},
		"a misspelled field": {"", strings.Replace(kustomization, "prune", "prunes", 1), "the unknown field spec.prunes (the nearest " +
			"is prune); no spec.prune, which is required", false},
		"a misspelled kind": {"", strings.Replace(kustomization, "kind: Kustomization", "kind: Kustomisation", 1),
			"the kind Kustomisation, which kustomize.toolkit.fluxcd.io does not have (the nearest is Kustomization)", false},
		"a removed version": {"", strings.Replace(kustomization, "io/v1", "io/v1beta2", 1),
			"the version kustomize.toolkit.fluxcd.io/v1beta2, which newer releases no longer serve (write kustomize.toolkit.fluxcd.io/v1)",
			false},
		"a version that may be": {"", strings.Replace(kustomization, "io/v1", "io/v2", 1), "", true},
		"another kind of theirs": {"", "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: a}\nspec: " +
			"{anything: 1}\n", "", true},
		"a kind of Argo's group": {"", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\nspec: {anything: 1}\n", "",
			true},
		"the beginning of a kind": {"", "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepo\nmetadata: {name: a}\n",
			"the kind GitRepo, which source.toolkit.fluxcd.io does not have (the nearest is GitRepository)", false},
		"removed, without a definition": {"", "apiVersion: helm.toolkit.fluxcd.io/v2beta2\nkind: HelmRelease\nmetadata: {name: a}\n",
			"the version helm.toolkit.fluxcd.io/v2beta2, which newer releases no longer serve (write helm.toolkit.fluxcd.io/v2)", false},
		"served, without a definition": {"", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n", "", true},
		"an Application": {"", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {project: a, " +
			"destinations: {}}\n", "the unknown field spec.destinations (the nearest is destination); no spec.destination, which is required",
			false},
		"a version that is served": {strings.Replace(own, "name: v1,", "name: v1beta2,", 1),
			strings.Replace(kustomization, "io/v1", "io/v1beta2", 1), "", false},
		"its own definition": {own, strings.Replace(kustomization, "prune", "prunes", 1), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults, isKnown := check(t, schemasOf(t, test.definitions), test.object)
			if diff := cmp.Diff(test.want, strings.Join(faults, "; ")); diff != "" || isKnown == test.isUnknown {
				t.Errorf("known: %t, faults (-want +got):\n%s", isKnown, diff)
			}
		})
	}
}

// Every built-in definition is usable.
func TestDeliveryDefinitions(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t, apischema.DeliveryDefinitions())
	for _, kind := range []string{
		"source.toolkit.fluxcd.io/v1/GitRepository", "kustomize.toolkit.fluxcd.io/v1/Kustomization",
		"notification.toolkit.fluxcd.io/v1beta3/Alert",
		"notification.toolkit.fluxcd.io/v1beta3/Provider", "notification.toolkit.fluxcd.io/v1/Receiver", "argoproj.io/v1alpha1/Application",
		"argoproj.io/v1alpha1/AppProject",
	} {
		at := strings.LastIndex(kind, "/")
		if schemas.Of(kind[:at], kind[at+1:]) == nil || schemasOf(t, "").Of(kind[:at], kind[at+1:]) == nil {
			t.Errorf("there is no schema of %s", kind)
		}
	}
	if doubts := schemas.Doubts(); len(doubts) > 0 {
		t.Errorf("doubts: %v", doubts)
	}
}
