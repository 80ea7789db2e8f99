// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// losesPrivateState removes the private state of all resources, as Terraform does if the provider
// is killed during an update.
func (w workspace) losesPrivateState(t *testing.T) {
	t.Helper()
	var state map[string]any
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(w.dir, "terraform.tfstate"))), &state); err != nil {
		t.Fatal(err)
	}
	for _, resource := range as[[]any](t, state["resources"]) {
		for _, instance := range as[[]any](t, as[map[string]any](t, resource)["instances"]) {
			delete(as[map[string]any](t, instance), "private")
		}
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "terraform.tfstate", string(text))
}

// Without its private state, a resource is planned, applied and destroyed as with it. Credentials
// in environment variables reach the repository that the configuration names.
func TestAccCLI_withoutPrivateState(t *testing.T) {
	t.Parallel()
	for name, variables := range map[string]map[string]string{
		"file": {},
		"http": {envUsername: "deployer", envPassword: "s3cr3t-password"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports[name](t)
			r.provider = "provider \"kalypso\" {}\n"
			w := newPlainWorkspace(t, r)
			w.providers = inEnvironment(variables)
			config := func(family string) string {
				return plainFleet(family, "large small", "prod") + plainCommit("prod", "prod", "prod", `on_destroy = "empty"`)
			}
			w.applies(t, config("blue"))
			held := slices.Sorted(maps.Keys(packageFiles(t, r, "prod")))
			w.losesPrivateState(t)
			w.settled(t)
			w.losesPrivateState(t)
			w.applies(t, config("green"))
			w.settled(t)

			r.edit(t, "prod", "small/web-live-prod/reconciler.yaml", "edited: true\n") // drift is repaired, though not named
			w.losesPrivateState(t)
			w.applies(t, config("green"))
			w.settled(t)
			expectFiles(t, r, "prod", held...)

			w.losesPrivateState(t)
			w.succeeds(t, []string{"plan", "-destroy"}, "Destroying removes 2 packages")
			w.mustRun(t, destroying...)
			expectFiles(t, r, "prod", "large/README.md", "small/README.md")
		})
	}
}
