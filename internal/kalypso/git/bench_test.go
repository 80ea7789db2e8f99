// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The shape of the benchmark's repository: folders with packages of three files.
const (
	benchTypes    = 100
	filesPackages = 3
)

// largeEnv asks for the benchmark of 300,000 files too.
const largeEnv = "KALYPSO_BENCH_LARGE"

func BenchmarkApply(b *testing.B) {
	eachSize(b, func(b *testing.B, packages int) {
		for _, transport := range []string{"http", "file"} {
			b.Run(transport, func(b *testing.B) {
				b.Run("new", func(b *testing.B) { benchNew(b, transport, packages) })
				b.Run("changed=1%", func(b *testing.B) { benchChanged(b, transport, packages, 1) })
				b.Run("unchanged", func(b *testing.B) { benchChanged(b, transport, packages, 0) })
			})
		}
	})
}

// BenchmarkGit does the same jobs with the git command line.
func BenchmarkGit(b *testing.B) {
	eachSize(b, func(b *testing.B, packages int) {
		for _, transport := range []string{"http", "file"} {
			// The same job: the whole fleet is given, git finds out what has changed.
			b.Run(transport+"/work-tree", func(b *testing.B) { benchGit(b, transport, packages, 100, gitWorkTree) })
			b.Run(transport+"/fast-import", func(b *testing.B) { benchGit(b, transport, packages, 100, gitFastImport) })
			// A smaller job: git is told what has changed.
			b.Run(transport+"/fast-import-told", func(b *testing.B) { benchGit(b, transport, packages, 1, gitFastImport) })
		}
	})
}

func eachSize(b *testing.B, run func(b *testing.B, packages int)) {
	sizes := []int{10_000}
	if os.Getenv(largeEnv) != "" {
		sizes = append(sizes, 100_000)
	}
	for _, packages := range sizes {
		b.Run(fmt.Sprintf("files=%d", packages*filesPackages), func(b *testing.B) { run(b, packages) })
	}
}

// benchServer is a repository, and how many bytes were fetched from it.
type benchServer struct {
	repo    *gittest.Repo
	branch  git.Branch
	client  *git.Client
	fetched func() int64
}

