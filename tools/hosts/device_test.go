// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package hosts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// device is a device of the cluster type kiosk with its repositories.
type device struct {
	gitops, workload             *gittest.Repo
	folder, configuration, hooks string
}

// signage is the package of the device.
const signage = "kiosk/shop-signage"

// newDevice makes one that has polled nothing yet. Its hook notes what it is run with.
func newDevice(t *testing.T) *device {
	t.Helper()
	folder := t.TempDir()
	d := &device{
		gitops: gittest.NewNamed(t, "gitops.git"), workload: gittest.NewNamed(t, "signage.git"),
		folder: folder, configuration: filepath.Join(folder, "device.conf"), hooks: filepath.Join(folder, "hooks"),
	}
	d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": []byte("<h1>Hello</h1>\n"),
		"beside": []byte("not of the screens\n")}, "Say hello")
	files := map[string][]byte{}
	for path, content := range render(t, "https://github.com/contoso/shop-signage", d.workload.FileURL()) {
		if strings.HasPrefix(path, "kiosk/") {
			files[path] = content
		}
	}
	d.gitops.CommitFiles(t, "prod", files, "Place the signage")
	d.hook(t, `echo "$1" >>`+d.hooks)
	d.write(t, d.configuration, strings.Join([]string{
		"GITOPS_REPO=" + d.gitops.FileURL(), "GITOPS_BRANCH=prod", "GITOPS_FOLDER=kiosk", "PROTOCOLS=file",
		"TRUSTED=file://" + filepath.Dir(d.workload.Path()) + "/", "STATE=" + d.path(""), "HOOK=" + filepath.Join(folder, "hook"), "",
	}, "\n"))
	return d
}

func (d *device) path(name string) string { return filepath.Join(d.folder, "state", name) }

func (d *device) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hook makes the device run a line of shell for a new release.
func (d *device) hook(t *testing.T, line string) {
	t.Helper()
	file := filepath.Join(d.folder, "hook")
	d.write(t, file, "#!/bin/sh\n"+line+"\n")
	if err := os.Chmod(file, 0o700); err != nil {
		t.Fatal(err)
	}
}

// poll has the device poll, which is to say a text, or nothing and end well.
func (d *device) poll(t *testing.T, want string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", filepath.Join(examples, "templates/device/poll.sh"), d.configuration)
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	said, err := command.CombinedOutput()
	quiet := want == "" || strings.HasPrefix(want, "Applied")
	if (err == nil) != quiet || !strings.Contains(string(said), want) || (want == "" && len(said) > 0) {
		t.Errorf("it says %q, error %v, want %q", said, err, want)
	}
	left, err := filepath.Glob(d.path("n*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %q, error %v", left, err)
	}
}

// holds compares the files of the device.
func (d *device) holds(t *testing.T, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(d.path("current/" + name))
		switch {
		case text == "" && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			t.Error(err)
		case strings.TrimSpace(string(got)) != text:
			t.Errorf("%s is %q, want %q", name, got, text)
		}
	}
}

// hooked expects how often the hook was run.
func (d *device) hooked(t *testing.T, want int) {
	t.Helper()
	text, err := os.ReadFile(d.hooks)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), d.path("current")+"\n"); got != want || strings.Count(string(text), "\n") != want {
		t.Errorf("the hook was run with %q, want it %d times", text, want)
	}
}

// at is a package's file of the device.
func at(name string) string { return "shop-signage/" + name }

// TestDevice tests the life of a device.
func TestDevice(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	hello := map[string]string{
		at("files/index.html"): "<h1>Hello</h1>", at("files/beside"): "",
		at("platform-config.sh"): "LOG_LEVEL='info'\nREGION='North'",
	}
	d.poll(t, "Applied "+d.gitops.Head(t, "prod"))
	d.holds(t, hello)
	d.poll(t, "")
	d.hooked(t, 1)

	d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": []byte("<h1>Good day</h1>\n")}, "Be polite")
	d.poll(t, "Applied")
	d.holds(t, map[string]string{at("files/index.html"): "<h1>Good day</h1>"})

	d.gitops.CommitFiles(t, "prod", map[string][]byte{signage + "/platform-config.sh": []byte("LOG_LEVEL='debug'\n")}, "Say more")
	d.poll(t, "Applied")
	d.holds(t, map[string]string{at("platform-config.sh"): "LOG_LEVEL='debug'"})
	d.hooked(t, 3)

	d.workload.CommitFiles(t, "prod", map[string][]byte{"beside": []byte("changed\n")}, "Change something else")
	d.poll(t, "")

	files := d.gitops.Files(t, "prod")
	removed := map[string][]byte{}
	for path := range files {
		if strings.HasPrefix(path, signage+"/") {
			removed[path] = nil
		}
	}
	d.gitops.CommitFiles(t, "prod", removed, "Remove the signage")
	d.poll(t, "Applied")
	d.holds(t, map[string]string{at("files/index.html"): "", at("id"): ""})
	d.hooked(t, 4)
	releases, err := os.ReadDir(d.path("releases"))
	if err != nil || len(releases) != 1 {
		t.Errorf("the releases are %v, error %v", releases, err)
	}
}

