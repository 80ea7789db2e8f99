// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// minor is the minor version whose test data -update writes. Test data of a released version
// never changes.
const minor = "0.1"

// recorded is what a version of the provider has written. In all texts, addressHere stands for
// the address of the GitHub.
type recorded struct {
	Config string
	// State is Terraform's state, without private state, which Private has.
	State      map[string]any
	Private    map[string]string
	Repository gitmem.Dump
	Pulls      []githubtest.Pull
}

const addressHere = "https://github.example"

// upgrades are the resources that each version writes: with an open request, and without.
var upgrades = map[string]string{"applied": "", "proposed": requestHCL("")}

// TestAccUpgrade reads with the present code what earlier versions have written: the state, the
// private state, the record and an open request. Unchanged configurations have no changes, and an
// open request is followed to its merge.
func TestAccUpgrade(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, commit := range upgrades {
		if file := filepath.Join("../../testdata/upgrade", minor, name+".json"); *update {
			writeUpgrade(t, file, commit)
		}
		files, err := filepath.Glob("../../testdata/upgrade/*/" + name + ".json")
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no test data: %v", err)
		}
		for _, file := range files {
			t.Run(filepath.Base(filepath.Dir(file))+", "+name, func(t *testing.T) {
				t.Parallel()
				w, h := restored(t, file)
				w.mustRun(t, "plan", "-detailed-exitcode")
				if name == "proposed" {
					h.server.Merge(t, h.only(t).Number, "merge")
					w.mustRun(t, applying...)
					if kept, _ := w.kept(t, theCommit); kept.Status != "in_sync" {
						t.Errorf("the merge was not noticed: %s", kept.Status)
					}
				}
				if err := h.holds(t, "prod", "blue"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// restored makes a workspace and a GitHub with recorded content.
func restored(t *testing.T, file string) (workspace, github) {
	t.Helper()
	var r recorded
	h := newGitHub(t)
	text := strings.ReplaceAll(readFile(t, file), addressHere, h.server.Address())
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	as[*gitmem.Repo](t, h.repo).Restore(t, r.Repository)
	for _, p := range r.Pulls {
		h.server.OpenPull(p.Author, p.Base, p.Head, p.Title, p.Body)
	}
	private := map[string][]byte{}
	for key, value := range r.Private {
		private[key] = []byte(value)
	}
	noted, err := json.Marshal(private)
	if err != nil {
		t.Fatal(err)
	}
	instanceOf(t, r.State)["private"] = noted
	state, err := json.Marshal(r.State)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, r.Config)
	w.write(t, "terraform.tfstate", string(state))
	return w, h
}

// instanceOf returns the instance of the commit in a state.
func instanceOf(t *testing.T, state map[string]any) map[string]any {
	t.Helper()
	for _, resource := range as[[]any](t, state["resources"]) {
		if resource := as[map[string]any](t, resource); resource["type"] == "kalypso_gitops_commit" {
			return as[map[string]any](t, as[[]any](t, resource["instances"])[0])
		}
	}
	t.Fatal("the state has no commit")
	return nil
}

// as returns a value as a value of a type.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	typed, ok := value.(T)
	if !ok {
		t.Fatalf("the value is a %T", value)
	}
	return typed
}

// writeUpgrade writes test data with the present code.
func writeUpgrade(t *testing.T, file, commit string) {
	t.Helper()
	h := newGitHub(t)
	r := recorded{Config: fleetHCL(h.gitServer, fleetOptions{family: "blue", commit: commit}), Private: map[string]string{}}
	w := newWorkspace(t, r.Config)
	w.providers = factories{"kalypso": func() (tfprotov6.ProviderServer, error) {
		return providerserver.NewProtocol6(&kalypsoProvider{version: minor + ".0", lookup: ofTests})(), nil
	}}
	w.mustRun(t, applying...)
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(w.dir, "terraform.tfstate"))), &r.State); err != nil {
		t.Fatal(err)
	}
	instance := instanceOf(t, r.State)
	encoded, err := json.Marshal(instance["private"])
	if err != nil {
		t.Fatal(err)
	}
	var noted []byte
	private := map[string][]byte{}
	if err := json.Unmarshal(encoded, &noted); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(noted, &private); err != nil {
		t.Fatal(err)
	}
	for key, value := range private {
		r.Private[key] = string(value)
	}
	delete(instance, "private")
	r.Repository, r.Pulls = as[*gitmem.Repo](t, h.repo).Dump(t), h.server.Pulls()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text), h.server.Address(), addressHere) + "\n")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// kept returns the attributes of a commit in the state. It is not ok if the state does not
// have the resource.
func (w workspace) kept(t testing.TB, address string) (kept struct {
	Packages map[string]string
	Instance string `json:"instance_id"`
	Status   string
}, ok bool) {
	t.Helper()
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []struct{ Attributes json.RawMessage }
		}
	}
	decode := func(text []byte, into any) {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	decode([]byte(readFile(t, filepath.Join(w.dir, "terraform.tfstate"))), &state)
	for _, r := range state.Resources {
		if r.Type+"."+r.Name == address && len(r.Instances) == 1 {
			decode(r.Instances[0].Attributes, &kept)
			return kept, true
		}
	}
	return kept, false
}
