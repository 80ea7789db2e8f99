// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	stdcmp "cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// delivery is an environment, by default dev, from the fleet in the folder fleet to clusters: the
// repository on a Gitea that the provider writes and that of the workload web.
type delivery struct {
	workspace
	gitops, web *giteatest.Repo
	environment string
}

// newDelivery makes one of a cluster type large, with the templates of the quickstart. Nothing is applied yet.
func newDelivery(t *testing.T) delivery {
	t.Helper()
	acceptance(t)
	d := delivery{gitops: giteatest.NewRepo(t), web: giteatest.NewRepo(t)}
	d.workspace = newBuiltWorkspace(t, "")
	d.write(t, "server.tf", d.provider())
	d.write(t, "fleet/templates.yaml", quickstartTemplate(t, "reconciler", "flux")+quickstartTemplate(t, "namespace",
		"namespace")+quickstartTemplate(t, "config", "configmap"))
	d.write(t, "fleet/policy.yaml", kalypsoObject("SchedulingPolicy", "everywhere", "", "{deploymentTargetSelector: {labelSelector: {}}, "+
		"clusterTypeSelector: {labelSelector: {}}}"))
	d.clusterTypes(t, "large")
	d.region(t, "north")
	d.workload(t, "main")
	d.web.Write(t, "main", map[string]string{"live/web.yaml": webYAML("blue")})
	return d
}

// provider is the provider block that may write the repositories.
func (d delivery) provider() string {
	return fmt.Sprintf("provider \"kalypso\" {\n  forge {\n    url_prefix = %q\n    type = \"gitea\"\n    token = %q\n  }\n}\n",
		d.gitops.Address(), d.gitops.Token(giteatest.Writer))
}

// webYAML has the objects of the workload web: a configuration and an account.
func webYAML(color string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {color: %s}}\n---\n", color) +
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}\n"
}

// quickstartTemplate is a template of examples/quickstart, except that Flux asks for the
// workload more often, and that a ConfigMap may get a list, which the cluster refuses.
func quickstartTemplate(t *testing.T, kind, name string) string {
	t.Helper()
	source := readFile(t, "../../examples/quickstart/templates/"+name+".yaml.tmpl")
	text, err := json.Marshal(strings.NewReplacer("interval: 30s", "interval: 5s", "stringify", "toYaml").Replace(source))
	if err != nil {
		t.Fatal(err)
	}
	return kalypsoObject("Template", name, "", fmt.Sprintf("{type: %s, manifests: [%s]}", kind, text)) + "---\n"
}

// clusterTypes sets the cluster types of the fleet; all have the workload.
func (d delivery) clusterTypes(t *testing.T, names ...string) {
	t.Helper()
	var all []string
	for _, name := range names {
		all = append(all, kalypsoObject("ClusterType", name, "", "{reconciler: flux, namespaceService: namespace, configType: configmap}"))
	}
	d.write(t, "fleet/cluster-types.yaml", strings.Join(all, "---\n"))
}

// region sets a value of the platform configuration.
func (d delivery) region(t *testing.T, region string) {
	t.Helper()
	d.write(t, "fleet/config.yaml", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: all, labels: {platform-config: 'true'}}, "+
		"data: {REGION: %q}}\n", region))
}

// workload sets the branch that the workload is taken from.
func (d delivery) workload(t *testing.T, branch string) {
	t.Helper()
	d.write(t, "fleet/workload.yaml", kalypsoObject("Workload", "web", "workspace: web-team", fmt.Sprintf(
		"{deploymentTargets: [{name: live, environment: dev, manifests: {repo: %q, branch: %q, path: ./live}}]}", d.web.URL(), branch)))
}

// commitHCL is the commit of the environment, with these attributes.
func (d delivery) commitHCL(name, attributes string) string {
	return fmt.Sprintf(`
locals {
  fleet = [for f in fileset("${path.module}/fleet", "*.yaml") : file("${path.module}/fleet/${f}")]
}

resource "kalypso_gitops_commit" %q {
  environment = "dev"
  manifests   = local.fleet
  repo        = %q
  branch      = "dev"
  %s
}
`, name, d.gitops.URL(), attributes)
}

// writes applies the fleet with these attributes of the commit, and returns the commit
// that the branch is at then.
func (d delivery) writes(t *testing.T, attributes ...string) string {
	t.Helper()
	d.applies(t, d.commitHCL("dev", strings.Join(attributes, "\n  ")))
	return d.gitops.Head(t, "dev")
}

