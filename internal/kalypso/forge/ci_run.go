// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Run is the run of HCP Terraform or CI that makes a change. It is empty on a person's machine.
type Run struct{ Name, URL string }

// RunFromEnvironment reads the run from environment variables with lookup (os.LookupEnv). Only
// an apply writes it: a plan with these values would differ from run to run. HCP Terraform comes
// first, because CI may start its runs: TFC_RUN_ID, TFC_WORKSPACE_SLUG, TF_CLOUD_HOSTNAME.
func RunFromEnvironment(lookup func(name string) (string, bool)) Run {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	if id := get("TFC_RUN_ID"); id != "" {
		organization, workspace, _ := strings.Cut(get("TFC_WORKSPACE_SLUG"), "/")
		return newRun("HCP Terraform run "+id, address("https://"+cmp.Or(get("TF_CLOUD_HOSTNAME"), "app.terraform.io"), "/app/",
			url.PathEscape(organization), "/workspaces/", url.PathEscape(workspace), "/runs/", url.PathEscape(id)))
	}
	for _, k := range slices.Backward(kinds) { // a forge that sets another forge's variables comes after it
		if k.ciRun == nil {
			continue
		}
		if run := k.ciRun(get); run != (Run{}) {
			return run
		}
	}
	if get("JENKINS_URL") != "" && get("BUILD_URL") != "" {
		return newRun("Jenkins build "+get("BUILD_NUMBER"), get("BUILD_URL"))
	}
	return Run{}
}

// address joins the address of a server and the parts after it; empty if a part is empty.
func address(server string, parts ...string) string {
	if server == "" || slices.Contains(parts, "") {
		return ""
	}
	return strings.TrimRight(server, "/") + strings.Join(parts, "")
}

// newRun leaves out a URL that is not a web page's: environment variables can have any value.
func newRun(name, link string) Run {
	return Run{Name: strings.TrimSpace(name), URL: remote.WebPage(link)}
}
