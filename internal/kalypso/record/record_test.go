// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// full is a record with something of everything.
var full = record.Record{
	Instance: recordtest.Instance("1"), Environment: "dev", Branch: "envs/dev", Path: "clusters/eu", IsPart: true, Provider: "1.2.3",
	Release: record.Release{Commit: strings.Repeat("c1", 20),
		Sources: map[string]string{"https://git.example/team/web#main": strings.Repeat("a1", 20)}},
	Folders: map[string]record.Line{"large": record.Owned, "small": record.Released, "./docs/fleet.md": record.Owned,
		engine.PromotedCommitFile: record.Owned},
}

// The file of a record is plain YAML with an empty line before each folder.
func TestRecordContent(t *testing.T) {
	t.Parallel()
	want := `environment: dev
branch: envs/dev
path: clusters/eu
provider_version: 1.2.3
cluster_types: true
release:
  commit: c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1
  sources:
    https://git.example/team/web#main: a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
folders:

  ./docs/fleet.md: owned

  .github/tracking/Promoted_Commit_Id: owned

  large: owned

  small: released
`
	if text := diff.Diff(want, string(full.Content())); text != "" {
		t.Errorf("(-want +got):\n%s", text)
	}
	got, err := record.ParseRecord(full.Instance, full.Content())
	if text := diff.Diff(full, got); text != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, text)
	}
}

// hostile are texts that YAML could read as something else.
var hostile = []string{
	"on", "Yes", "no", "null", "~", "true", "1", "1.0", "0x10", "1e3", "2026-01-01", "a: b", "a #b", "#a", "- a", "? a", "*a", "&a", "!a",
	"@a", "%a", "{a}", "[a]", "'a'", `"a"`, "|", ">", " a", "a ", "größe", "a\\b", "=", "<<", "a:b", ":", "---", "...",
}

// Any environment, source and folder is read back as it was, by the provider and by other programs
// such as Terraform's yamldecode.
func TestRecordOfHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range hostile {
		want := full
		want.Environment, want.Release.Sources = name, map[string]string{"https://git.example/" + name + "#main": "c1"}
		want.Folders = map[string]record.Line{"large": record.Owned}
		for _, key := range []string{name, "./" + name} {
			if record.CheckKey(key) == nil {
				want.Folders[key] = record.Released
			}
		}
		content := want.Content()
		got, err := record.ParseRecord(want.Instance, content)
		if text := diff.Diff(want, got); text != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s\n%s", name, err, text, content)
		}
		var value struct {
			Environment any         `yaml:"environment"`
			Folders     map[any]any `yaml:"folders"`
		}
		if err := yaml.Unmarshal(content, &value); err != nil || value.Environment != name || len(value.Folders) != len(want.Folders) {
			t.Errorf("%q: another program reads %+v, error %v\n%s", name, value, err, content)
		}
		for key, line := range want.Folders {
			if value.Folders[key] != string(line) {
				t.Errorf("another program reads the line of %q as %#v in\n%s", key, value.Folders[key], content)
			}
		}
	}
	for _, word := range []string{"on", "Yes", "no", "y", "off"} { // YAML 1.1 has more words for true and false
		if content := string((record.Record{Environment: word, Folders: lines(word)}).Content()); strings.Count(content, `"`+word+`"`) != 2 {
			t.Errorf("%s is not quoted in\n%s", word, content)
		}
	}
}

