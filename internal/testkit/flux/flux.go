// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"os"
	"path/filepath"
	"testing"
)

// install brings Flux's kinds and its namespace into the cluster, as flux install does.
func (c *Cluster) install(t testing.TB) error {
	files, err := filepath.Glob(filepath.Join(c.programs, "crds", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		c.Apply(t, string(text))
	}
	c.Apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+Namespace+"}}")
	return nil
}

// startFlux starts the controllers. A health check that waits for what has been mended
// meanwhile is given up (CancelHealthCheckOnNewRevision), as the guide recommends.
func (c *Cluster) startFlux() error {
	a := c.addresses
	common := []string{"--enable-leader-election=false", "--log-encoding=json", "--watch-all-namespaces=true", "--metrics-addr=0"}
	if err := c.run("http://"+a.notificationHealth+"/readyz", "notification-controller",
		append(common, "--events-addr="+a.events, "--receiverAddr="+a.receiver, "--health-addr="+a.notificationHealth)...); err != nil {
		return err
	}
	common = append(common, "--events-addr=http://"+a.events+"/")
	if err := c.run("http://"+a.sourceHealth+"/readyz", "source-controller",
		append(common, "--storage-path="+c.path("source-controller"), "--storage-addr="+a.artifacts, "--storage-adv-addr="+a.artifacts,
			"--health-addr="+a.sourceHealth)...); err != nil {
		return err
	}
	return c.run("http://"+a.kustomizeHealth+"/readyz", "kustomize-controller",
		append(common, "--feature-gates=CancelHealthCheckOnNewRevision=true", "--health-addr="+a.kustomizeHealth)...)
}

// Receiver is the address at which the notification-controller takes webhooks; the path
// stands in the status of each Receiver.
func (c *Cluster) Receiver() string { return "http://" + c.addresses.receiver }
