// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

// fleetOptions vary the fixture fleet.
type fleetOptions struct {
	// family is a label of the workload that every package of it renders.
	family string
	// withoutSmall leaves out the cluster type small; withoutBatch the workload batch.
	withoutSmall, withoutBatch bool
	// commit has further attributes of the commit resource.
	commit string
}

// fleetHCL is a fleet of object resources and the commit that writes it:
// cluster types large and small, workloads web (on both) and batch (on large).
func fleetHCL(r gitServer, o fleetOptions) string {
	if o.family == "" {
		o.family = "blue"
	}
	commit := o.commit
	if !strings.Contains(commit, "on_removal") { // so that a test sees at once what is not there any more
		commit = "on_removal = \"delete\"\n  " + commit
	}
	text, optional := r.provider+fixtureTemplates, []string{}
	if !o.withoutSmall {
		text, optional = text+fixtureSmall, append(optional, "kalypso_cluster_type.small.manifest")
	}
	if !o.withoutBatch {
		text, optional = text+fixtureBatch, append(optional, "kalypso_workload.batch.manifest")
	}
	return text + strings.NewReplacer("FAMILY", strconv.Quote(o.family), "URL", strconv.Quote(r.url), "OPTIONAL",
		strings.Join(optional, ", "), "COMMIT", commit).Replace(fixtureFleet)
}

// plainFleet is a fleet in YAML, for tests with many runs: resources that model take time.
// In each of these environments, the workload web is on all cluster types.
func plainFleet(family, clusterTypes string, environments ...string) string {
	var targets []string
	for _, environment := range environments {
		targets = append(targets, fmt.Sprintf("{name: live-%[1]s, environment: %[1]s}", environment))
	}
	objects := []string{
		kalypsoObject("Template", "reconciler", "",
			`{type: reconciler, manifests: ["{kind: ConfigMap, apiVersion: v1, metadata: {name: {{ .DeploymentTargetName }}, labels: {family: {{ .Labels.family }}}}}"]}`),
		kalypsoObject("Template", "namespace", "",
			`{type: namespace, manifests: ["{kind: Namespace, apiVersion: v1, metadata: {name: {{ .Namespace }}}}"]}`),
		kalypsoObject("Workload", "web", "workspace: web-team, family: "+family, "{deploymentTargets: ["+strings.Join(targets, ", ")+"]}"),
		kalypsoObject("SchedulingPolicy", "everywhere", "", "{deploymentTargetSelector: {workspace: web-team, labelSelector: {}}, "+
			"clusterTypeSelector: {labelSelector: {}}}"),
	}
	for _, name := range strings.Fields(clusterTypes) {
		objects = append(objects, clusterTypeYAML(name))
	}
	return "locals {\n  fleet = [<<-EOT\n" + strings.Join(objects, "---\n") + "EOT\n  ]\n}\n"
}

// plainCommit writes an environment of a plain fleet to the repository of newPlainWorkspace.
func plainCommit(name, environment, branch, attributes string) string {
	return fmt.Sprintf(`
resource "kalypso_gitops_commit" %q {
  environment = %q
  manifests   = local.fleet
  repo        = local.repo
  branch      = %q
  %s
}
`, name, environment, branch, attributes)
}

// newPlainWorkspace makes a workspace for plain fleets and commits to a repository;
// plainly makes one of another workspace.
func newPlainWorkspace(t testing.TB, r gitServer) workspace {
	t.Helper()
	return newWorkspace(t, "").plainly(t, r)
}

func (w workspace) plainly(t testing.TB, r gitServer) workspace {
	t.Helper()
	w.write(t, "server.tf", fmt.Sprintf("%s\nlocals {\n  repo = %q\n}\n", r.provider, r.url))
	return w
}

//
//go:embed testdata/templates.tf
var fixtureTemplates string

// fixtureFleet is the fleet without its optional parts, which are fixtureSmall and fixtureBatch.
//
//go:embed testdata/fleet.tf
var fixtureFleet string

//go:embed testdata/small.tf
var fixtureSmall string

//go:embed testdata/batch.tf
var fixtureBatch string

// inert is a resource that makes Terraform configure the provider.
const inert = `
resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "https://example.com/gitops"
  branch = "dev"
}
`

// fixtureFiles are the paths of the fixture fleet's files.
var fixtureFiles = []string{
	"large/README.md",
	"large/batch-nightly/namespace.yaml", "large/batch-nightly/platform-config.yaml", "large/batch-nightly/reconciler.yaml",
	"large/web-live/namespace.yaml", "large/web-live/platform-config.yaml", "large/web-live/reconciler.yaml",
	"small/README.md",
	"small/web-live/namespace.yaml", "small/web-live/platform-config.yaml", "small/web-live/reconciler.yaml",
}

// fixturePackages are the keys of packages, as digests that are known.
func fixturePackages() knownvalue.Check {
	digest := knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{12}$`))
	return knownvalue.MapExact(map[string]knownvalue.Check{
		"large/README.md": digest, "large/batch-nightly": digest, "large/web-live": digest,
		"small/README.md": digest, "small/web-live": digest,
	})
}

// trackingPath is the file with the promoted commit.
const trackingPath = ".github/tracking/Promoted_Commit_Id"

// below returns the paths as they are below a folder.
func below(folder string, paths []string) (all []string) {
	for _, name := range paths {
		all = append(all, path.Join(folder, name))
	}
	return all
}
