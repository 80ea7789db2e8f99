// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package flux runs Kubernetes clusters with Flux for tests, on loopback: etcd, an API
// server, what removes namespaces, and Flux's source-, kustomize- and notification-
// controller. There are no nodes: objects are stored and nothing runs. The environment
// variable KALYPSO_FLUX names the folder that scripts/flux prints; tests that need it
// are skipped where it is not set (make test-flux).
package flux

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/process"
)

// Variable is the environment variable that names the folder of the programs.
const Variable = "KALYPSO_FLUX"

// Namespace is where Flux is installed.
const Namespace = "flux-system"

// Cluster is a cluster that runs until the test ends.
type Cluster struct {
	programs, folder string
	open             bool
	addresses        addresses
	running          []server
	client           client
}

// server is one program of a cluster.
type server struct {
	name string
	*process.Process
}

// NewCluster starts a cluster whose Flux is installed as the guide says, and connected with
// nothing yet. The test is skipped if there are no programs.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, false)
}

// NewOpenCluster is NewCluster with Flux as flux install leaves it: a Kustomization that
// names no service account may do everything.
func NewOpenCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, true)
}

func newCluster(t testing.TB, open bool) *Cluster {
	t.Helper()
	programs := os.Getenv(Variable)
	if programs == "" {
		t.Skipf("%s does not name the programs; make test-flux does", Variable)
	}
	c := &Cluster{programs: programs, folder: t.TempDir(), open: open}
	t.Cleanup(func() { c.stop(t) })
	err := c.start(t)
	for tries := 0; errors.Is(err, errEnded) && tries < 2; tries++ { // another has taken an address meanwhile
		c.stop(t)
		c.folder, c.running = t.TempDir(), nil
		err = c.start(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Cluster) start(t testing.TB) (err error) {
	if c.addresses, err = freeAddresses(); err != nil {
		return err
	}
	if err := c.startAPIServer(); err != nil {
		return err
	}
	if err := c.install(t); err != nil {
		return err
	}
	return c.startFlux()
}

// stop ends what runs. After a test that has failed it shows the errors that were logged.
func (c *Cluster) stop(t testing.TB) {
	for _, s := range c.running {
		s.Stop()
		if t.Failed() {
			t.Logf("%s: %s", s.name, errorsIn(s.Output()))
		}
	}
}

// run starts a program of the cluster, and waits until its health endpoint answers.
func (c *Cluster) run(health, name string, args ...string) error {
	command := exec.Command(filepath.Join(c.programs, name), args...)
	temporary := filepath.Join(c.folder, name)
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return err
	}
	command.Dir = temporary
	command.Env = []string{
		"HOME=" + temporary, "TMPDIR=" + temporary, "PATH=" + os.Getenv("PATH"),
		"KUBECONFIG=" + c.path("kubeconfig"), "RUNTIME_NAMESPACE=" + Namespace,
	}
	p, err := process.Start(command)
	if err != nil {
		return err
	}
	c.running = append(c.running, server{name, p})
	if err := c.healthy(p, health); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, p.Output())
	}
	return nil
}

// errEnded is the error of a program that does not stay.
var errEnded = errors.New("it has ended")

// healthy waits until an endpoint answers, or its process has ended.
func (c *Cluster) healthy(p *process.Process, url string) error {
	for range 600 {
		select {
		case <-p.Ended():
			return errEnded
		default:
		}
		response, err := c.client.http.Get(url)
		if err == nil {
			_ = response.Body.Close() // its status is what counts
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("it does not answer within a minute")
}

// path is a file or folder of the cluster's own.
func (c *Cluster) path(name string) string { return filepath.Join(c.folder, name) }

// addresses are those on loopback at which the programs listen.
type addresses struct {
	etcd, peers, api                                  string
	events, receiver, artifacts                       string
	notificationHealth, sourceHealth, kustomizeHealth string
}

// freeAddresses finds addresses at which nothing listens.
func freeAddresses() (a addresses, err error) {
	for _, address := range []*string{
		&a.etcd, &a.peers, &a.api, &a.events, &a.receiver, &a.artifacts,
		&a.notificationHealth, &a.sourceHealth, &a.kustomizeHealth,
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return a, err
		}
		defer func() { _ = listener.Close() }() // all are taken until each is known
		*address = listener.Addr().String()
	}
	return a, nil
}

// errorsIn returns the last lines of a log that report errors.
func errorsIn(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"error"`) || strings.HasPrefix(line, "E") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-20):], "")
}
