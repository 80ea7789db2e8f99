// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package policies evaluates the policies of examples/hcp for plans of a real Terraform.
package policies

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
)

// root is the folder of the repository.
var root = func() string {
	absolute, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return absolute
}()

// fleet is a copy of the example, with a bare GitOps repository.
type fleet struct{ dir, terraform string }

func newFleet(t *testing.T) fleet {
	t.Helper()
	terraform := os.Getenv("KALYPSO_TERRAFORM")
	if terraform == "" {
		t.Skip("make test-policies sets KALYPSO_TERRAFORM")
	}
	f := fleet{t.TempDir(), terraform}
	if err := os.CopyFS(f.dir, os.DirFS(filepath.Join(root, "examples/kalypso-yaml"))); err != nil {
		t.Fatal(err)
	}
	mirror := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.Join(root, "bin/mirror"))
	f.write(t, "terraform.rc", mirror)
	f.run(t, "git", "init", "--quiet", "--bare", "gitops.git")
	f.run(t, terraform, "init", "-no-color")
	return f
}

// run runs a program in the folder and returns its output.
func (f fleet) run(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = f.dir
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(f.dir, "terraform.rc"), "CHECKPOINT_DISABLE=1")
	var problems strings.Builder
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, args, err, output, problems.String())
	}
	return output
}

func (f fleet) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// denied plans, and returns what the policies say about the plan: as HCP Terraform has it, or as
// terraform show prints it.
func (f fleet) denied(t *testing.T, isHCP bool, options ...func(*rego.Rego)) []string {
	t.Helper()
	f.run(t, f.terraform, "plan", "-no-color", "-out=saved")
	var plan any
	if err := json.Unmarshal(f.run(t, f.terraform, "show", "-json", "saved"), &plan); err != nil {
		t.Fatal(err)
	}
	if isHCP {
		plan = map[string]any{"plan": plan, "run": map[string]any{"id": "run-1"}}
	}
	options = append([]func(*rego.Rego){
		rego.Query("data.kalypso.packages.deny"), rego.Load([]string{filepath.Join(root, "examples/hcp/policies/opa/packages.rego")}, nil),
		rego.Input(plan),
	}, options...)
	results, err := rego.New(options...).Eval(t.Context())
	if err != nil || len(results) != 1 {
		t.Fatalf("%v, %v", results, err)
	}
	list, isList := results[0].Expressions[0].Value.([]any)
	if !isList {
		t.Fatalf("the query has to return a list, not %v", results)
	}
	all := []string{}
	for _, message := range list {
		all = append(all, fmt.Sprint(message))
	}
	return all
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	expect := func(what string, got []string, want ...string) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: denied %q, want %q", what, got, want)
		}
	}
	expect("the first plan", f.denied(t, true))
	f.run(t, f.terraform, "apply", "-no-color", "-auto-approve")
	expect("no change", f.denied(t, false))

	f.write(t, "fleet/cluster-types/store.yaml", "")
	emptied := "kalypso_gitops_commit.dev leaves the cluster type store without packages."
	expect("no stores", f.denied(t, true), emptied)
	none := rego.Query("data.kalypso.packages.deny with data.kalypso.packages.max_removed as 0")
	expect("no removal allowed", f.denied(t, false, none), emptied,
		"kalypso_gitops_commit.dev removes too many packages (1, at most 0): store/shop-checkout")
}