// TestDevice_broken makes things fail that a device has to survive: it keeps its files, and it
// continues at the same point when they work again.
func TestDevice_broken(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	d.poll(t, "Applied")
	hello := map[string]string{at("files/index.html"): "<h1>Hello</h1>"}

	away := d.gitops.Path() + ".away"
	move(t, d.gitops.Path(), away)
	d.poll(t, d.gitops.FileURL()+" cannot be fetched. Nothing changes.")
	d.holds(t, hello)
	move(t, away, d.gitops.Path())

	d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": []byte("new\n")}, "Change it")
	move(t, d.workload.Path(), away)
	d.gitops.CommitFiles(t, "prod", map[string][]byte{"kiosk/other/reconciler.sh": []byte("REPO=''\n")}, "Place another")
	d.poll(t, d.workload.FileURL()+" cannot be fetched.\npoll: shop-signage stays unchanged.")
	d.holds(t, hello)
	move(t, away, d.workload.Path())
	d.gitops.CommitFiles(t, "prod", map[string][]byte{"kiosk/other/reconciler.sh": nil}, "Remove it again")
	d.poll(t, "Applied")
	d.holds(t, map[string]string{at("files/index.html"): "new"})

	d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": nil}, "Lose the folder")
	d.poll(t, "has no folder screens in prod.\npoll: shop-signage stays unchanged.")
	d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": []byte("newer\n")}, "Find it again")

	d.hook(t, "exit 3")
	d.poll(t, "hook has failed. The next poll runs it again.")
	d.hook(t, `echo "$1" >>`+d.hooks)
	d.poll(t, "Applied")
	d.hooked(t, 3)

	gone := map[string][]byte{"elsewhere": []byte("else\n")}
	for path := range d.gitops.Files(t, "prod") {
		gone[path] = nil
	}
	d.gitops.CommitFiles(t, "prod", gone, "Lose everything")
	d.poll(t, "has no folder kiosk in prod. Nothing changes.")
	d.holds(t, map[string]string{at("files/index.html"): "newer"})
}

// TestDevice_back reverts a failing release in the branch: the device returns to the old
// release.
func TestDevice_back(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	d.poll(t, "Applied")
	before := d.gitops.Files(t, "prod")[signage+"/platform-config.sh"]
	d.gitops.CommitFiles(t, "prod", map[string][]byte{signage + "/platform-config.sh": []byte("LOG_LEVEL='wrong'\n")}, "Break it")
	d.hook(t, "exit 3")
	d.poll(t, "hook has failed")
	d.gitops.CommitFiles(t, "prod", map[string][]byte{signage + "/platform-config.sh": []byte(before)}, "Revert it")
	d.hook(t, `echo "$1" >>`+d.hooks)
	d.poll(t, "Applied")
	d.holds(t, map[string]string{at("platform-config.sh"): "LOG_LEVEL='info'\nREGION='North'"})
	d.hooked(t, 2)
}

