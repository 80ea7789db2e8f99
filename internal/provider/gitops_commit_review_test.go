// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// limited is the fixture fleet with limits.
func limited(r gitServer, limits string, o fleetOptions) string {
	o.commit += "\n  limits {\n" + limits + "\n  }\n"
	return fleetHCL(r, o)
}

// Every limit arrives: all that a change exceeds are told at once, and the code lifts
// those that it may.
func TestAccGitOpsCommit_limits(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	const all = "max_removed = \"33%\"\n    max_changed = 0"
	change := fleetOptions{family: "green", withoutSmall: true}
	w := newWorkspace(t, limited(r, all+"\n    protect = [\"small/*\"]", fleetOptions{}))
	w.mustRun(t, "apply", "-auto-approve") // the first creation is exempt
	w.write(t, "main.tf", limited(r, all+"\n    protect = [\"small/*\"]", change))
	out, _, err := w.run("plan")
	for _, want := range []string{
		"The change exceeds limits", "protect forbids", `1 of 3 packages would be removed; max_removed = "33%" allows 0`,
		`1 of 3 packages would change; max_changed = "0" allows 0`,
	} {
		if err == nil || !saying(want).MatchString(out) {
			t.Errorf("want %q, got %v:\n%s", want, err, out)
		}
	}
	code := regexp.MustCompile(`acknowledge\s+=\s+\["([0-9a-f]{32})"\]`).FindStringSubmatch(out)
	if code == nil {
		t.Fatalf("no code in\n%s", out)
	}
	w.write(t, "main.tf", limited(r, fmt.Sprintf("%s\n    acknowledge = [%q]", all, code[1]), change))
	w.mustRun(t, "apply", "-auto-approve")

	// The code leaves nothing, and lifts nothing once it is taken out.
	w.write(t, "main.tf", limited(r, all, change))
	w.mustRun(t, "plan", "-detailed-exitcode")
	w.mustRun(t, w.written(t, fleetHCL(r, fleetOptions{}), "apply", "-auto-approve")...) // without limits
	w.mustRun(t, w.written(t, limited(r, all, fleetOptions{}), "apply", "-auto-approve")...)
	w.fails(t, w.written(t, limited(r, all, change), "plan"), "The change exceeds limits", code[1])
}

// A package that moves to another cluster type counts as removed.
func TestAccGitOpsCommit_moved(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(name string) string {
		return strings.ReplaceAll(limited(r, "max_removed = 0", fleetOptions{}), `name              = "small"`,
			fmt.Sprintf("name = %q", name))
	}
	inSteps(t, resource.TestStep{Config: config("small")}, resource.TestStep{Config: config("tiny"),
		ExpectError: saying(`1 of 3 packages would be removed; max_removed = "0" allows 0`)})
}

// Limits that are known only after the apply limit the apply.
func TestAccGitOpsCommit_unknownLimits(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(most, family string) string {
		return limited(r, "max_changed = terraform_data.most.output", fleetOptions{family: family}) +
			fmt.Sprintf("resource \"terraform_data\" \"most\" {\n  input = %q\n}\n", most)
	}
	inSteps(t, []resource.TestStep{
		{Config: config("2", "blue")},
		{Config: config("1", "green"), ExpectError: regexp.MustCompile(`2\s+of\s+3\s+packages`)},
		{Config: config("2", "green"), Check: expectCommits(t, r, 2)},
	}...)
}

func TestAccGitOpsCommit_findings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	idle := "locals {\n  idle = <<-EOT\napiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: idle, labels: {platform-config: \"true\", region: mars}}\ndata: {A: b}\nEOT\n}\n"
	config := func(commit string) string {
		return strings.Replace(fleetHCL(r, fleetOptions{commit: commit}), "manifests   = local.fleet", "manifests   = concat(local.fleet, "+
			"[local.idle])", 1) + idle
	}
	expectDirectly(t, config("")).warns(t, "- CONFIG_UNUSED ConfigMap/idle")
	if told := expectDirectly(t, config(`ignore_findings = ["CONFIG_UNUSED:ConfigMap/idle"]`)).told(); strings.Contains(told, "Findings") {
		t.Errorf("want no warning, got\n%s", told)
	}
	expectMistakes(t, map[string]mistake{
		"failing":    {config(`fail_on = ["CONFIG_UNUSED"]`), "CONFIG_UNUSED ConfigMap/idle"},
		"misspelled": {config(`fail_on = ["CONFIG_UNUSD"]`), `(the nearest is CONFIG_UNUSED)`},
	})
	inSteps(t,
		resource.TestStep{Config: config("fail_on = [\"CONFIG_UNUSED\"]\n  ignore_findings = [\"CONFIG_UNUSED\"]")},
		// A change of fail_on checks a fleet that was already written.
		resource.TestStep{Config: config(`fail_on = ["CONFIG_UNUSED"]`), ExpectError: saying("CONFIG_UNUSED ConfigMap/idle")},
	)
}

// A setting that is misspelled in a block is an error of Terraform itself.
func TestGitOpsCommit_misspelledSettings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	with := func(block string) string { return fleetHCL(r, fleetOptions{commit: block}) }
	expectMistakes(t, map[string]mistake{
		"limits":          {with("limits {\n    protected = [\"*/web-*\"]\n  }"), `An argument named "protected" is not expected here`},
		"pull_request":    {with("pull_request {\n    automerge = \"squash\"\n  }"), `An argument named "automerge" is not expected here`},
		"no block":        {with("limits = { protect = [\"*/web-*\"] }"), `An argument named "limits" is not expected here`},
		"at the top":      {with("allow_empty = true"), `An argument named "allow_empty" is not expected here`},
		"no number":       {with("limits {\n    max_changed = \"half\"\n  }"), "neither a count"},
		"lines of a diff": {fleetHCL(r.showing(100_001), fleetOptions{}), "max_diff_lines must be a whole number from 0 to 100000"},
	})
}
