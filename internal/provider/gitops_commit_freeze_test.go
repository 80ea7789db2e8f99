// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// freezing returns the fleet with a list of freezes, from which dynamic makes blocks: one that is
// over, and one that lasts until the end of a year. more are attributes of the resource.
func freezing(r gitServer, until int, more string, o fleetOptions) string {
	o.commit += more + `
  on_destroy = "delete"
  dynamic "freeze" {
    for_each = local.freezes
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }
`
	return fleetHCL(r, o) + fmt.Sprintf(`
locals {
  freezes = [
    { from = "2000-12-18", to = "2000-12-31", timezone = "Europe/Berlin", reason = "holidays" },
    { from = "2000-01-01T06:00", to = "%d-12-31", timezone = "Europe/Berlin", reason = "audit" },
  ]
}
`, until)
}

// A freeze refuses a change until it ends or acknowledge has the code, and it binds a destroy.
func TestAccGitOpsCommit_freeze(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	over, lasting := time.Now().Year()-2, time.Now().Year()+1
	green := fleetOptions{family: "green"}
	w := newWorkspace(t, freezing(r, over, "", fleetOptions{}))
	w.mustRun(t, "apply", "-auto-approve")
	w.mustRun(t, w.written(t, freezing(r, lasting, "", fleetOptions{}), "apply", "-auto-approve")...) // the blocks change, no package does
	w.mustRun(t, "plan", "-detailed-exitcode")
	w.write(t, "main.tf", freezing(r, lasting, "", green))
	out, _, err := w.run("plan")
	code := regexp.MustCompile(`acknowledge\s+=\s+\["([0-9a-f]{32})"\]`).FindStringSubmatch(out)
	if err == nil || code == nil || !saying("A freeze is in force").MatchString(out) ||
		!regexp.MustCompile(`the\s+freeze\s+"audit"\s+is\s+in\s+force\s+until\s+\w+\s+`+fmt.Sprint(lasting+1)+`-01-01\s+00:00`).MatchString(out) {
		t.Fatalf("want a refusal with a code, got %v\n%s", err, out)
	}
	w.mustRun(t, w.written(t, freezing(r, lasting, fmt.Sprintf("  limits {\n    acknowledge = [%q]\n  }\n", code[1]), green), "apply",
		"-auto-approve")...)
	w.mustRun(t, w.written(t, freezing(r, lasting, "  limits {}\n", green), "plan", "-detailed-exitcode")...)
	w.fails(t, []string{"destroy", "-auto-approve"}, "A freeze is in force", "remove the block freeze, apply, and then destroy")
	w.mustRun(t, w.written(t, fleetHCL(r, green), "apply", "-auto-approve")...)
	w.mustRun(t, "destroy", "-auto-approve")
}

// A freeze that is not known refuses the apply, and a wrong one is an error of validate.
func TestAccGitOpsCommit_unknownFreeze(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(until string) string {
		block := "  freeze {\n    from = \"2000-01-01\"\n    to = terraform_data.until.output\n    timezone = \"UTC\"\n    reason = " +
			"\"audit\"\n  }\n"
		return fleetHCL(r, fleetOptions{commit: block}) + fmt.Sprintf("resource \"terraform_data\" \"until\" {\n  input = %q\n}\n", until)
	}
	inSteps(t, []resource.TestStep{
		{Config: config(fmt.Sprint(time.Now().Year()+1, "-12-31")), ExpectError: saying("A freeze is in force")},
		{Config: config("2000-12-31"), Check: expectCommits(t, r, 1)},
	}...)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{commit: "  freeze {\n    from = \"1 May\"\n    to = \"2000-01-02\"\n    timezone " +
		"= \"UTC\"\n" +
		"    reason = \"\"\n  }\n"}))
	w.fails(t, []string{"validate"}, `"1 May" is not a date`, "It is empty. Write why nothing may change")
}
