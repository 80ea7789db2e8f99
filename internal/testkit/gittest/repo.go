// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package gittest gives tests real git repositories and real git servers: bare
// repositories on disk, smart HTTP(S) and SSH on loopback. Everything is safe
// for parallel tests, uses no fixed port and is gone when the test ends. It
// needs the git command line, whose configuration it keeps out of the tests.
package gittest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Repo is a bare repository below the test's temporary folder. It accepts
// filters and wants of any object, as the large forges do; SetConfig turns that
// off: uploadpack.allowFilter, uploadpack.allowAnySHA1InWant.
type Repo struct{ path string }

// NewBare makes an empty bare repository.
func NewBare(t testing.TB) *Repo {
	t.Helper()
	return NewNamed(t, "repo.git")
}

// NewNamed makes an empty bare repository in a folder of that name, with further
// options of git init.
func NewNamed(t testing.TB, name string, options ...string) *Repo {
	t.Helper()
	r := &Repo{path: filepath.Join(t.TempDir(), name)}
	if len(options) == 0 {
		if err := makeBare(r.path); err != nil {
			t.Fatal(err)
		}
	} else {
		run(t, nil, append(append([]string{"init", "--quiet", "--bare", "--initial-branch=main", "--template="}, options...), r.path)...)
	}
	r.configure(t, settings)
	return r
}

// makeBare makes what git init makes, without a process.
func makeBare(path string) error {
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(path, folder), 0o755); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
	return errors.Join(
		os.WriteFile(filepath.Join(path, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(path, "config"), []byte(config), 0o600))
}

// CopyFrom has an empty repository hold what another one holds, without a process.
func (r *Repo) CopyFrom(t testing.TB, other *Repo) {
	t.Helper()
	for _, folder := range []string{"objects", "refs"} {
		if err := os.CopyFS(filepath.Join(r.path, folder), os.DirFS(filepath.Join(other.path, folder))); err != nil {
			t.Fatal(err)
		}
	}
}

