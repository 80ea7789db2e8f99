// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// all is a limit that cuts nothing.
const all = 1 << 30

// unified returns the whole diff.
func unified(changes []diff.FileChange) string {
	text, _ := diff.Unified(changes, diff.Limit{Lines: all, Bytes: all})
	return text
}

// file makes a file; its mode is that of the name's ending: .sh is executable,
// .link a symbolic link.
func file(name, content string) diff.File {
	f := diff.File{Mode: tree.ModeFile, ID: tree.File("", []byte(content)).ID, Content: []byte(content)}
	switch path.Ext(name) {
	case ".sh":
		f.Mode = tree.ModeExecutable
	case ".link":
		f.Mode = tree.ModeSymlink
	}
	return f
}

func files(contents map[string]string) map[string]diff.File {
	result := map[string]diff.File{}
	for name, content := range contents {
		result[name] = file(name, content)
	}
	return result
}

// between returns the changes that lead from files to others, both by their paths: the
// same as Trees, computed in another way.
func between(from, to map[string]diff.File) []diff.FileChange {
	var changes []diff.FileChange
	paths := map[string]diff.File{}
	maps.Copy(paths, from)
	maps.Copy(paths, to)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		c := diff.FileChange{Path: path}
		if old, existed := from[path]; existed {
			c.Old = &old
		}
		if now, exists := to[path]; exists {
			c.New = &now
		}
		if c.Old == nil || c.New == nil || c.Old.ID != c.New.ID || c.Old.Mode != c.New.Mode {
			changes = append(changes, c)
		}
	}
	return changes
}

// git runs git in a folder.
func git(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	command := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
	command.Dir = dir
	command.Stdin = strings.NewReader(stdin)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s\n%s", args, err, out, stdin)
	}
	return string(out)
}

