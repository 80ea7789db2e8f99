// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package hosts

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machine is this machine as a virtual machine of the cluster type machine, whose units and
// environments are in a folder.
type machine struct{ playbooks, program, folder, pack string }

// newMachine renders the package for it, with the program of the workload.
func newMachine(t *testing.T, program string) *machine {
	t.Helper()
	m := &machine{playbooks: os.Getenv("KALYPSO_ANSIBLE"), program: program, folder: t.TempDir(), pack: t.TempDir()}
	if m.playbooks == "" {
		t.Fatal("KALYPSO_ANSIBLE has to name the program ansible-playbook. make test-hosts sets it.")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, since it has Ansible look after Debian packages")
	}
	for _, folder := range []string{m.path("units/multi-user.target.wants"), m.path("default")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.render(t, "info")
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.folder, name) }

// render writes the package, with a level of logs in its platform configuration.
func (m *machine) render(t *testing.T, level string) {
	t.Helper()
	all := render(t,
		"printing-1.contoso.com: {}", "localhost: {ansible_connection: local, ansible_python_interpreter: /usr/bin/python3}",
		"      printing-2.contoso.com: {}\n", "",
		"user: deploy", "user: root\n    cacheValidTime: 999999999\n    unitDirectory: "+m.path("units")+"\n   "+
			" environmentDirectory: "+m.path("default"),
		"LOG_LEVEL: info", "LOG_LEVEL: "+level,
		"exec: /usr/bin/python3 -m http.server 8631", "exec: "+m.program,
	)
	write(t, all, m.pack, "machine/printing-spooler")
}

// play runs the playbook, and returns what Ansible says.
func (m *machine) play(t *testing.T, args ...string) (string, error) {
	t.Helper()
	args = append([]string{"--inventory", "namespace.yaml", "reconciler.yaml"}, args...)
	command := exec.CommandContext(t.Context(), m.playbooks, args...)
	command.Dir = m.pack
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.folder, "LC_ALL=C.UTF-8", "ANSIBLE_NOCOLOR=1", "ANSIBLE_NOCOWS=1"}
	said, err := command.CombinedOutput()
	return string(said), err
}

// recap is what Ansible says at last of a host.
var recap = regexp.MustCompile(`(?m)^localhost +: ok=\d+ +changed=(\d+) +unreachable=(\d+) +failed=(\d+)`)

// plays runs the playbook for an image, and expects how much it changes.
func (m *machine) plays(t *testing.T, changed string, args ...string) {
	t.Helper()
	said, err := m.play(t, append([]string{"--extra-vars", "image=true"}, args...)...)
	found := recap.FindStringSubmatch(said)
	if err != nil || found == nil || found[1] != changed || found[2] != "0" || found[3] != "0" {
		t.Errorf("want %s changes, got error %v:\n%s", changed, err, said)
	}
	if strings.Contains(said, "[WARNING]") || strings.Contains(said, "[DEPRECATION") {
		t.Errorf("Ansible warns:\n%s", said)
	}
}

// has compares the files of the machine; an empty text means that the file does not exist.
func (m *machine) has(t *testing.T, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(m.path(name))
		if (text == "") != errors.Is(err, fs.ErrNotExist) || !strings.Contains(string(got), text) {
			t.Errorf("%s is %q, error %v, want %q", name, got, err, text)
		}
	}
}

// TestAnsible brings this machine to what the package says, changes it and takes it away
// again, each time twice: the second time there is nothing to do. Nothing is started, and
// the Debian packages are there already.
func TestAnsible(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "/usr/bin/python3 -m http.server 8631")
	if said, err := m.play(t, "--syntax-check"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	const unit, environment = "units/workload-printing-spooler.service", "default/workload-printing-spooler"
	m.plays(t, "3")
	m.has(t, map[string]string{unit: "\nExecStart=/usr/bin/python3 -m http.server 8631\n", environment: "LOG_LEVEL='info'\nREGION='North'\n"})
	if to, err := os.Readlink(m.path("units/multi-user.target.wants/workload-printing-spooler.service")); err != nil || to != m.path(unit) {
		t.Errorf("the unit's link leads to %q, error %v", to, err)
	}
	if said, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", m.path(unit)).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd says of the unit: %s, error %v", said, err)
	}
	m.plays(t, "0")

	m.render(t, "debug")
	m.plays(t, "1")
	m.has(t, map[string]string{environment: "LOG_LEVEL='debug'\n"})
	m.plays(t, "0")

	m.plays(t, "3", "--extra-vars", "removed=true")
	m.has(t, map[string]string{unit: "", environment: "", "units/multi-user.target.wants/workload-printing-spooler.service": ""})
	m.plays(t, "0", "--extra-vars", "removed=true")
}

// TestAnsible_noSystemd has the playbook refuse a machine on which no service can run.
func TestAnsible_noSystemd(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		t.Skip("this machine runs systemd")
	}
	m := newMachine(t, "/bin/true")
	said, err := m.play(t)
	if err == nil || !strings.Contains(said, "This host does not run systemd.") {
		t.Errorf("error %v:\n%s", err, said)
	}
	m.has(t, map[string]string{"units/workload-printing-spooler.service": ""})
}

// TestAnsible_untrusted puts an expression that Ansible would run in the place of a
// workload's text. The template would refuse it. Ansible takes it as plain text all the same.
func TestAnsible_untrusted(t *testing.T) {
	t.Parallel()
	touched := filepath.Join(t.TempDir(), "touched")
	program := "/bin/echo {% set x = lookup('pipe', 'touch " + touched + "') %}"
	m := newMachine(t, "/bin/true")
	playbook := filepath.Join(m.pack, "reconciler.yaml")
	text, err := os.ReadFile(playbook)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(playbook, bytes.ReplaceAll(text, []byte("=/bin/true"), []byte("="+program)), 0o600); err != nil {
		t.Fatal(err)
	}
	m.plays(t, "3")
	m.has(t, map[string]string{"units/workload-printing-spooler.service": "\nExecStart=" + program + "\n"})
	if _, err := os.Stat(touched); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was run: %v", err)
	}
}
