// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/peakmem"
)

// noise is what cannot be packed.
func noise(size int, seed byte) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(data)
	return data
}

// similar returns files that git packs as deltas, against each other and against files
// that we do not want.
func similar(folder string, count int) map[string][]byte {
	var text strings.Builder
	for line := range 200 {
		fmt.Fprintf(&text, "line %d of a file that has many versions\n", line)
	}
	files := map[string][]byte{}
	for i := range count {
		version := strings.Replace(text.String(), fmt.Sprintf("line %d ", i%200), fmt.Sprintf("line %s/%d ", folder, i), 1)
		files[fmt.Sprintf("%s/%03d.yaml", folder, i)] = []byte(version)
	}
	return files
}

// If a server sends everything, we find the wanted objects in it, also when they are deltas
// of unwanted ones.
func TestPackOfEverything(t *testing.T) {
	t.Parallel()
	wanted := similar("wanted", 40)
	files := map[string][]byte{"noise": noise(1<<20, 1)}
	maps.Copy(files, wanted)
	maps.Copy(files, similar("other", 40))
	r := diskRemote(t)
	r.repo.Limit(t, false, false)
	first := r.repo.CommitFiles(t, "dev", files, "first")
	r.repo.CommitFiles(t, "dev", map[string][]byte{"noise": noise(1<<20, 2), "wanted/000.yaml": []byte("new")}, "second")
	r.disk.Git(t, "repack", "-adfq", "--depth=4095", "--window=100")

	c := r.client(t)
	for commit, changed := range map[string]string{"": "new", first: string(wanted["wanted/000.yaml"]),
		first[:10]: string(wanted["wanted/000.yaml"])} {
		got, err := readAll(t, c.Snapshots(), git.Revision{Repo: r.url, Branch: "dev", Commit: commit}, "wanted")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for path, content := range wanted {
			want[path] = string(content)
		}
		want["wanted/000.yaml"] = changed
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("commit %q (-want +got):\n%s", commit, diff)
		}
	}
}

// A fetch never brings more than its limit.
func TestMaxFetch(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.Limit(t, false, false)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"noise": noise(1<<20, 1), "file": []byte("content")}, "first")
	for most, words := range map[int64]string{1 << 20: "max_fetch_mib", 2 << 20: ""} {
		c, err := git.NewClient(git.Options{Trust: ofThisMachine, Credentials: []git.Credential{r.credential}, MaxFetch: most})
		if err != nil {
			t.Fatal(err)
		}
		_, err = readAll(t, c.Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}, ".")
		if words == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantKind(t, err, remote.KindTooLarge, "1 MiB", words, remote.Redact(r.url))
		if _, err := c.Read(t.Context(), r.branch("dev"), git.Query{Others: visible}); err == nil {
			t.Error("a branch is read in a larger pack")
		}
	}
}

// BenchmarkPackOfEverything reads a control plane of 2,000 files beside 300 MiB of others, over
// HTTP, from a server that knows no partial fetches.
func BenchmarkPackOfEverything(b *testing.B) {
	repo := gittest.NewBare(b)
	repo.Limit(b, false, false)
	files := map[string][]byte{}
	for i := range 300 {
		files[fmt.Sprintf("other/%d", i)] = noise(1<<20, byte(i))
	}
	for i := range 2000 {
		files[fmt.Sprintf("fleet/%d.yaml", i)] = bytes.Repeat(fmt.Appendf(nil, "name: app-%d\n", i), 100)
	}
	repo.CommitFiles(b, "dev", files, "first")
	server := gittest.ServeHTTP(b, repo)
	read := func() {
		got, err := readAll(b, newClient(b).Snapshots(), git.Revision{Repo: server.URL(), Branch: "dev"}, "fleet")
		if err != nil || len(got) != 2000 || got["fleet/7.yaml"] != string(files["fleet/7.yaml"]) {
			b.Fatalf("%d files, %v", len(got), err)
		}
	}
	for b.Loop() {
		read()
	}
	files = map[string][]byte{"fleet/7.yaml": slices.Clone(files["fleet/7.yaml"])} // the rest is not measured
	peakmem.Report(b, read)
}