func TestParseRecord(t *testing.T) {
	t.Parallel()
	const head = "environment: dev\nbranch: dev\npath: .\n"
	plain := record.Record{Instance: recordtest.Instance("1"), Environment: "dev", Branch: "dev", Path: "."}
	folders := func(names ...string) func(*record.Record) {
		return func(r *record.Record) { r.Folders = lines(names...) }
	}
	for name, test := range map[string]struct {
		text string
		want func(r *record.Record)
		err  string
	}{
		"no lines":              {text: head},
		"unknown fields":        {text: head + "future: {a: [b]}\nfolders:\n  a: owned\n", want: folders("a")},
		"without empty lines":   {text: head + "folders: {a: owned, ./b.md: owned}\n", want: folders("a", "./b.md")},
		"comments":              {text: "# ours\n" + head + "folders:\n  # a\n  a: owned # b\n", want: folders("a")},
		"Windows line ends":     {text: strings.ReplaceAll(head+"folders:\n\n  a: owned\n", "\n", "\r\n"), want: folders("a")},
		"a path to clean":       {text: "environment: dev\nbranch: dev\npath: ./us/\n", want: func(r *record.Record) { r.Path = "us" }},
		"no path":               {text: "environment: dev\nbranch: dev\n"},
		"a release of words":    {text: head + "release: {commit: two words, sources: {a: b}}\n"},
		"a version as a number": {text: head + "provider_version: 1.2\n", want: func(r *record.Record) { r.Provider = "1.2" }},
		"empty":                 {err: "it names no environment"},
		"no environment":        {text: "branch: dev\n", err: "it names no environment"},
		"no branch":             {text: "environment: dev\n", err: "branch"},
		"a wrong branch":        {text: "environment: dev\nbranch: a..b\n", err: "a..b"},
		"a path outside":        {text: "environment: dev\nbranch: dev\npath: ../x\n", err: "its path"},
		"no YAML":               {text: "{", err: "it is not YAML"},
		"a merge conflict": {text: head + "folders:\n<<<<<<< HEAD\n  a: owned\n=======\n  b: owned\n>>>>>>> main\n",
			err: "it is not YAML"},
		"the same line twice": {text: head + "folders:\n  a: owned\n  a: released\n", err: "it is not YAML"},
		"a list":              {text: "- a\n", err: "it is not YAML"},
		"another value":       {text: head + "folders:\n  a: mine\n", err: `the line "a" has the value "mine". Write owned or released`},
		"no value":            {text: head + "folders:\n  a:\n", err: `the line "a" has the value "". Write owned or released`},
		"a path as a name":    {text: head + "folders:\n  a/b: owned\n", err: `the line "a/b"`},
		"a path upwards":      {text: head + "folders:\n  ./../x: owned\n", err: `the line "./../x"`},
		"a path not clean":    {text: head + "folders:\n  ./a//x: owned\n", err: `the line "./a//x"`},
		"the place itself":    {text: head + "folders:\n  ./.: owned\n", err: `the line "./."`},
		"an absolute path":    {text: head + "folders:\n  /a: owned\n", err: `the line "/a"`},
		"the folder of git":   {text: head + "folders:\n  .git: owned\n", err: `the line ".git"`},
		"an empty name":       {text: head + "folders:\n  \"\": owned\n", err: `the line ""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := record.ParseRecord(recordtest.Instance("1"), []byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			want := plain
			if test.want != nil {
				test.want(&want)
			}
			if text := diff.Diff(want, got, cmpopts.EquateEmpty()); text != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, text)
			}
		})
	}
}

// lines are those of owned folders.
func lines(keys ...string) map[string]record.Line {
	all := map[string]record.Line{}
	for _, key := range keys {
		all[key] = record.Owned
	}
	return all
}

// A text that is a record stays one when it is written, and says the same.
func FuzzParseRecord(f *testing.F) {
	f.Add(full.Content())
	f.Add([]byte("environment: on\nbranch: dev\nfolders: {\"a: b\": owned}"))
	for _, name := range hostile {
		f.Add(record.Record{Environment: name, Branch: "dev", Folders: lines(name, "./"+name),
			Release: record.Release{Commit: "c1", Sources: map[string]string{name: name}}}.Content())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := record.ParseRecord(recordtest.Instance("1"), text)
		if err != nil {
			return
		}
		content := r.Content()
		again, err := record.ParseRecord(recordtest.Instance("1"), content)
		if text := diff.Diff(r, again, cmpopts.EquateEmpty()); text != "" || err != nil {
			t.Fatalf("error %v (-want +got):\n%s\n%s", err, text, content)
		}
		if !r.SaysSame(again) || string(again.Content()) != string(content) {
			t.Errorf("%q is written again as %q", content, again.Content())
		}
	})
}

// A record counts only on the branch that it names. A file with another name is not a record, and a
// broken record names itself.
func TestReadRecords(t *testing.T) {
	t.Parallel()
	here, there := recordtest.Parse("1: a"), recordtest.Parse("2: a")
	there.Branch = "main"
	files := []tree.Entry{
		tree.File(here.Instance, here.Content()), tree.File(there.Instance, there.Content()), tree.File("README.md", []byte("{")),
		tree.Subdir(recordtest.Instance("4"), tree.FromEntries([]tree.Entry{tree.File("x", []byte("y"))})),
	}
	got, err := record.ReadRecords(files, "dev")
	if text := diff.Diff(record.Records{here.Instance: here}, got, cmpopts.EquateEmpty()); text != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, text)
	}
	_, err = record.ReadRecords(append(files, tree.File(recordtest.Instance("3"), []byte("{"))), "dev")
	if err == nil || !strings.Contains(err.Error(), ".kalypso/"+recordtest.Instance("3")) || !strings.Contains(err.Error(), `branch "dev"`) {
		t.Errorf("error %v", err)
	}
}

// Git merges two edits of a record, also of folders that are neighbours.
func TestRecordsMerge(t *testing.T) {
	t.Parallel()
	base := recordtest.Parse("1: a b c d")
	edit := func(change func(lines map[string]record.Line)) record.Record {
		r := recordtest.Parse("1: a b c d")
		change(r.Folders)
		return r
	}
	for name, test := range map[string]struct {
		ours, theirs func(lines map[string]record.Line)
		want         string
	}{
		"neighbours are released": {func(l map[string]record.Line) { l["b"] = record.Released },
			func(l map[string]record.Line) { l["c"] = record.Released }, "1: a b=released c=released d"},
		"one goes, its neighbour is released": {func(l map[string]record.Line) { delete(l, "a") },
			func(l map[string]record.Line) { l["c"] = record.Released }, "1: b c=released d"},
		"one comes, another goes": {func(l map[string]record.Line) { l["aa"] = record.Owned },
			func(l map[string]record.Line) { delete(l, "d") }, "1: a aa b c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := record.ParseRecord(recordtest.Instance("1"), merged(t, edit(test.ours), base, edit(test.theirs)))
			if err != nil {
				t.Fatal(err)
			}
			if text := recordtest.Short(got); text != test.want {
				t.Errorf("merged %q, want %q", text, test.want)
			}
		})
	}
}

// merged merges two edits as Git does.
func merged(t *testing.T, ours, base, theirs record.Record) []byte {
	t.Helper()
	folder, args := t.TempDir(), []string{"merge-file", "-p"}
	for name, r := range map[string]record.Record{"ours": ours, "base": base, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(folder, name), r.Content(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ours", "base", "theirs"} {
		args = append(args, filepath.Join(folder, name))
	}
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatalf("git merge-file: %v\n%s", err, out)
	}
	return out
}

// Two spellings of the URL of a source are one source.
func TestSameRelease(t *testing.T) {
	t.Parallel()
	one := record.Release{Commit: "c", Sources: map[string]string{"https://host/contoso/shop#main": "1", "https://host/a#main": "2"}}
	for name, test := range map[string]struct {
		other map[string]string
		same  bool
		moved []string
	}{
		"another case": {map[string]string{"https://host/Contoso/Shop.git#main": "1", "https://HOST/a#main": "2"}, true, nil},
		"another branch": {map[string]string{"https://host/contoso/shop#Main": "1", "https://host/a#main": "2"}, false,
			[]string{"https://host/contoso/shop#Main", "https://host/contoso/shop#main"}},
		"another commit": {map[string]string{"https://host/Contoso/Shop.git#main": "3", "https://host/a#main": "2"}, false,
			[]string{"https://host/Contoso/Shop.git#main"}},
	} {
		moved, _ := record.MovedSources(one.Sources, test.other)
		if same := one.Same(record.Release{Commit: "c", Sources: test.other}); same != test.same || !slices.Equal(moved, test.moved) {
			t.Errorf("%s: same is %t, moved are %v", name, same, moved)
		}
	}
}

// Only a web page at the end of a message is the run.
func TestRunOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"dev: +1\n\nKalypso-Run: https://ci.example/7\n":                         "https://ci.example/7",
		"dev: +1\n\nKalypso-Run: https://ci.example/7\n\nSigned-off-by: x <x@y>": "",
		"dev: +1\n\nKalypso-Run: javascript:alert(1)\n":                          "",
		"dev: +1\n\nKalypso-Run: https://ci.example/7 more\n":                    "",
		"dev: +1": "", "": "",
	} {
		if got := record.RunOf(text); got != want {
			t.Errorf("%q has the run %q, want %q", text, got, want)
		}
	}
}