// connect connects a cluster with the folder of a cluster type as the example does,
// under a name, but finds out sooner what does not become ready.
func (d delivery) connect(t *testing.T, c *flux.Cluster, clusterType, name string) {
	t.Helper()
	const secret = "signed-with-this"
	c.Apply(t, secretYAML("gitops-read", map[string]string{"username": giteatest.Writer, "password": d.gitops.ReadToken(t, giteatest.Writer)})+
		secretYAML("gitops-status", map[string]string{"token": d.gitops.Token(giteatest.Writer)})+
		secretYAML("gitops-webhook", map[string]string{"token": secret}))
	c.Apply(t, d.bootstrap(t, clusterType, name))
	eventually(t, func() error {
		receiver := c.Get(t, flux.Receivers, flux.Namespace, "gitops")
		path := flux.Text(receiver, "status", "webhookPath")
		if path == "" {
			return fmt.Errorf("the receiver has no path: %v", receiver)
		}
		d.gitops.Notify(t, c.Receiver()+path, secret)
		return nil
	})
}

// bootstrap is the example's file for a cluster.
func (d delivery) bootstrap(t *testing.T, clusterType, name string) string {
	t.Helper()
	return strings.NewReplacer(
		"https://github.com/contoso/gitops", d.gitops.URL(), "type: github\n  address", "type: gitea\n  address",
		"large-1", name, "large", clusterType, "dev", stdcmp.Or(d.environment, "dev"),
		"interval: 1m #", "interval: 10s #", "retryInterval: 30s", "retryInterval: 10s", "timeout: 2m", "timeout: 30s",
	).Replace(readFile(t, "../../examples/bootstrap/flux.yaml"))
}

func secretYAML(name string, data map[string]string) string {
	text, _ := json.Marshal(data) // texts can be written
	return fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: %s}, stringData: %s}\n---\n", name, flux.Namespace,
		text)
}

// reports waits until the latest status of a context is this one.
func (d delivery) reports(t *testing.T, commit, context string, state gitea.StatusState, description string) {
	t.Helper()
	eventually(t, func() error {
		reports := d.gitops.Reports(t, commit)
		if got := reports[context]; got.State != state || got.Description != description {
			return fmt.Errorf("want %s %q for %s, but these are reported: %+v", state, description, context, reports)
		}
		return nil
	})
}

// eventually waits until a condition holds. This takes seconds on a quiet machine, or as
// long as Flux waits for an object that does not become ready.
func eventually(t *testing.T, holds func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(4 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = holds(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// differ reports the difference of two lists.
func differ(want, got []string) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("(-want +got):\n%s", diff)
	}
	return nil
}

// namespace is that of the workload in clusters of the type large.
const namespace = "dev-large-web-live"

// delivered are the kinds of the objects that a cluster gets.
var delivered = []flux.Kind{flux.Namespaces, flux.ConfigMaps, flux.Accounts, flux.ClusterRoles, flux.Kustomizations, flux.GitRepos}

// runs expects that a cluster has the workload, with its platform configuration.
func runs(t *testing.T, c *flux.Cluster, region, color string) {
	t.Helper()
	if err := running(t, c, region, color); err != nil {
		t.Error(err)
	}
}

// running reports the objects of the workload that a cluster lacks.
func running(t *testing.T, c *flux.Cluster, region, color string) error {
	t.Helper()
	if got := flux.Text(c.Get(t, flux.Namespaces, "", namespace), "metadata", "labels", "workload"); got != "web" {
		return fmt.Errorf("the namespace is labelled as that of the workload %q", got)
	}
	if got := flux.Text(c.Get(t, flux.ConfigMaps, namespace, "platform-config"), "data", "REGION"); got != region {
		return fmt.Errorf("the platform configuration has the region %q, want %q", got, region)
	}
	if got := flux.Text(c.Get(t, flux.ConfigMaps, namespace, "web"), "data", "color"); got != color {
		return fmt.Errorf("the workload is %q, want %q", got, color)
	}
	if c.Get(t, flux.Accounts, namespace, "web") == nil {
		return errors.New("the workload's account is missing")
	}
	return nil
}

// uids are those of all objects that were delivered to a cluster.
func uids(t *testing.T, c *flux.Cluster) map[string]types.UID {
	t.Helper()
	all := map[string]types.UID{}
	for _, kind := range delivered {
		for _, object := range c.List(t, kind) {
			if _, ours := object.GetLabels()["kustomize.toolkit.fluxcd.io/name"]; ours {
				all[kind.Kind+" "+path.Join(object.GetNamespace(), object.GetName())] = object.GetUID()
			}
		}
	}
	return all
}

// present reports which of these objects a cluster has not been delivered.
func present(t *testing.T, c *flux.Cluster, names ...string) error {
	t.Helper()
	all := uids(t, c)
	if missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return all[name] != "" }); len(missing) > 0 {
		return fmt.Errorf("%q are missing in %v", missing, all)
	}
	return nil
}
