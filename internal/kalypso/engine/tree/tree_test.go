// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// repository runs the git command line in its own empty repository.
type repository struct{ dir string }

func newRepository(t *testing.T) repository {
	t.Helper()
	r := repository{t.TempDir()}
	if out, err := r.try(t, nil, "init", "--quiet"); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return r
}

// try runs git with the input and returns its output.
func (r repository) try(t *testing.T, input []byte, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = r.dir
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// blob returns git's id of a file's content.
func (r repository) blob(t *testing.T, content []byte) string {
	t.Helper()
	id, err := r.try(t, content, "hash-object", "-t", "blob", "--stdin")
	if err != nil {
		t.Fatalf("git hash-object: %v\n%s", err, id)
	}
	return id
}

// tree returns git's id of a directory of entries.
func (r repository) tree(t *testing.T, entries []tree.Entry) string {
	t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		kind := "blob"
		if e.Mode == tree.ModeDir {
			kind = "tree"
		}
		fmt.Fprintf(&b, "%s %s %s\t%s\x00", e.Mode, kind, e.ID, e.Name)
	}
	id, err := r.try(t, b.Bytes(), "mktree", "--missing", "-z")
	if err != nil {
		t.Fatalf("git mktree: %v\n%s", err, id)
	}
	return id
}

func newDir(t *testing.T, entries ...tree.Entry) *tree.Dir {
	t.Helper()
	d, err := tree.NewDir(entries)
	if err != nil {
		t.Fatalf("NewDir: %v", err)
	}
	return d
}

func TestIDsThatEveryoneKnows(t *testing.T) {
	t.Parallel()
	if got := tree.File("empty", nil).ID.String(); got != "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" {
		t.Errorf("the empty file is %s", got)
	}
	if got := newDir(t).ID.String(); got != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("the empty tree is %s", got)
	}
}

func TestFileIDsAreGits(t *testing.T) {
	t.Parallel()
	git := newRepository(t)
	for name, content := range map[string]string{
		"empty": "", "line": "hello\n", "carriage returns": "a\r\nb\r\n", "bytes": "\x00\xff\x00", "long": strings.Repeat("0123456789", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := tree.File("name", []byte(content))
			if want := git.blob(t, []byte(content)); e.ID.String() != want {
				t.Errorf("File gave %s, git %s", e.ID, want)
			}
			if e.Mode != tree.ModeFile || string(e.Content) != content {
				t.Errorf("the entry is %+v", e)
			}
		})
	}
}

func TestDirIDsAreGits(t *testing.T) {
	t.Parallel()
	git := newRepository(t)
	sub := newDir(t, tree.File("x", []byte("x")))
	tests := map[string][]tree.Entry{
		"nothing": nil,
		"files":   {tree.File("b", []byte("1")), tree.File("a", []byte("2")), tree.File("B", []byte("3"))},
		// A directory sorts as if its name ended in a slash. The slash sorts between "-",
		// "." and "0".
		"files around a directory": {tree.File("a0", nil), tree.File("a.b", nil), tree.Subdir("a", sub), tree.File("a-b", nil),
			tree.File("ab", nil)},
		"beyond ASCII": {tree.File("é", nil), tree.File("z", nil), tree.Subdir("日本", sub)},
		"every mode": {
			{Name: "run", Mode: tree.ModeExecutable, ID: tree.File("", nil).ID},
			{Name: "link", Mode: tree.ModeSymlink, ID: tree.File("", []byte("run")).ID},
			tree.Subdir("dir", sub),
		},
	}
	for name, entries := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := newDir(t, entries...).ID.String(), git.tree(t, entries); got != want {
				t.Errorf("NewDir gave %s, git %s", got, want)
			}
		})
	}
}

