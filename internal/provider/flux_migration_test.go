// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// newKalypso puts the repositories of examples/migrate on a Gitea, as Kalypso has left
// them, and has a workspace with the example's configuration.
func newKalypso(t *testing.T) delivery {
	t.Helper()
	acceptance(t)
	d := delivery{gitops: giteatest.NewNamedRepo(t, "gitops")}
	repositories := strings.TrimSuffix(d.gitops.URL(), "/gitops")
	d.workspace = newWorkspace(t, "", nil)
	if err := errors.Join(os.Remove(filepath.Join(d.dir, "main.tf")), os.Remove(filepath.Join(d.dir, "versions.tf"))); err != nil {
		t.Fatal(err) // the example has its own
	}
	if err := os.CopyFS(d.dir, os.DirFS("../../examples/migrate")); err != nil {
		t.Fatal(err)
	}
	onGitea := strings.NewReplacer("https://github.com/contoso", repositories)
	err := filepath.WalkDir(d.dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.WriteFile(file, []byte(onGitea.Replace(readFile(t, file))), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, "server.tf", d.provider())
	d.write(t, "terraform.tfvars", fmt.Sprintf("repositories = %q\n", repositories))

	d.shell(t, "bash setup.sh")
	login := strings.Replace(repositories, "://", "://"+giteatest.Writer+":"+d.gitops.Token(giteatest.Writer)+"@", 1)
	for _, name := range []string{"control-plane", "gitops", "shop", "telemetry"} {
		if name != "gitops" {
			giteatest.NewNamedRepo(t, name)
		}
		d.shell(t, fmt.Sprintf("git --git-dir=repositories/%s.git push --force %s/%[1]s 'refs/heads/*:refs/heads/*'", name, login))
	}
	giteatest.NewNamedRepo(t, "shop-manifests").Write(t, "dev", map[string]string{"checkout/shop.yaml": webYAML("blue")})
	giteatest.NewNamedRepo(t, "telemetry-manifests").Write(t, "main", map[string]string{
		"agent/agent.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: agent}}\n",
	})
	return d
}

// shell runs a command in the workspace's folder.
func (w workspace) shell(t *testing.T, script string) {
	t.Helper()
	command := exec.Command("bash", "-euo", "pipefail", "-c", script)
	command.Dir = w.dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestAccFlux_migration takes over what Kalypso has written while Flux applies it: no
// object of the cluster is deleted or made anew. Afterwards it moves Flux's objects out of
// flux-system, as the guide says, and the workloads stay.
func TestAccFlux_migration(t *testing.T) {
	t.Parallel()
	d, c := newKalypso(t), flux.NewCluster(t)
	d.connect(t, c, "store", "store-1")
	const context = "kalypso/dev/store/store-1"
	kalypsos := d.gitops.Head(t, "dev")
	d.reports(t, kalypsos, context, gitea.StatusSuccess, "reconciliation succeeded")
	workloads := []string{"ClusterRole web", "ConfigMap dev-store-shop-checkout/web", "ConfigMap dev-store-telemetry-agent/agent"}
	eventually(t, func() error { return present(t, c, workloads...) }) // Kalypso's template does not wait for them
	before, watch := uids(t, c), c.Watch(t, delivered...)

	d.succeeds(t, []string{"apply", "-auto-approve"}, "+0 ~2 -0 files beside the packages")
	ours := d.gitops.Head(t, "dev")
	if ours == kalypsos {
		t.Fatal("nothing was written")
	}
	d.reports(t, ours, context, gitea.StatusSuccess, "reconciliation succeeded")
	d.settled(t)
	if diff := cmp.Diff(before, uids(t, c)); diff != "" {
		t.Errorf("objects (-before +after):\n%s", diff)
	}
	if deleted := watch.Deleted(t); len(deleted) > 0 {
		t.Errorf("deleted: %q", deleted)
	}

	fleet := readFile(t, filepath.Join(d.dir, "hcl.tf"))
	for _, change := range []string{
		`replace(m, "prune: true\n", "prune: true\n        deletionPolicy: Orphan\n")`,
		`replace(m, "namespace: flux-system", "namespace: \"{{ .Namespace }}\"")`,
	} {
		d.write(t, "hcl.tf", strings.Replace(fleet, "manifests : m\n", "manifests : "+change+"\n", 1))
		d.succeeds(t, []string{"apply", "-auto-approve"}, "+0 ~3 -0 packages in 2 cluster types")
		d.reports(t, d.gitops.Head(t, "dev"), context, gitea.StatusSuccess, "reconciliation succeeded")
	}
	moved := []string{"GitRepository flux-system/shop-checkout", "GitRepository flux-system/telemetry-agent", "Kustomization flux-system/shop-checkout", "Kustomization flux-system/telemetry-agent"}
	eventually(t, func() error { return differ(moved, slices.Sorted(slices.Values(watch.Deleted(t)))) })
	after := uids(t, c)
	for _, name := range workloads {
		if after[name] != before[name] {
			t.Errorf("%s was made anew", name)
		}
	}
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