// TestDevice_cutShort leaves the files of a poll that was killed at some line: the next
// poll removes them.
func TestDevice_cutShort(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(t *testing.T, d *device){
		"a lock of git":       func(t *testing.T, d *device) { d.write(t, d.path("git/shallow.lock"), "") },
		"a folder":            func(t *testing.T, d *device) { leaves(t, d.path("new/half/files")) },
		"a link to a release": func(t *testing.T, d *device) { link(t, "releases", d.path("next")) },
		"half a release": func(t *testing.T, d *device) {
			id, err := os.Readlink(d.path("current"))
			if err != nil {
				t.Fatal(err)
			}
			d.write(t, d.path(id+"/shop-signage/files/index.html"), "")
			link(t, "releases/other", d.path("elsewhere"))
			move(t, d.path("elsewhere"), d.path("current"))
			move(t, d.path("applied"), d.path("applied.new"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDevice(t)
			d.poll(t, "Applied")
			leave(t, d)
			d.gitops.CommitFiles(t, "prod", map[string][]byte{"beside": []byte(name)}, "Change something else")
			if name == "half a release" {
				d.poll(t, "Applied")
			} else {
				d.poll(t, "")
			}
			d.holds(t, map[string]string{at("files/index.html"): "<h1>Hello</h1>"})
			d.workload.CommitFiles(t, "prod", map[string][]byte{"screens/index.html": []byte("new\n")}, "Change it")
			d.poll(t, "Applied")
			d.holds(t, map[string]string{at("files/index.html"): "new"})
		})
	}
}

// TestDevice_twice polls during another poll: the second poll changes nothing.
func TestDevice_twice(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	d.hook(t, "sh "+filepath.Join(examples, "templates/device/poll.sh")+" "+d.configuration+` && echo "$1" >>`+d.hooks)
	d.poll(t, "Applied")
	d.hooked(t, 1)
}

func leaves(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestDevice_untrusted has repositories with forbidden commands: the device refuses the
// commands, keeps its release, and changes nothing.
func TestDevice_untrusted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reconciler, environment, want string
		attack                        func(t *testing.T, d *device)
	}{
		"a repository of others":  {reconciler: "REPO='file:///elsewhere'\nBRANCH='prod'\nFOLDER=''", want: "file:///elsewhere is not below"},
		"a way out":               {reconciler: "REPO='WORKLOAD/../../elsewhere'\nBRANCH='prod'\nFOLDER=''", want: "is not a URL to trust"},
		"a way out in disguise":   {reconciler: "REPO='WORKLOAD/%2e%2e/elsewhere'\nBRANCH='prod'\nFOLDER=''", want: "is not a URL to trust"},
		"a command for git":       {reconciler: "REPO='ext::touch TOUCHED'\nBRANCH='prod'\nFOLDER=''", want: "is not below"},
		"an option for git":       {reconciler: "REPO='--upload-pack=touch TOUCHED'\nBRANCH='prod'\nFOLDER=''", want: "is not below"},
		"no branch":               {reconciler: "REPO='WORKLOAD'\nBRANCH='prod:refs/heads/x'\nFOLDER=''", want: "is not a branch name"},
		"a way out of the folder": {reconciler: "REPO='WORKLOAD'\nBRANCH='prod'\nFOLDER='../..'", want: "has no folder"},
		"a command":               {reconciler: "touch TOUCHED", want: "has lines other than NAME='value'"},
		"a command in a value":    {environment: "A=\"$(touch TOUCHED)\"", want: "platform-config.sh has lines other than"},
		"a command after a value": {environment: "A='a' touch TOUCHED", want: "platform-config.sh has lines other than"},
		"a link": {want: "has links or submodules", attack: func(t *testing.T, d *device) {
			d.workload.CommitSymlink(t, "prod", "screens/passwd", "/etc/passwd")
		}},
		"a bomb": {want: "has more than 10000 files and folders", attack: func(t *testing.T, d *device) {
			files := map[string][]byte{}
			for i := range 10_001 {
				files[fmt.Sprintf("screens/many/%d", i)] = []byte("x")
			}
			d.workload.CommitFiles(t, "prod", files, "Attack")
		}},
		"a link for the configuration": {want: "has links or submodules", attack: func(t *testing.T, d *device) {
			d.gitops.CommitSymlink(t, "prod", signage+"/more.sh", "/etc/passwd")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDevice(t)
			d.poll(t, "Applied")
			touched := filepath.Join(d.folder, "touched")
			filled := strings.NewReplacer("WORKLOAD", d.workload.FileURL(), "TOUCHED", touched)
			files := map[string][]byte{}
			if test.reconciler != "" {
				files[signage+"/reconciler.sh"] = fmt.Appendln(nil, filled.Replace(test.reconciler))
			}
			if test.environment != "" {
				files[signage+"/platform-config.sh"] = fmt.Appendln(nil, filled.Replace(test.environment))
			}
			if test.attack != nil {
				test.attack(t, d)
			} else {
				d.gitops.CommitFiles(t, "prod", files, "Attack")
			}
			for range 2 {
				d.poll(t, test.want)
			}
			d.holds(t, map[string]string{at("files/index.html"): "<h1>Hello</h1>", at("platform-config.sh"): "LOG_LEVEL='info'\nREGION='North'"})
			d.hooked(t, 1)
			if _, err := os.Stat(touched); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was run: %v", err)
			}
		})
	}
}