// write makes the folder contain only these files.
func write(t *testing.T, dir string, contents map[string]string) {
	t.Helper()
	old, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range old {
		if e.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, content := range contents {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		var err error
		switch path.Ext(name) {
		case ".link":
			err = os.Symlink(content, at)
		case ".sh":
			err = os.WriteFile(at, []byte(content), 0o700)
		default:
			err = os.WriteFile(at, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func numbered(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		if line, changed := change[i]; changed {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "  line %d\n", i)
	}
	return b.String()
}

// inOurOrder sorts the output of git for each file in our order.
func inOurOrder(text string) string {
	const begin = "diff --git "
	rank := func(file string) int {
		switch {
		case strings.Contains(file, "\ndeleted file mode "):
			return 0
		case strings.Contains(file, "\nnew file mode "):
			return 2
		}
		return 1
	}
	all := strings.Split(text, begin)[1:]
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	var b strings.Builder
	for _, file := range all {
		b.WriteString(begin + file)
	}
	return b.String()
}

// TestUnifiedReadsLikeGit compares every byte with the output of git.
func TestUnifiedReadsLikeGit(t *testing.T) {
	t.Parallel()
	const text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: prod\n  labels:\n    team: web\n    tier: gold\n    size: large\n"
	for name, test := range map[string]struct{ old, now map[string]string }{
		"nothing":        {map[string]string{"a": text}, map[string]string{"a": text}},
		"new":            {nil, map[string]string{"b/x": "one\n", "b-c": text, "b.empty": ""}},
		"deleted":        {map[string]string{"x": text, "empty": "", "one": "1"}, nil},
		"one line":       {map[string]string{"x": text}, map[string]string{"x": strings.Replace(text, "web", "shop", 1)}},
		"first and last": {map[string]string{"x": text}, map[string]string{"x": "#" + text + "end\n"}},
		"two hunks": {map[string]string{"x": "kind: A\n" + numbered(30, nil)},
			map[string]string{"x": "kind: A\n" + numbered(30, map[int]string{3: "3\n", 20: "", 27: "x\ny\n"})}},
		"one hunk": {map[string]string{"x": numbered(30, nil)}, map[string]string{"x": numbered(30,
			map[int]string{3: "", 10: "x\n"})}},
		"two hunks, barely": {map[string]string{"x": numbered(30, nil)}, map[string]string{"x": numbered(30,
			map[int]string{3: "", 11: "x\n"})}},
		"line break added":     {map[string]string{"x": "a\nb"}, map[string]string{"x": "a\nb\n"}},
		"line break removed":   {map[string]string{"x": "a\nb\n"}, map[string]string{"x": "a\nb"}},
		"no line break at all": {map[string]string{"x": "a"}, map[string]string{"x": "b"}},
		"emptied":              {map[string]string{"x": "a\n"}, map[string]string{"x": ""}},
		"filled":               {map[string]string{"x": ""}, map[string]string{"x": "a\n"}},
		"binary":               {map[string]string{"x": "a\x00b", "y": "text\n"}, map[string]string{"x": "a\x00c", "y": "\x00", "z": "\x00"}},
		"link":                 {map[string]string{"x.link": "a"}, map[string]string{"x.link": "b", "y.link": "c"}},
		"moved":                {map[string]string{"a/web/x": text}, map[string]string{"b/web/x": text}},
		"odd paths": {map[string]string{"a b": "1\n", "tab\tx": "3\n", "ümlaut": "5\n"},
			map[string]string{"a b": "2\n", "tab\tx": "4\n", "ümlaut": "6\n", `back\slash "q"`: "\n"}},
		"long heading": {map[string]string{"x": strings.Repeat("name ", 30) + "\n" + numbered(20, nil)},
			map[string]string{"x": strings.Repeat("name ", 30) + "\n" + numbered(20, map[int]string{9: ""})}},
		"repeated part": {map[string]string{"x": "list:\n- name: a\n  v: 1\n"},
			map[string]string{"x": "list:\n- name: a\n  v: 1\n- name: b\n  v: 1\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git(t, dir, "", "init", "--quiet")
			write(t, dir, test.old)
			git(t, dir, "", "add", "--all")
			git(t, dir, "", "commit", "--quiet", "--allow-empty", "-m", "old")
			write(t, dir, test.now)
			git(t, dir, "", "add", "--all")
			want := inOurOrder(git(t, dir, "", "-c", "core.abbrev=7", "diff", "--cached", "--no-renames"))
			got := unified(between(files(test.old), files(test.now)))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-git +ours):\n%s", d)
			}
		})
	}
}

// random makes the files of a repository: of few words, so that lines repeat.
func random(r *rand.Rand) map[string]string {
	contents := map[string]string{}
	for range r.IntN(8) {
		name := []string{"a", "b", "a b", "d/a", "d/b.sh", "e/f/ü", `q"`}[r.IntN(7)]
		contents[name] = randomText(r)
	}
	return contents
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		b.WriteString([]string{"kind: A\n", "  name: b\n", "\n", "  - c\n", "x\n", "\\ No newline at end of file\n", "--- a\n",
			"+++ b\n"}[r.IntN(8)])
	}
	if r.IntN(4) == 0 {
		b.WriteString("end")
	}
	return b.String()
}

// mutate changes some of the files, and moves some.
func mutate(r *rand.Rand, contents map[string]string) map[string]string {
	mutated := maps.Clone(contents)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		lines := strings.SplitAfter(contents[name], "\n")
		for range r.IntN(4) {
			i := r.IntN(len(lines))
			lines[i] = []string{"", "new\n", lines[i] + "x\n", randomText(r)}[r.IntN(4)]
		}
		text := strings.Join(lines, "")
		switch r.IntN(5) {
		case 0:
			delete(mutated, name)
		case 1:
			delete(mutated, name)
			mutated["moved/"+name] = text
		default:
			mutated[name] = text
		}
	}
	maps.Copy(mutated, random(r))
	return mutated
}

// TestGitAppliesTheDiff lets git apply diffs between random trees to the old
// files, and wants the new ones.
func TestGitAppliesTheDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "", "init", "--quiet")
	for seed := range race.Seeds(50) {
		r := rand.New(rand.NewPCG(seed, 9))
		old := random(r)
		now := mutate(r, old)
		text := unified(between(files(old), files(now)))
		write(t, dir, old)
		if text != "" {
			git(t, dir, text, "apply", "--whitespace=nowarn", "-")
		}
		if d := cmp.Diff(now, read(t, dir)); d != "" {
			t.Fatalf("seed %d (-new +applied):\n%s\n%s", seed, d, text)
		}
	}
}

// A name with characters that do not print is quoted, and no other one.
func TestUnifiedQuotesNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"aüb": "b/aüb", "a日\u0301": "b/a日\u0301", "a\"b": `"b/a\"b"`, `a\b`: `"b/a\\b"`,
		"a\nb": `"b/a\nb"`, "a\x1bb": `"b/a\x1bb"`, "a\u202eb": `"b/a\u202eb"`, "a\xffb": `"b/a\xffb"`, "a\u00a0b": `"b/a\u00a0b"`} {
		if text := unified(between(nil, files(map[string]string{name: "1\n"}))); !strings.Contains(text, "\n+++ "+want+"\n") {
			t.Errorf("%q is not %s in\n%s", name, want, text)
		}
	}
}