func serveBench(b *testing.B, transport string) benchServer {
	b.Helper()
	s := benchServer{repo: gittest.NewBare(b)}
	s.branch = git.Branch{Repo: s.repo.FileURL(), Name: "dev"}
	var packs atomic.Int64
	s.fetched = packs.Load
	if transport == "http" {
		server := gittest.ServeHTTP(b, s.repo)
		s.branch.Repo, s.fetched = server.URL(), server.Sent
	}
	var err error
	s.client, err = git.NewClient(git.Options{Trust: ofThisMachine, Logger: func(_ context.Context, _ string, fields map[string]any) {
		if n, ok := fields["bytes"].(int64); ok {
			packs.Add(n)
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// benchNew commits a whole fleet into an empty repository.
func benchNew(b *testing.B, transport string, packages int) {
	folders := benchFleet(b, packages, 0, 0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s := serveBench(b, transport)
		b.StartTimer()
		apply(b, s.client, s.branch, "new", writing(folders))
	}
}

// writing returns the edits that write folders.
func writing(folders map[string]*tree.Dir) edits {
	all := edits{}
	for name, wanted := range folders {
		all[name] = folder(wanted)
	}
	return all
}

// benchChanged commits a fleet with some of its packages changed.
func benchChanged(b *testing.B, transport string, packages, percent int) {
	s := serveBench(b, transport)
	apply(b, s.client, s.branch, "new", writing(benchFleet(b, packages, 0, 0)))
	fetched, version := s.fetched(), 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		version++
		change := writing(benchFleet(b, packages, percent, version))
		b.StartTimer()
		apply(b, s.client, s.branch, "change", change)
	}
	b.ReportMetric(float64(s.fetched()-fetched)/float64(version), "B-fetched/op")
}

// benchGit commits a fleet with one per cent of its packages changed; given is
// the part of all files in per cent that git gets to see.
func benchGit(b *testing.B, transport string, packages, given int, job func(b *testing.B, url, dir string, files []benchFile)) {
	s := serveBench(b, transport)
	apply(b, s.client, s.branch, "new", writing(benchFleet(b, packages, 0, 0)))
	before, version := s.fetched(), 0
	for b.Loop() {
		b.StopTimer()
		version++
		files := benchFiles(packages, given, 1, version)
		dir := filepath.Join(b.TempDir(), "clone")
		b.StartTimer()
		job(b, s.branch.Repo, dir, files)
	}
	if transport == "http" {
		b.ReportMetric(float64(s.fetched()-before)/float64(version), "B-fetched/op")
	}
}

// gitWorkTree is what a script would do.
func gitWorkTree(b *testing.B, url, dir string, files []benchFile) {
	runGit(b, nil, "clone", "--quiet", "--depth=1", "--branch=dev", url, dir)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.path), f.content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	runGit(b, nil, "-C", dir, "add", "--all")
	runGit(b, nil, "-C", dir, "commit", "--quiet", "--message=change")
	runGit(b, nil, "-C", dir, "push", "--quiet", "origin", "dev")
}

// gitFastImport is the quickest way that git has: no work tree.
func gitFastImport(b *testing.B, url, dir string, files []benchFile) {
	runGit(b, nil, "clone", "--quiet", "--bare", "--depth=1", "--single-branch", "--branch=dev", url, dir)
	var in bytes.Buffer
	in.WriteString("commit refs/heads/dev\ncommitter Test <test@example.com> 1700000000 +0000\ndata 6\nchange\nfrom refs/heads/dev^0\n")
	for _, f := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", f.path, len(f.content), f.content)
	}
	runGit(b, &in, "-C", dir, "fast-import", "--quiet")
	runGit(b, nil, "-C", dir, "push", "--quiet", "origin", "dev")
}

func runGit(b *testing.B, in io.Reader, args ...string) {
	b.Helper()
	cmd := gittest.Command(b.Context(), args...)
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

type benchFile struct {
	path    string
	content []byte
}

func benchContent(packageName, file string, version int) []byte {
	return fmt.Appendf(nil, `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: %s-%s
  labels: {version: "%d"}
spec:
  interval: 10m
  sourceRef: {kind: GitRepository, name: %s}
  path: ./%s
`, packageName, file, version, packageName, file)
}

var benchFileNames = [filesPackages]string{"namespace.yaml", "platform-config.yaml", "reconciler.yaml"}

// benchVersion is the version of a package of which one in a hundred changes per cent.
func benchVersion(n, percent, version int) int {
	if n/benchTypes%100 < percent {
		return version
	}
	return 0
}

// benchFleet returns the folders, with some packages in a later version.
func benchFleet(b *testing.B, packages, percent, version int) map[string]*tree.Dir {
	b.Helper()
	entries := make([][]tree.Entry, benchTypes)
	for n := range packages {
		name := fmt.Sprintf("app-%d-functional-test", n)
		var files []tree.Entry
		for _, file := range benchFileNames {
			files = append(files, tree.File(file, benchContent(name, file, benchVersion(n, percent, version))))
		}
		entries[n%benchTypes] = append(entries[n%benchTypes], tree.Subdir(name, tree.FromEntries(files)))
	}
	folders := map[string]*tree.Dir{}
	for i, e := range entries {
		d, err := tree.NewDir(append(e, tree.File("README.md", []byte("# folder\n"))))
		if err != nil {
			b.Fatal(err)
		}
		folders[fmt.Sprintf("type-%d", i)] = d
	}
	return folders
}

// benchFiles returns part of the files of benchFleet: those that change first.
func benchFiles(packages, given, percent, version int) []benchFile {
	var files []benchFile
	for n := range packages {
		if n/benchTypes%100 >= given {
			continue
		}
		name := fmt.Sprintf("app-%d-functional-test", n)
		for _, file := range benchFileNames {
			path := fmt.Sprintf("type-%d/%s/%s", n%benchTypes, name, file)
			files = append(files, benchFile{path, benchContent(name, file, benchVersion(n, percent, version))})
		}
	}
	return files
}
