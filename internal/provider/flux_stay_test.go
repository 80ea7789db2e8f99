// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// TestAccFlux_stays is make cluster: a cluster with Flux and a Gitea, until somebody interrupts it or removes the folder that
// KALYPSO_CLUSTER names. The folder gets a configuration that is not applied yet.
func TestAccFlux_stays(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("KALYPSO_CLUSTER")
	if folder == "" {
		t.Skip("make cluster names a folder")
	}
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	d.write(t, "main.tf", d.commitHCL("dev", ""))
	d.write(t, "env", fmt.Sprintf("export KUBECONFIG=%q GITOPS=%q TOKEN=%q TF_CLI_CONFIG_FILE=%q\n", c.Kubeconfig(),
		d.gitops.Address()+"/api/v1/repos/"+giteatest.Owner+"/"+d.gitops.Name(), d.gitops.Token(giteatest.Writer), d.cliConfig))
	if err := os.CopyFS(folder, os.DirFS(d.dir)); err != nil {
		t.Fatal(err)
	}
	stopped, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println("The cluster large-1 runs, and its Flux reads the branch dev. In another terminal: make cluster-apply")
	for stopped.Err() == nil {
		if _, err := os.Stat(filepath.Join(folder, "env")); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}
