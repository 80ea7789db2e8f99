// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// newLoader starts a run of its own.
func newLoader(t testing.TB) *controlplane.Loader {
	t.Helper()
	client, err := git.NewClient(git.Options{Trust: remote.Trust{remote.ParsePrefix("file://")},
		Backoff: wait.Backoff{Duration: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return &controlplane.Loader{Snapshots: client.Snapshots()}
}

// at asks for everything of the branch dev.
func at(repo string) controlplane.Scope {
	return controlplane.Scope{Environment: "dev", Branch: git.Branch{Repo: repo, Name: "dev"}, Path: "."}
}

// load loads without errors.
func load(t testing.TB, request controlplane.Scope) *controlplane.Loaded {
	t.Helper()
	result, err := newLoader(t).Load(t.Context(), request)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return result
}

// fleetOf returns the fleet of what was read.
func fleetOf(result *controlplane.Loaded) *fleet.Fleet {
	objects, _ := manifest.Decode(inputs(result.Manifests))
	f, _ := fleet.New(objects, "dev")
	return f
}

// notes returns the problems of broken files and workloads of teams, by their files.
func notes(result *controlplane.Loaded) map[string]string {
	files := map[string]string{}
	for _, n := range fleetOf(result).Notes {
		for _, p := range n.Problems {
			files[cmp.Or(n.Source.File, n.Name)] += p.Error() + "\n"
		}
	}
	return files
}

// loadWant loads and wants one error that holds all of these.
func loadWant(t testing.TB, request controlplane.Scope, words ...string) {
	t.Helper()
	_, err := newLoader(t).Load(t.Context(), request)
	if err == nil {
		t.Error("no error")
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q:\n%v", word, err)
		}
	}
}

// committer is a repository that commits are made in.
type committer interface {
	CommitFiles(t testing.TB, branch string, files map[string][]byte, message string) string
}

// commitAll puts files on a branch of a repository: path to text.
func commitAll(t testing.TB, repo committer, branch string, files map[string]string) string {
	t.Helper()
	all := map[string][]byte{}
	for path, text := range files {
		all[path] = []byte(text)
	}
	return repo.CommitFiles(t, branch, all, "commit")
}

func object(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: %s\nmetadata:\n  name: %s\nspec: %s\n", kind, name, spec)
}

func baseRepo(name, repo, branch, path, commit string) string {
	return object("BaseRepo", name, fmt.Sprintf("{repo: %q, branch: %q, path: %q, commit: %q}", repo, branch, path, commit))
}

func registration(name, repo, branch, path, workspace string) string {
	return object("WorkloadRegistration", name, fmt.Sprintf("{workload: {repo: %q, branch: %q, path: %q}, workspace: %q}", repo, branch,
		path, workspace))
}

func workload(name string) string {
	return object("Workload", name, "{deploymentTargets: [{name: live, environment: dev}]}")
}

// labelled is workload as the registration delivers it.
func labelled(name, registration string) string {
	return strings.Replace(workload(name), "metadata:\n",
		"metadata:\n  labels:\n    kustomize.toolkit.fluxcd.io/name: dev-"+registration+"\n", 1)
}

func clusterType(name string) string {
	return object("ClusterType", name, "{reconciler: r, namespaceService: ns}")
}

func policy(name, workspace string) string {
	return object("SchedulingPolicy", name, fmt.Sprintf("{deploymentTargetSelector: {workspace: %q, labelSelector: "+
		"{}}, clusterTypeSelector: {labelSelector: {}}}", workspace))
}

// source is the first line of a manifest.
func source(where, text string) string { return sourceAt(where, 1, text) }

// sourceAt is the manifest of a text whose object is in that line of its file.
func sourceAt(where string, line int, text string) string {
	if objects, err := manifest.Decode(inputs([]string{text})); err == nil {
		text = manifest.Encode(objects[0])
	}
	return fmt.Sprintf("# Source: %s, line %d\n%s", where, line, text)
}
