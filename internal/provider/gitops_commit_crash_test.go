// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// interruption is something that is interrupted.
type interruption struct {
	// before is applied first; nothing if it is empty. The interrupted operation is to
	// apply after, or a destroy if after is empty.
	before, after string
	// reads also kills the provider while it only reads.
	reads bool
	// always are files that every commit has after the first commit with all these files.
	always []string
}

// TestAccCLI_crash kills the provider after its push, and once before it. The next run finishes the
// work, with an import if a new resource was not saved. Then the branch has the same content as without
// a crash, the next plan is empty, and foreign files are unchanged. The credentials are in environment
// variables, without a prefix: Terraform loses the private state of an update whose provider dies. The
// tests of publish kill all operations at all steps.
func TestAccCLI_crash(t *testing.T) {
	t.Parallel()
	acceptance(t)
	blue, less := plainFleet("blue", "large small", "prod"), plainFleet("green", "large", "prod")
	plain := plainCommit("prod", "prod", "prod", "")
	deleting := plainCommit("prod", "prod", "prod", `on_destroy = "delete"`)
	packages := []string{"large/web-live-prod/reconciler.yaml", "small/README.md"}
	for name, test := range map[string]interruption{
		"create":  {after: blue + plain, reads: true},
		"update":  {before: blue + plain, after: less + plain, always: packages},
		"destroy": {before: blue + deleting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := test.begin(t)
			begun := len(r.Log())
			w.mustRun(t, "apply", "saved")
			want, steps := everything(t, r), r.Log()[begun:]
			if test.ends(t, r, w); want["prod:docs/index.md"] != "# Docs\n" || want["prod:stage/large/README.md"] != "# Stage\n" {
				t.Fatalf("foreign files are lost without a crash: %v", want)
			}
			for _, m := range test.moments(steps) {
				t.Run(m.String(), func(t *testing.T) {
					t.Parallel()
					r, w := test.begin(t)
					w.killed(t, []string{"apply", "saved"}, func(kill func()) {
						r.Fail(gittest.Fault{Request: m.request, After: m.passed, Lost: m.done, Then: kill})
					})
					w.finishes(t, test.again()...)
					if diff := cmp.Diff(want, everything(t, r)); diff != "" {
						t.Errorf("branches (-without a crash +with one):\n%s", diff)
					}
					test.ends(t, r, w)
				})
			}
		})
	}
}

// begin runs all steps of the interrupted operation up to a saved plan.
func (i interruption) begin(t *testing.T) (httpServer, workspace) {
	t.Helper()
	r := newHTTP(t)
	r.repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n"), "stage/large/README.md": []byte("# Stage\n")},
		"foreign")
	r.provider = "provider \"kalypso\" {}\n"
	w := newBuiltWorkspace(t, "").plainly(t, r.gitServer).with(envURLPrefix+"=", envUsername+"=deployer", envPassword+"=s3cr3t-password")
	if i.before != "" {
		w.write(t, "main.tf", i.before)
		w.mustRun(t, applying...)
	}
	args := []string{"plan", "-out=saved"}
	if w.write(t, "main.tf", i.after); i.after == "" {
		w.write(t, "main.tf", i.before)
		args = append(args, "-destroy")
	}
	w.mustRun(t, args...)
	return r, w
}

// again are the arguments of the run that finishes the interrupted one.
func (i interruption) again() []string {
	if i.after == "" {
		return destroying
	}
	return applying
}

// importID matches the id in a message that asks for an import.
var importID = regexp.MustCompile(`terraform import ADDRESS "([^"]+)"`)

// finishes runs the CLI until the interrupted work is done. A new resource that was not saved is
// imported first.
func (w workspace) finishes(t *testing.T, args ...string) {
	t.Helper()
	said, ok := w.diagnostics(t, args...)
	if ok {
		return
	}
	i := slices.IndexFunc(said, func(d diagnostic) bool { return d.Severity == "error" && importID.MatchString(d.Detail) })
	if i < 0 {
		t.Fatalf("%v asks for no import: %+v", args, said)
	}
	w.mustRun(t, "import", theCommit, importID.FindStringSubmatch(said[i].Detail)[1])
	w.mustRun(t, args...)
}

// ends checks that it is finished.
func (i interruption) ends(t *testing.T, r httpServer, w workspace) {
	t.Helper()
	if i.after != "" {
		w.mustRun(t, "plan", "-detailed-exitcode")
	}
	expectNeverGone(t, r.repo, "prod", i.always...)
	r.onDisk().Fsck(t)
}

// moment is when the provider is killed: when it has made a request so many times, and that
// is carried out and not answered yet, or before it is carried out.
type moment struct {
	request string
	passed  int
	done    bool
}

func (m moment) String() string { return fmt.Sprintf("%s %d, done %t", m.request, m.passed, m.done) }

// moments returns those between the steps of what makes these requests: after each push,
// and, where that is asked for, before the first of each kind of requests that read.
func (i interruption) moments(requests []string) (all []moment) {
	passed := map[string]int{}
	for _, request := range requests {
		writes := strings.HasSuffix(request, "/git-receive-pack")
		if writes || i.reads && passed[request] == 0 {
			all = append(all, moment{request, passed[request], writes})
		}
		passed[request]++
	}
	return all
}

// everything returns the files of all branches, and records by what they say: the names
// of those are never the same.
func everything(t *testing.T, r httpServer) map[string]string {
	t.Helper()
	all := map[string]string{}
	for branch := range r.repo.Branches(t) {
		for file, text := range r.repo.Files(t, branch) {
			if strings.HasPrefix(file, ".kalypso/") {
				file = "a record of " + text
			}
			if _, double := all[branch+":"+file]; double {
				t.Errorf("%s is there twice", file)
			}
			all[branch+":"+file] = text
		}
	}
	return all
}

// killed runs the CLI, and expects that it fails because its providers are killed. at gets
// the function that kills them, and calls it once, at the right time.
func (w workspace) killed(t *testing.T, args []string, at func(kill func())) {
	t.Helper()
	command := w.command(slices.Insert(slices.Clone(args), 1, "-no-color")...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	started := make(chan int, 1)
	var done atomic.Bool
	at(func() {
		for _, child := range childrenOf(<-started) {
			if p, err := os.FindProcess(child); err == nil {
				_ = p.Kill() // it may just have ended
			}
		}
		done.Store(true)
	})
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	started <- command.Process.Pid
	if err := command.Wait(); err == nil || !done.Load() {
		t.Fatalf("%v was not interrupted: %v\n%s", args, err, out.String())
	}
}

// childrenOf returns the processes that a process has started: those of a CLI are
// its providers.
func childrenOf(parent int) (children []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		_, rest, found := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if err != nil || !found || len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			children = append(children, pid)
		}
	}
	return children
}