func TestRandomDirsAreGits(t *testing.T) {
	t.Parallel()
	git := newRepository(t)
	random := rand.New(rand.NewPCG(1, 2))
	sub := newDir(t)
	for range 20 {
		entries := map[string]tree.Entry{}
		for range random.IntN(30) {
			var name string
			for range 1 + random.IntN(3) {
				name += string("a-.0_Z"[random.IntN(6)])
			}
			if tree.CheckName(name) != nil {
				continue
			}
			entries[name] = tree.File(name, []byte(name))
			if random.IntN(2) == 0 {
				entries[name] = tree.Subdir(name, sub)
			}
		}
		var list []tree.Entry
		for _, e := range entries {
			list = append(list, e)
		}
		d := newDir(t, list...)
		if want := git.tree(t, list); d.ID.String() != want {
			t.Errorf("NewDir gave %s, git %s, for %v", d.ID, want, list)
		}
		slices.Reverse(list)
		if again := newDir(t, list...); again.ID != d.ID {
			t.Errorf("the order of entries matters: %v", list)
		}
	}
}

func TestEncodeIsWhatGitStores(t *testing.T) {
	t.Parallel()
	git := newRepository(t)
	entries := []tree.Entry{tree.File("b", []byte("1")), tree.Subdir("a", newDir(t))}
	id := git.tree(t, entries)
	stored, err := git.try(t, nil, "cat-file", "tree", id)
	if err != nil {
		t.Fatalf("git cat-file: %v", err)
	}
	if diff := cmp.Diff(stored, strings.TrimSpace(string(newDir(t, entries...).Encode()))); diff != "" {
		t.Errorf("content (-git +Encode):\n%s", diff)
	}
}

func TestNewDirRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries []tree.Entry
		want    string
	}{
		"two of one name": {[]tree.Entry{tree.File("a", nil), tree.File("b", nil), tree.File("a", nil)},
			`the name "a" exists twice`},
		"a name that leaves the folder": {[]tree.Entry{tree.File("..", nil)}, "would leave its folder"},
		"a path for a name":             {[]tree.Entry{tree.File("a/b", nil)}, "contains a separator"},
		"file and directory of one name, with others between": {
			[]tree.Entry{tree.File("a", nil), tree.File("a.b", nil), tree.File("a-b", nil), tree.Subdir("a", tree.FromEntries(nil))},
			`the name "a" exists twice`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tree.NewDir(test.entries)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("NewDir gave %v, want %q", err, test.want)
			}
		})
	}
}

func TestNewDirLeavesItsArgumentAlone(t *testing.T) {
	t.Parallel()
	entries := []tree.Entry{tree.File("b", nil), tree.File("a", nil)}
	newDir(t, entries...)
	if entries[0].Name != "b" {
		t.Error("NewDir sorted the caller's entries")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	d := newDir(t, tree.File("a", []byte("content")), tree.Subdir("b", newDir(t)))
	if e, ok := d.Find("a"); !ok || string(e.Content) != "content" {
		t.Errorf("Find(a) gave %v, %v", e, ok)
	}
	if e, ok := d.Find("b"); !ok || e.Dir == nil {
		t.Errorf("Find(b) gave %v, %v", e, ok)
	}
	if _, ok := d.Find("c"); ok {
		t.Error("Find(c) found something")
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	const full = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	id, err := tree.ParseID(full)
	if err != nil || id.String() != full || id.Short() != "e69de29bb2d1" || id.IsZero() {
		t.Errorf("ParseID gave %v (%s, zero: %v), %v", id, id.Short(), id.IsZero(), err)
	}
	if id, err := tree.ParseID(strings.Repeat("0", 40)); err != nil || !id.IsZero() {
		t.Errorf("ParseID of zeros gave %v, %v", id, err)
	}
	for _, wrong := range []string{"", full[:39], full + "0", "g" + full[1:], strings.Repeat("é", 20)} {
		if _, err := tree.ParseID(wrong); err == nil || !strings.Contains(err.Error(), "40 hexadecimal digits") {
			t.Errorf("ParseID(%q) gave %v", wrong, err)
		}
	}
}