// read returns the files of a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == ".git" {
			return firstError(err, filepath.SkipDir)
		}
		if e.IsDir() {
			return nil
		}
		content, err := os.ReadFile(at)
		name, _ := filepath.Rel(dir, at)
		contents[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// firstError returns the error, or else the result without one.
func firstError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func TestUnifiedIsCutBetweenFiles(t *testing.T) {
	t.Parallel()
	changes := between(nil, files(map[string]string{"a": numbered(10, nil), "b": numbered(20, nil), "c": "1\n"}))
	const header = 6 // lines
	for most, want := range map[diff.Limit]struct {
		lines int
		left  string
	}{
		{100, all}: {header + 10 + header + 20 + header + 1, ""},
		{42, all}:  {header + 10 + header + 20, "1 more file"},
		{41, all}:  {header + 10, "2 more files"},
		{10, all}:  {10, "6 lines of a, and 2 more files"},
		{0, all}:   {0, "16 lines of a, and 2 more files"},
		{all, 300}: {header + 10, "2 more files"},
		{all, 100}: {header - 1, "11 lines of a, and 2 more files"},
		{all, 0}:   {0, "16 lines of a, and 2 more files"},
	} {
		text, left := diff.Unified(changes, most)
		if lines := strings.Count(text, "\n"); lines != want.lines || left != want.left || len(text) > most.Bytes {
			t.Errorf("limit %v: %d lines, left out %q; want %d and %q\n%s", most, lines, left, want.lines, want.left, text)
		}
	}
}

func TestUnifiedOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	known := file("x", "a\n")
	unknown := diff.File{Mode: tree.ModeFile, ID: tree.File("", []byte("b\n")).ID}
	for name, test := range map[string]struct {
		old, now map[string]diff.File
		want     string
	}{
		"changed": {map[string]diff.File{"x": unknown}, map[string]diff.File{"x": known},
			"diff --git a/x b/x\nindex 6178079..7898192 100644\nThe content of a/x is not available, only its id.\n"},
		"deleted": {map[string]diff.File{"x": unknown}, nil,
			"diff --git a/x b/x\ndeleted file mode 100644\nindex 6178079..0000000\nThe content of a/x is not available, only its id.\n"},
		"submodule": {map[string]diff.File{"x": {Mode: tree.ModeSubmodule, ID: known.ID}},
			map[string]diff.File{"x": {Mode: tree.ModeSubmodule, ID: unknown.ID}},
			"diff --git a/x b/x\nindex 7898192..6178079 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-Subproject commit " +
				"78981922613b2afb6025042ff6bd878ac1994e85\n+Subproject commit 61780798228d17af2d34fce4cfbdf35556832472\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(test.want, unified(between(test.old, test.now))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestUnifiedHidesSecrets(t *testing.T) {
	t.Parallel()
	secret := func(user, password string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Secret\nstringData:\n  user: %s\n  password: %s\n", user, password)
	}
	for name, test := range map[string]struct{ old, now, want string }{
		"changed": {secret("root", "hunter1"), secret("root", "hunter2"),
			"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-(redacted 69d9…)\n+(redacted eea9…)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := unified(between(files(map[string]string{"x": test.old}), files(map[string]string{"x": test.now})))
			if got != "diff --git a/x b/x\n"+test.want || strings.Contains(got, "hunter") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestUnifiedIsAlwaysUTF8(t *testing.T) {
	t.Parallel()
	got := unified(between(nil, files(map[string]string{"x": "caf\xe9\n"})))
	if !strings.HasSuffix(got, "+caf\uFFFD\n") {
		t.Errorf("got %q", got)
	}
}

// dirs makes folders of files by their paths.
func dirs(t *testing.T, contents map[string]string) map[string]*tree.Dir {
	t.Helper()
	folders := map[string]map[string]string{}
	for name, content := range contents {
		folder, rest, _ := strings.Cut(name, "/")
		if folders[folder] == nil {
			folders[folder] = map[string]string{}
		}
		folders[folder][rest] = content
	}
	result := map[string]*tree.Dir{}
	for name, below := range folders {
		result[name] = dir(t, below)
	}
	return result
}

func dir(t *testing.T, contents map[string]string) *tree.Dir {
	t.Helper()
	var entries []tree.Entry
	nested := map[string]string{}
	for name, content := range contents {
		if strings.Contains(name, "/") {
			nested[name] = content
			continue
		}
		f := file(name, content)
		entries = append(entries, tree.Entry{Name: name, Mode: f.Mode, ID: f.ID, Content: f.Content})
	}
	for name, d := range dirs(t, nested) {
		entries = append(entries, tree.Subdir(name, d))
	}
	d, err := tree.NewDir(entries)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTreesAgreeWithFiles compares random trees in both ways.
func TestTreesAgreeWithFiles(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		below := func(contents map[string]string) map[string]string {
			result := map[string]string{}
			for name, content := range contents {
				result["root/"+name] = content
			}
			return result
		}
		before := random(r)
		old, now := below(before), below(mutate(r, before))
		trees := diff.Trees(dir(t, old), dir(t, now))
		for i := range trees {
			trees[i].Whole = false // between does not set it
		}
		if d := cmp.Diff(between(files(old), files(now)), trees); d != "" {
			t.Fatalf("seed %d (-files +trees):\n%s", seed, d)
		}
	}
}

// Like git, a file that becomes a link is deleted and new.
func TestTreesOfALink(t *testing.T) {
	t.Parallel()
	link := tree.File("x", []byte("b\n"))
	link.Mode = tree.ModeSymlink
	got := unified(diff.Trees(tree.FromEntries([]tree.Entry{tree.File("x", []byte("a\n"))}), tree.FromEntries([]tree.Entry{link})))
	const want = "diff --git a/x b/x\ndeleted file mode 100644\nindex 7898192..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" +
		"diff --git a/x b/x\nnew file mode 120000\nindex 0000000..6178079\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTreesOfWhichOnlyTheIDIsKnown(t *testing.T) {
	t.Parallel()
	known := dir(t, map[string]string{"x": "a\n"})
	old := tree.FromEntries([]tree.Entry{{Name: "stays", Mode: tree.ModeDir, ID: known.ID}, {Name: "web", Mode: tree.ModeDir, ID: tree.ID{1}}})
	now, err := tree.NewDir([]tree.Entry{tree.Subdir("stays", known), tree.Subdir("web", known)})
	if err != nil {
		t.Fatal(err)
	}
	got := unified(diff.Trees(tree.FromEntries([]tree.Entry{tree.Subdir("large", old)}),
		tree.FromEntries([]tree.Entry{tree.Subdir("large", now)})))
	const want = "diff --git a/large/web b/large/web\ndeleted file mode 40000\nindex 0100000..0000000\nThe content of a/large/web is not " +
		"available, only its id.\n" +
		"diff --git a/large/web/x b/large/web/x\nnew file mode 100644\nindex 0000000..7898192\n--- /dev/null\n+++ b/large/web/x\n@@ -0,0 +1 " +
		"@@\n+a\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// asTree is a folder of folders.
func asTree(folders map[string]*tree.Dir) *tree.Dir {
	var entries []tree.Entry
	for name, d := range folders {
		entries = append(entries, tree.Subdir(name, d))
	}
	return tree.FromForeign(entries)
}

// BenchmarkUnchanged compares 30,000 files, one of which changes.
func BenchmarkUnchanged(b *testing.B) {
	from, to := map[string]*tree.Dir{}, map[string]*tree.Dir{}
	for i := range 100 {
		var packages []tree.Entry
		for j := range 300 {
			packages = append(packages, tree.File(fmt.Sprintf("file-%d", j), []byte(numbered(10, map[int]string{0: fmt.Sprint(i, j, "\n")}))))
		}
		name := fmt.Sprintf("type-%d", i)
		from[name] = tree.FromEntries(packages)
		to[name] = from[name]
	}
	to["type-0"] = tree.FromEntries(append(slices.Clone(from["type-0"].Entries[1:]), tree.File("file-x", []byte("x"))))
	b.ReportAllocs()
	for b.Loop() {
		if text, _ := diff.Unified(diff.Trees(asTree(from), asTree(to)), diff.Limit{Lines: 400, Bytes: all}); !strings.Contains(text, "file-x") {
			b.Fatal(text)
		}
	}
}

// BenchmarkRelabel compares two fleets of 10,000 packages in which one line of every file
// differs.
func BenchmarkRelabel(b *testing.B) {
	from, to := map[string]diff.File{}, map[string]diff.File{}
	for i := range 30_000 {
		name := fmt.Sprintf("type-%d/web-%d/reconciler.yaml", i%100, i)
		from[name] = file(name, numbered(15, map[int]string{7: fmt.Sprint("old", i, "\n")}))
		to[name] = file(name, numbered(15, map[int]string{7: fmt.Sprint("new", i, "\n")}))
	}
	b.ReportAllocs()
	for b.Loop() {
		if text, left := diff.Unified(between(from, to), diff.Limit{Lines: 400, Bytes: all}); left == "" {
			b.Fatal(text)
		}
	}
}
