// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A resource that gets another name without a moved block leaves its packages to the one
// of that name, also where they change in the same apply: what resources model,
// Terraform changes only after the destroy.
func TestAccCLI_rename(t *testing.T) {
	t.Parallel()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce(t, func(t *testing.T, parallelism string) {
				r := transport(t)
				w := newWorkspace(t, "", nil)
				w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
				said := w.applies(t, called("other", fleetHCL(r, fleetOptions{})), parallelism)
				expectSaid(t, said, "warning", "Folders are taken over", ".kalypso/", "add a moved block")
				expectOwned(t, w, r, "other", "blue")
				w.applies(t, called("third", fleetHCL(r, fleetOptions{family: "green"})), parallelism)
				expectOwned(t, w, r, "third", "green")
				if parallelism == together {
					expectNeverGone(t, r.repo, "prod", fixtureFiles...)
				}
			})
		})
	}
}

// What the resource of the new name does not want any more goes, and what both want stays.
func TestAccCLI_renameAndChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after func(r gitServer) string
		want          []string
	}{
		"a cluster type leaves": {
			func(r gitServer) string { return fleetHCL(r, fleetOptions{}) },
			func(r gitServer) string { return fleetHCL(r, fleetOptions{withoutSmall: true}) },
			withoutPrefix(fixtureFiles, "small/"),
		},
		"another commit is promoted": {
			func(r gitServer) string { return promotedHCL(r, promoted, "") },
			func(r gitServer) string { return promotedHCL(r, strings.Repeat("ab", 20), "") },
			append([]string{trackingPath}, fixtureFiles...),
		},
		"a setting changes": {
			func(r gitServer) string { return fleetHCL(r, fleetOptions{commit: promotedCommit(promoted)}) },
			func(r gitServer) string {
				return fleetHCL(r, fleetOptions{commit: promotedCommit(strings.Repeat("ab", 20))})
			},
			append([]string{trackingPath}, fixtureFiles...),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce(t, func(t *testing.T, parallelism string) {
				r := transports["file"](t)
				w := newWorkspace(t, "", nil)
				w.applies(t, test.before(r), parallelism)
				w.applies(t, called("other", test.after(r)), parallelism)
				expectFiles(t, r, "prod", test.want...)
				if parallelism == together {
					expectNeverGone(t, r.repo, "prod", withoutPrefix(test.want, "small/")...)
				}
				w.settled(t)
			})
		})
	}
}

// promotedCommit sets the promoted commit.
func promotedCommit(commit string) string { return fmt.Sprintf("promoted_commit = %q", commit) }

// A rename in two applies, as after an interruption, ends right, whichever comes first.
func TestAccCLI_renameInTwoApplies(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		config := promotedHCL(r, promoted, "")
		files := append([]string{trackingPath}, fixtureFiles...)
		w := newWorkspace(t, "", nil)
		w.applies(t, config, parallelism)

		// The new one first: the old one has nothing to remove then, and says so.
		w.applies(t, called("other", config), parallelism, "-target=kalypso_gitops_commit.other")
		said := w.applies(t, called("other", config), parallelism)
		expectSaid(t, said, "warning", "Removes nothing: prod in ", `belong to environment "prod"`)
		expectNeverGone(t, r.repo, "prod", files...)
		w.settled(t)

		// The old one first: what it removed is written again.
		w.applies(t, called("third", config), parallelism, "-target=kalypso_gitops_commit.other")
		expectFiles(t, r, "prod")
		w.applies(t, called("third", config), parallelism)
		expectFiles(t, r, "prod", files...)
		expectOwner(t, r.repo, "prod", w.instance(t, "third"), ".", "large", "small")
		w.settled(t)
	})
}

// A rename to another alias of the provider is one between two processes, which see of
// each other what stands in the branch.
func TestAccCLI_renameToAnotherAlias(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["http"](t)
		r.provider += strings.Replace(r.provider, `provider "kalypso" {`, "provider \"kalypso\" {\nalias = \"other\"\n", 1)
		w := newWorkspace(t, "", nil)
		w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
		w.applies(t, called("other", fleetHCL(r, fleetOptions{commit: "provider = kalypso.other"})), parallelism)
		expectOwned(t, w, r, "other", "blue")
		w.applies(t, called("third", fleetHCL(r, fleetOptions{family: "green"})), parallelism)
		expectOwned(t, w, r, "third", "green")
	})
}

// spellings serve a repository by two URLs.
var spellings = map[string]func(t *testing.T) (r gitServer, other string){
	"a path for file": func(t *testing.T) (gitServer, string) {
		r := transports["file"](t)
		return r, r.repo.Path()
	},
	"a symbolic link": func(t *testing.T) (gitServer, string) {
		r := transports["file"](t)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(r.repo.Path(), link); err != nil {
			t.Fatal(err)
		}
		return r, "file://" + link
	},
	"a slash at the end": func(t *testing.T) (gitServer, string) {
		r := transports["http"](t)
		return r, r.url + "/"
	},
	"http without .git": func(t *testing.T) (gitServer, string) { return withoutSuffix(transports["http"](t)) },
	"ssh without .git":  func(t *testing.T) (gitServer, string) { return withoutSuffix(transports["ssh"](t)) },
	"ssh for http": func(t *testing.T) (gitServer, string) {
		r := transports["http"](t)
		server := gittest.ServeSSH(t, r.repo)
		_, ssh, _ := strings.Cut(sshProvider(server.URL(), server.PrivateKey(t, ""), server.KnownHosts()), "git = [{")
		ssh, _, _ = strings.Cut(ssh, "}]")
		r.provider = strings.Replace(r.provider, "git = [{", "git = [{"+ssh+"}, {", 1)
		return r, server.URL()
	},
}

