// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// stages is the example of a promotion, with the environments dev, stage and prod.
type stages struct {
	delivery
	repos map[string]*giteatest.Repo
}

// newStages makes one in which stage follows the reports of dev's clusters, and prod those of stage's.
// Nothing is applied yet.
func newStages(t *testing.T) stages {
	t.Helper()
	var p stages
	p.delivery, p.repos = newExample(t, "promotion", "control-plane", "gitops", "shop", "shop-manifests", "search", "search-manifests")
	for _, environment := range []string{"dev", "stage"} {
		p.repos["shop-manifests"].Write(t, environment, map[string]string{"checkout/shop.yaml": webYAML("blue")})
		p.repos["search-manifests"].Write(t, environment, map[string]string{"frontend/search.yaml": webYAML("green")})
		p.sets(t, environment+" = { checks_required = false,", fmt.Sprintf(`%s = { check = [{ context = "kalypso/%[1]s/*", creators = null }],`,
			environment))
	}
	p.mustRun(t, "get")
	for _, environment := range []string{"dev", "stage", "prod"} {
		p.mustRun(t, "workspace", "new", environment)
	}
	return p
}

// sets replaces a text of main.tf.
func (p stages) sets(t *testing.T, from, to string) {
	t.Helper()
	main := readFile(t, filepath.Join(p.dir, "main.tf"))
	if !strings.Contains(main, from) {
		t.Fatalf("main.tf does not have %q:\n%s", from, main)
	}
	p.write(t, "main.tf", strings.ReplaceAll(main, from, to))
}

// in is the workspace of an environment.
func (p stages) in(environment string) workspace {
	w := p.workspace
	w.env = []string{"TF_WORKSPACE=" + environment}
	return w
}

// merges changes a file of main, and returns the commit.
func (p stages) merges(t *testing.T, file, from, to string) string {
	t.Helper()
	main := p.repos["control-plane"]
	text := main.Read(t, "main", file)
	if !strings.Contains(text, from) {
		t.Fatalf("%s does not hold %q:\n%s", file, from, text)
	}
	return main.Write(t, "main", map[string]string{file: strings.Replace(text, from, to, 1)})
}

// deploys applies dev, and returns the commit that its branch is at then.
func (p stages) deploys(t *testing.T) string {
	t.Helper()
	p.in("dev").mustRun(t, "apply", "-auto-approve")
	return p.gitops.Head(t, "dev")
}

// promotes applies stage, and expects that it is at a commit of main then. If it waits, the one
// line of its warning has these words.
func (p stages) promotes(t *testing.T, want string, waits ...string) {
	t.Helper()
	p.follows(t, "stage", "dev", want, waits...)
}

// follows does the same for an environment after another one.
func (p stages) follows(t *testing.T, environment, after, want string, waits ...string) {
	t.Helper()
	said, ok := p.in(environment).diagnostics(t, "apply", "-auto-approve")
	if !ok {
		t.Fatalf("%s is not applied: %+v", environment, said)
	}
	if len(waits) > 0 && !slices.ContainsFunc(said, func(d diagnostic) bool {
		lacks := func(word string) bool { return !strings.Contains(d.Summary, word) }
		return strings.HasPrefix(d.Summary, environment+" waits for "+after) && !slices.ContainsFunc(waits, lacks)
	}) {
		t.Errorf("no warning says that %s waits for %s, and %q, but:\n%+v", environment, after, waits, said)
	}
	if carried := p.gitops.Read(t, environment, trackingPath); carried != want {
		t.Errorf("the branch of %s carries %s, want %s", environment, carried, want)
	}
}

// TestAccFlux_promotion promotes a commit of main to stage once a cluster of dev has reported that it
// works, and to prod once a cluster of stage has. A commit that does not work stays in dev.
func TestAccFlux_promotion(t *testing.T) {
	t.Parallel()
	p, c := newStages(t), flux.NewCluster(t)
	p.connect(t, c, "store", "store-1")
	const context = "kalypso/dev/store/store-1"
	const template, reconciler = "templates/namespace.yaml", "templates/flux.yaml"

	first := p.repos["control-plane"].Head(t, "main")
	p.reports(t, p.deploys(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	p.promotes(t, first)
	const later = "kalypso/stage/store/stage-1"
	stage, ofStage := p, flux.NewCluster(t)
	stage.environment = "stage"
	stage.connect(t, ofStage, "store", "stage-1")
	p.reports(t, p.gitops.Head(t, "stage"), later, gitea.StatusSuccess, "reconciliation succeeded")
	p.follows(t, "prod", "stage", first)

	// The API server refuses a label.
	p.merges(t, template, "workload: {{ .Workload }}", "workload: {{ .Workload }}!")
	p.reports(t, p.deploys(t), context, gitea.StatusFailure, "reconciliation failed")
	p.promotes(t, first, "failed in dev", context)

	fixed := p.merges(t, template, "}}!", "}}")
	p.reports(t, p.deploys(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	stage.suspend(t, ofStage, "stage-1", true)
	p.promotes(t, fixed)
	p.follows(t, "prod", "stage", first, "no report of", "kalypso/stage/*")
	stage.suspend(t, ofStage, "stage-1", false)
	p.reports(t, p.gitops.Head(t, "stage"), later, gitea.StatusSuccess, "reconciliation succeeded")
	p.follows(t, "prod", "stage", fixed)

	// A branch does not exist.
	p.merges(t, reconciler, "branch: {{", "branch: no-such-{{")
	p.reports(t, p.deploys(t), context, gitea.StatusFailure, "health check failed")
	p.promotes(t, fixed, "failed in dev", context)

	fixed = p.merges(t, reconciler, "no-such-", "")
	p.reports(t, p.deploys(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	p.promotes(t, fixed)

	// A commit is overtaken before Flux has seen it. It has no report, so stage gets the next one.
	p.suspend(t, c, "store-1", true)
	p.merges(t, "configs/checkout.yaml", `"2"`, `"3"`)
	unseen := p.deploys(t)
	newest := p.merges(t, "configs/checkout.yaml", `"3"`, `"4"`)
	next := p.deploys(t)
	p.promotes(t, fixed, "no report of", "kalypso/dev/*")
	p.suspend(t, c, "store-1", false)
	p.reports(t, next, context, gitea.StatusSuccess, "reconciliation succeeded")
	if reports := p.gitops.Reports(t, unseen); len(reports) > 0 {
		t.Errorf("the commit that was overtaken has reports: %+v", reports)
	}
	p.promotes(t, newest)

	// A silent cluster is named.
	p.sets(t, `context = "kalypso/dev/*",`, `context = "kalypso/dev/*", expected = ["kalypso/dev/store/store-1", "kalypso/dev/store/store-2"],`)
	p.merges(t, "configs/checkout.yaml", `"4"`, `"5"`)
	p.reports(t, p.deploys(t), context, gitea.StatusSuccess, "reconciliation succeeded")
	p.promotes(t, newest, "no report of", "kalypso/dev/store/store-2")
}

// suspend has Flux stop looking at the repository, or begin again.
func (p stages) suspend(t *testing.T, c *flux.Cluster, name string, suspended bool) {
	t.Helper()
	text := p.bootstrap(t, "store", name)
	if suspended {
		text = strings.Replace(text, "  ref:\n", "  suspend: true\n  ref:\n", 1)
	}
	c.Apply(t, text)
}
