// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// newExample copies an example into a workspace, and puts the repositories that it names
// on a Gitea: as its setup.sh makes them, else empty.
func newExample(t *testing.T, example string, repositories ...string) (delivery, map[string]*giteatest.Repo) {
	t.Helper()
	acceptance(t)
	modules, err := filepath.Abs("../../modules")
	if err != nil {
		t.Fatal(err)
	}
	repos, urls := map[string]*giteatest.Repo{}, []string{"../../modules", modules}
	slices.SortFunc(repositories, func(a, b string) int { return len(b) - len(a) }) // shop begins shop-manifests
	for _, name := range repositories {
		repos[name] = giteatest.NewRepo(t)
		for _, prefix := range []string{"https://github.com/contoso/" + name, "${local.repositories}/" + name + ".git"} {
			urls = append(urls, prefix, repos[name].URL())
		}
	}
	d := delivery{workspace: newBuiltWorkspace(t, ""), gitops: repos["gitops"]}
	for _, own := range []string{"main.tf", "versions.tf"} {
		if err := os.Remove(filepath.Join(d.dir, own)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(d.dir, os.DirFS("../../examples/"+example)); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(d.dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.WriteFile(file, []byte(strings.NewReplacer(urls...).Replace(readFile(t, file))), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, "server.tf", d.provider())

	d.shell(t, "bash setup.sh")
	d.pushes(t, repos)
	return d, repos
}

// pushes brings the branches of the local repositories that setup.sh has made to the server.
func (w workspace) pushes(t *testing.T, repos map[string]*giteatest.Repo) {
	t.Helper()
	for name, repo := range repos {
		bare := filepath.Join(w.dir, "repositories", name+".git")
		if _, err := os.Stat(bare); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		w.shell(t, fmt.Sprintf("git --git-dir=%s push --quiet --force %s 'refs/heads/*:refs/heads/*'", bare, authorized(repo)))
	}
}

// authorized is a repository's URL with the token of a person who may write to it.
func authorized(repo *giteatest.Repo) string {
	return strings.Replace(repo.URL(), "://", "://"+giteatest.Writer+":"+repo.Token(giteatest.Writer)+"@", 1)
}

// shell runs a command in the workspace's folder.
func (w workspace) shell(t *testing.T, script string) {
	t.Helper()
	command := exec.Command("bash", "-euo", "pipefail", "-c", script)
	command.Dir = w.dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