// configure adds to the repository's configuration.
func (r *Repo) configure(t testing.TB, text string) {
	t.Helper()
	config, err := os.OpenFile(filepath.Join(r.path, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = config.WriteString(text)
		err = errors.Join(err, config.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// settings are those of every repository. They are written without git, since a process
// for each would be much of what a test takes; so would writing every object to a file
// of its own, and making sure that the disk has it.
const settings = `[core]
	fsync = none
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[http]
	receivepack = true
[receive]
	autogc = false
	unpackLimit = 1
[fastimport]
	unpackLimit = 1
[gc]
	auto = 0
`

// Path is the repository's folder.
func (r *Repo) Path() string { return r.path }

// FileURL is the repository's URL for the file transport.
func (r *Repo) FileURL() string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(r.path)}).String()
}

// Git runs git in the repository and returns what it printed.
func (r *Repo) Git(t testing.TB, args ...string) string {
	t.Helper()
	return run(t, nil, append([]string{"--git-dir", r.path}, args...)...)
}

// SetConfig sets a value of the repository's configuration.
func (r *Repo) SetConfig(t testing.TB, key, value string) {
	t.Helper()
	section, name := key[:strings.LastIndexByte(key, '.')], key[strings.LastIndexByte(key, '.')+1:]
	if outer, inner, ok := strings.Cut(section, "."); ok {
		section = fmt.Sprintf("%s %q", outer, inner)
	}
	r.configure(t, fmt.Sprintf("[%s]\n\t%s = %s\n", section, name, value))
}

// InstallHook makes a shell script one of the repository's hooks: "pre-receive".
func (r *Repo) InstallHook(t testing.TB, name, script string) {
	t.Helper()
	path := filepath.Join(r.path, "hooks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// CommitFiles makes a commit on a branch, which it creates where it is missing:
// path to content, nil content deletes the path. It returns the commit's id.
func (r *Repo) CommitFiles(t testing.TB, branch string, files map[string][]byte, message string) string {
	t.Helper()
	return r.commit(t, branch, message, changesOf(files))
}

// changesOf writes files in fast-import's language.
func changesOf(files map[string][]byte) []byte {
	var changes bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if content := files[path]; content != nil {
			fmt.Fprintf(&changes, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
		} else {
			fmt.Fprintf(&changes, "D %s\n", path)
		}
	}
	return changes.Bytes()
}

// Revision is a commit that Commit makes.
type Revision struct {
	// Branch is where it goes, and Files what it changes there, as those of CommitFiles.
	Branch string
	Files  map[string][]byte
	// Merged are commits that it merges, whose files it does not take over.
	Merged []string
	// Message, Author and Time are its own; a message, Test and 2023-11-14 where they are
	// empty.
	Message, Author string
	Time            time.Time
}

// Commit makes a commit on a branch, which it creates where it is missing, and returns
// its id.
func (r *Repo) Commit(t testing.TB, c Revision) string {
	t.Helper()
	when := int64(1700000000)
	if !c.Time.IsZero() {
		when = c.Time.Unix()
	}
	message := cmp.Or(c.Message, "change "+c.Branch)
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/%s\nauthor %s <author@example.com> %d +0000\n", c.Branch, cmp.Or(c.Author, "Test"), when)
	fmt.Fprintf(&in, "committer Test <test@example.com> %d +0000\ndata %d\n%s\n", when, len(message), message)
	if head := r.Head(t, c.Branch); head != "" {
		fmt.Fprintf(&in, "from %s\n", head)
	}
	for _, id := range c.Merged {
		fmt.Fprintf(&in, "merge %s\n", id)
	}
	in.Write(changesOf(c.Files))
	run(t, &in, "--git-dir", r.path, "fast-import", "--quiet")
	return r.Head(t, c.Branch)
}

// CommitSymlink makes a commit with a symbolic link on a branch.
func (r *Repo) CommitSymlink(t testing.TB, branch, path, target string) string {
	t.Helper()
	change := fmt.Sprintf("M 120000 inline %s\ndata %d\n%s\n", path, len(target), target)
	return r.commit(t, branch, "link "+path, []byte(change))
}

// CommitExecutable makes a commit that turns a file of a branch into an executable one.
func (r *Repo) CommitExecutable(t testing.TB, branch, path string) string {
	t.Helper()
	blob := strings.TrimSpace(r.Git(t, "rev-parse", branch+":"+path))
	return r.commit(t, branch, "chmod "+path, fmt.Appendf(nil, "M 100755 %s %s\n", blob, path))
}

// CommitNothing makes so many commits on a branch that change no file.
func (r *Repo) CommitNothing(t testing.TB, branch string, commits int) {
	t.Helper()
	r.commit(t, branch, "nothing", make([][]byte, commits)...)
}

// commit makes a commit of each of some changes in fast-import's language.
func (r *Repo) commit(t testing.TB, branch, message string, changes ...[]byte) string {
	t.Helper()
	var in bytes.Buffer
	head := r.Head(t, branch)
	for _, change := range changes {
		fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter Test <test@example.com> 1700000000 +0000\ndata %d\n%s\n", branch, len(message), message)
		if head != "" {
			fmt.Fprintf(&in, "from %s\n", head)
		}
		in.Write(change)
		in.WriteString("\n")
		head = "" // the next one follows this one
	}
	run(t, &in, "--git-dir", r.path, "fast-import", "--quiet")
	return r.Head(t, branch)
}

// Head is the id of a branch's commit; empty if the branch does not exist.
func (r *Repo) Head(t testing.TB, branch string) string {
	t.Helper()
	if commit, ok := r.looseHead(branch); ok {
		return commit
	}
	return strings.TrimSpace(r.Git(t, "for-each-ref", "--format=%(objectname)", "refs/heads/"+branch))
}

// looseHead reads the id of a branch's commit from the file in which Git keeps it; empty if
// the branch does not exist. It is not ok if only git can read it: if branches are packed,
// or if this one is another name of a branch.
func (r *Repo) looseHead(branch string) (commit string, ok bool) {
	text, err := os.ReadFile(filepath.Join(r.path, "refs", "heads", filepath.FromSlash(branch)))
	if err != nil { // there is nothing, or a folder of other branches
		_, err = os.Stat(filepath.Join(r.path, "packed-refs"))
		return "", errors.Is(err, fs.ErrNotExist)
	}
	commit = strings.TrimSpace(string(text))
	return commit, !strings.HasPrefix(commit, "ref:")
}

// Log returns the subjects of a branch's commits, newest first; none if it does not exist.
func (r *Repo) Log(t testing.TB, branch string) []string {
	t.Helper()
	if r.Head(t, branch) == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(r.Git(t, "log", "--format=%s", "refs/heads/"+branch)), "\n")
}

// Files returns the whole tree of a revision: path to content.
func (r *Repo) Files(t testing.TB, revision string) map[string]string {
	t.Helper()
	var paths []string
	var ids bytes.Buffer
	for line := range strings.SplitSeq(r.Git(t, "ls-tree", "-r", "-z", "--full-tree", r.commitOf(t, revision)), "\x00") {
		if info, path, ok := strings.Cut(line, "\t"); ok {
			paths = append(paths, path)
			fmt.Fprintln(&ids, strings.Fields(info)[2])
		}
	}
	files := make(map[string]string, len(paths))
	rest := run(t, &ids, "--git-dir", r.path, "cat-file", "--batch=%(objectsize)")
	for _, path := range paths {
		line, content, _ := strings.Cut(rest, "\n")
		size, err := strconv.Atoi(line)
		if err != nil || size >= len(content) {
			t.Fatalf("git cat-file: %q for %s", line, path)
		}
		files[path], rest = content[:size], content[size+1:]
	}
	return files
}

// Tree returns the id of the tree or blob at a path of a revision; "" is the root.
func (r *Repo) Tree(t testing.TB, revision, path string) string {
	t.Helper()
	return strings.TrimSpace(r.Git(t, "rev-parse", r.commitOf(t, revision)+":"+path))
}

// Merge merges a branch into another one, by a merge commit.
func (r *Repo) Merge(t testing.TB, into, from string) {
	t.Helper()
	merged := strings.TrimSpace(r.Git(t, "merge-tree", "--write-tree", "refs/heads/"+into, "refs/heads/"+from))
	r.commit(t, into, "merge "+from, []byte("merge "+r.Head(t, from)+"\nM 040000 "+merged+" \n"))
}

// TreeWithout returns the id of the root tree that a branch has without one of its entries.
func (r *Repo) TreeWithout(t testing.TB, branch, name string) string {
	t.Helper()
	var entries bytes.Buffer
	for line := range strings.Lines(r.Git(t, "ls-tree", "--full-tree", "refs/heads/"+branch)) {
		if !strings.HasSuffix(line, "\t"+name+"\n") {
			entries.WriteString(line)
		}
	}
	return strings.TrimSpace(run(t, &entries, "-C", r.path, "mktree"))
}

// DeleteBranch removes a branch.
func (r *Repo) DeleteBranch(t testing.TB, branch string) {
	t.Helper()
	r.Git(t, "update-ref", "-d", "refs/heads/"+branch)
}

// Tag points a tag at a commit, wherever it was before.
func (r *Repo) Tag(t testing.TB, name, commit string) {
	t.Helper()
	r.Git(t, "update-ref", "refs/tags/"+name, commit)
}

// TagCommit is the id of the commit that a tag names; empty if there is no such tag.
func (r *Repo) TagCommit(t testing.TB, name string) string {
	t.Helper()
	return strings.TrimSpace(r.Git(t, "for-each-ref", "--format=%(objectname)", "refs/tags/"+name))
}

// Clone checks a branch out and returns the folder of the work tree.
func (r *Repo) Clone(t testing.TB, branch string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	run(t, nil, "clone", "--quiet", "--branch", branch, r.path, dir)
	return dir
}

// Fsck fails the test if git finds anything wrong with the repository.
func (r *Repo) Fsck(t testing.TB) {
	t.Helper()
	out := r.Git(t, "fsck", "--strict", "--full", "--no-dangling", "--no-progress")
	if strings.TrimSpace(out) != "" {
		t.Errorf("git fsck: %s", out)
	}
}

// Command is a git command that takes no configuration from user or system.
func Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = Env()
	return cmd
}

// Env is the environment of every git command: without what the surroundings
// say to git, with a name for commits, and past every proxy: servers are on this machine.
func Env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	return append(env,
		"no_proxy=*", "NO_PROXY=*", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com")
}

func run(t testing.TB, in *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := Command(context.Background(), args...)
	if in != nil {
		cmd.Stdin = in
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}