// withoutSuffix returns a server that is reached with ".git" at the end, and without.
func withoutSuffix(r gitServer) (gitServer, string) {
	short := strings.TrimSuffix(r.url, ".git")
	r.provider = strings.Replace(r.provider, r.url, strings.TrimSuffix(short, filepath.Base(short)), 1)
	return r, short
}

// Another name together with another URL of the same repository is refused, where the URL
// does not tell that it is the same place. With a moved block, nothing is written.
func TestAccCLI_renameToAnotherURL(t *testing.T) {
	t.Parallel()
	for name, spelling := range spellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, other := spelling(t)
			w := newWorkspace(t, "", nil)
			w.applies(t, atURL(r, r.url, false))
			if remote.Key(r.url) == remote.Key(other) {
				w.applies(t, called("other", atURL(r, other, false)), together)
				expectOwned(t, w, r, "other", "blue")
				w.applies(t, called("third", atURL(r, r.url, true)), inTurn)
				expectOwned(t, w, r, "third", "blue")
				return
			}
			head := r.repo.Head(t, "prod")
			w.write(t, "main.tf", called("other", atURL(r, other, false)))
			w.isRefused(t, r.repo, "apply -auto-approve", "Removed and wanted in one plan", "cluster types large, small", "moved {", "-target")
			w.applies(t, called("other", atURL(r, other, false))+"moved {\n  from = "+theCommit+"\n  to   = kalypso_gitops_commit.other\n}\n")
			expectOwned(t, w, r, "other", "blue")
			if now := r.repo.Head(t, "prod"); now != head {
				t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
			}
		})
	}
}

// Another name together with another environment is refused; a moved block makes it a
// renaming of the environment.
func TestAccCLI_renameWithTheEnvironment(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	fleet := plainFleet("blue", "large small", "prod", "stage")
	w.applies(t, fleet+plainCommit("one", "prod", "main", ""))
	stage := fleet + plainCommit("two", "stage", "main", "")
	w.write(t, "main.tf", stage)
	for _, parallelism := range []string{together, inTurn} {
		w.isRefused(t, r.repo, "plan "+parallelism, "Removed and wanted in one plan", "cluster types large, small", `environment "prod"`, `environment "stage"`, "moved {")
	}
	w.applies(t, stage+"moved {\n  from = kalypso_gitops_commit.one\n  to   = kalypso_gitops_commit.two\n}\n")
	w.settled(t)
	if files := r.repo.Files(t, "main"); files["large/live-stage/reconciler.yaml"] == "" && files["large/web-live-stage/reconciler.yaml"] == "" {
		t.Errorf("the branch does not hold stage: %v", files)
	}
}

// atURL is the fleet, whose repository is given by that URL.
func atURL(r gitServer, url string, keptFirst bool) string {
	return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("repo = %q\n  lifecycle {\n    create_before_destroy = %t\n  }", url, keptFirst)})
}

// A replacement moves no packages, also where another URL is the same place; the same
// change without a replacement is none that writes anything.
func TestAccCLI_replaceAtAnotherURL(t *testing.T) {
	t.Parallel()
	for name, keptFirst := range map[string]bool{"destroy first": false, "create first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, other := spellings["a symbolic link"](t)
			w := newWorkspace(t, "", nil)
			w.applies(t, atURL(r, r.url, keptFirst))
			head := r.repo.Head(t, "prod")
			w.write(t, "main.tf", atURL(r, other, keptFirst))
			w.isRefused(t, r.repo, "plan -replace="+theCommit, "A replacement cannot move packages", "Apply the move alone")
			w.applies(t, atURL(r, other, keptFirst))
			expectOwned(t, w, r, "prod", "blue")
			if now := r.repo.Head(t, "prod"); now != head {
				t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
			}
		})
	}
}

// A rename proposes nothing that removes packages which the new name wants; a request of
// that kind, as where the destroy comes first, does not outlive the apply.
func TestAccPullRequest_rename(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		h := newGitHub(t)
		w := newWorkspace(t, "", nil)
		w.applies(t, h.proposing("blue", ""), parallelism)
		h.merge(t)
		for _, to := range []struct{ name, family string }{{"other", "blue"}, {"third", "green"}} {
			w.applies(t, called(to.name, h.proposing(to.family, "")), parallelism)
			h.merge(t)
			w.settled(t)
			if err := h.holds(t, "prod", to.family); err != nil {
				t.Error(err)
			}
			w.mustRun(t, "apply", "-auto-approve") // so that the state knows of the merge
			expectOwner(t, h.repo, "prod", w.instance(t, to.name), ".", "large", "small")
		}
		expectNeverGone(t, h.repo, "prod", fixtureFiles...)
	})
}
