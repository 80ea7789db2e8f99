// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

const someID = "0123456789abcdef"

// idOf is the id of a commit that has one digit only.
func idOf(digit string) string { return strings.Repeat(digit, 40) }

// A record says in words that people can read what is whose, and comes back as it was.
func TestRecordIsReadable(t *testing.T) {
	t.Parallel()
	r := ownership.Record{
		Instance: someID, Environment: "dev", Branch: "main", Path: "fleet", ClusterTypes: []string{"large", "small"},
		PromotedCommit: "c1", Provider: "1.2.3",
		Sources: map[string]string{"/srv/my app#main": idOf("b"), "git@example.com:app#fix/#1": idOf("a")},
	}
	want := `environment: dev
branch: main
path: fleet
provider_version: 1.2.3

promoted_commit: c1

source: ` + idOf("b") + ` /srv/my app#main

source: ` + idOf("a") + ` git@example.com:app#fix/#1

cluster_type: large

cluster_type: small
`
	if diff := cmp.Diff(want, string(r.Content())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, ok := ownership.ParseRecord(someID, r.Content()); !ok || !cmp.Equal(r, got) {
		t.Errorf("it comes back as %+v", got)
	}
	if got, want := r.String(), `environment "dev", path "fleet" (.kalypso/0123456789abcdef)`; got != want {
		t.Errorf("it is called %s", got)
	}
}

// recordText is the text of a record, of which one field is another; the folders are the
// field cluster_type, each a line.
func recordText(_ testing.TB, field string, values ...string) []byte {
	fields := map[string][]string{"environment": {"dev"}, "branch": {"main"}, "path": {"fleet"}, "cluster_type": {"large"}}
	if field != "" {
		fields[field] = values
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	return []byte(text.String())
}

// manySources are so many values of the field source.
func manySources(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("%040x https://example.com/app#b%d", i, i)
	}
	return values
}

// A record with other sources says something else.
func TestRecordSaysItsSources(t *testing.T) {
	t.Parallel()
	with := func(sources map[string]string) ownership.Record {
		return ownership.Record{Environment: "dev", Branch: "main", Sources: sources}
	}
	at := func(digit string) map[string]string { return map[string]string{"x#y": idOf(digit)} }
	if !with(at("a")).Says(with(at("a"))) || !with(nil).Says(with(map[string]string{})) {
		t.Error("the same sources differ")
	}
	for _, other := range []map[string]string{nil, at("b"), {"x#z": idOf("a")}, {"x#y": idOf("a"), "x#z": idOf("a")}} {
		if with(at("a")).Says(with(other)) || with(other).Says(with(at("a"))) {
			t.Errorf("%v is the same", other)
		}
	}
}

// A release is the commit, in either field, and the sources. Its digest is short.
func TestRelease(t *testing.T) {
	t.Parallel()
	at := func(digit string) map[string]string { return map[string]string{"x#y": idOf(digit)} }
	r := ownership.Record{Environment: "dev", SourceCommit: "c1", Sources: at("a")}
	same := ownership.Record{Environment: "stage", PromotedCommit: "c1", Sources: at("a"), ClusterTypes: []string{"large"}}
	if r.Release() != same.Release() || len(r.Release()) != len(idOf("a")) {
		t.Errorf("%s, %s", r.Release(), same.Release())
	}
	for _, other := range []ownership.Record{{}, {SourceCommit: "c1"}, {Sources: at("a")}, {SourceCommit: "c2", Sources: at("a")},
		{SourceCommit: "c1", Sources: at("b")}} {
		if other.Release() == r.Release() {
			t.Errorf("%+v is the same release", other)
		}
	}
}

// The moved sources are those that come, go or have another commit.
func TestMovedSources(t *testing.T) {
	t.Parallel()
	was := ownership.Record{Sources: map[string]string{"goes#x": "a", "moves#x": "a", "stays#x": "a"}}
	d := ownership.Desired{Sources: map[string]string{"comes#x": "b", "moves#x": "b", "stays#x": "a"}}
	if moved, all := ownership.MovedSources(was, d); !slices.Equal(moved, []string{"comes#x", "goes#x", "moves#x"}) || all != 4 {
		t.Errorf("%v of %d", moved, all)
	}
}

// Everybody who can push can write a record. A text that we would not write does not count
// as a record.
func TestParseRecord(t *testing.T) {
	t.Parallel()
	type test struct {
		instance string
		text     []byte
		want     bool
	}
	text := recordText(t, "")
	tests := map[string]test{
		"as we write it":             {someID, text, true},
		"by an editor of Windows":    {someID, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), true},
		"no text":                    {someID, nil, false},
		"cut off":                    {someID, text[:len(text)/2], false},
		"a conflict of a merge":      {someID, slices.Concat([]byte("<<<<<<< ours\n"), text), false},
		"a line that is not a field": {someID, slices.Concat(text, []byte("{}\n")), false},
		"JSON":                       {someID, []byte(`{"environment": "dev"}`), false},
		"no UTF-8":                   {someID, bytes.Replace(text, []byte("large"), []byte("lar\xffge"), 1), false},
		"a newer version's field":    {someID, recordText(t, "since", "2030"), true},
		"empty lines up to a bound":  {someID, slices.Concat(text, bytes.Repeat([]byte("\n"), ownership.MaxRecordBytes-len(text))), true},
		"and no more":                {someID, slices.Concat(text, bytes.Repeat([]byte("\n"), ownership.MaxRecordBytes)), false},
		"no folder":                  {someID, recordText(t, "cluster_type"), true},
		"folders in any order":       {someID, recordText(t, "cluster_type", "z", "a", "a"), true},
		"sources in any order":       {someID, recordText(t, "source", idOf("b")+" z#y", idOf("a")+" x#y"), true},
		"a source twice":             {someID, recordText(t, "source", idOf("b")+" x#y", idOf("a")+" x#y"), false},
		"sources up to a bound":      {someID, recordText(t, "source", manySources(ownership.MaxSources)...), true},
		"and no more sources":        {someID, recordText(t, "source", manySources(ownership.MaxSources+1)...), false},
	}
	for _, name := range []string{"", "README.md", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "0123456789abcdef\n",
		"0123456789abcdef.txt", "../0123456789abcdef", "0123456789abcdeg"} {
		tests[fmt.Sprintf("the name %q", name)] = test{name, text, false}
	}
	for field, values := range map[string]map[bool][]string{
		"environment": {false: {"", strings.Repeat("a", ownership.MaxRecordWords+1)}, true: {"dev"}},
		"branch":      {false: {"", "-x", "a..b", "refs/heads/", "a b", "HEAD"}, true: {"main", "release/1.x"}},
		"path": {
			false: {"..", "../x", "a/../b", "//", "/etc", "a//b", ".git", "a/.GIT/b", "a\x00b", `a\b`, "a:b",
				strings.Repeat("a/", ownership.MaxRecordPath)},
			true: {"", ".", "./", "/", "a", "./a/", strings.Repeat("a/", ownership.MaxRecordPath/2)[:ownership.MaxRecordPath]},
		},
		"cluster_type": {false: {"", ".", "..", "a/b", "../small", "/", `a\b`, ".git", "a\tb", strings.Repeat("x", 256)},
			true: {".dot", "ä", "a b"}},
		"promoted_commit":  {false: {strings.Repeat("a", ownership.MaxRecordWords+1)}, true: {"", "no commit"}},
		"source_commit":    {false: {strings.Repeat("a", ownership.MaxRecordWords+1)}, true: {"", "no commit"}},
		"provider_version": {true: {"", "1"}},
		"source": {
			false: {"", idOf("a"), idOf("a") + " ", idOf("a") + " x", idOf("a") + " x#", idOf("a") + " #x", "abc x#y", "main x#y",
				idOf("A") + " x#y", " x#y", idOf("a") + " x#y\tz", idOf("a") + " x#" + strings.Repeat("y", ownership.MaxSourceName)},
			true: {idOf("a") + " x#y", strings.Repeat("0", 64) + " https://example.com/x#y", idOf("a") + " /a b#c#d",
				idOf("a") + " x#" + strings.Repeat("y", ownership.MaxSourceName-2)},
		},
	} {
		for want, all := range values {
			for _, value := range all {
				tests[fmt.Sprintf("%s: %.40q", field, value)] = test{someID, recordText(t, field, value), want}
			}
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := ownership.ParseRecord(test.instance, test.text)
			if ok != test.want || !ok && !cmp.Equal(got, ownership.Record{}) || ok && got.Instance != someID {
				t.Errorf("%t: %+v", ok, got)
			}
			if !slices.IsSorted(got.ClusterTypes) || len(slices.Compact(slices.Clone(got.ClusterTypes))) < len(got.ClusterTypes) {
				t.Errorf("%q are not sorted, or named twice", got.ClusterTypes)
			}
		})
	}
}

// A record lists what it says, however its path is spelled, and nothing around or in it.
func TestRecordLists(t *testing.T) {
	t.Parallel()
	for path, below := range map[string]string{"": "", ".": "", "./": "", "fleet": "fleet/", "./fleet/": "fleet/", "a/b": "a/b/"} {
		r := ownership.Record{Environment: "dev", Branch: "main", Path: path, ClusterTypes: []string{"large", "small"}}
		if diff := cmp.Diff([]string{below + "large", below + "small"}, r.Paths()); diff != "" {
			t.Errorf("path %q (-want +got):\n%s", path, diff)
		}
		for _, folder := range r.Paths() {
			if !r.Lists(folder) || r.Lists(folder+"/x") || r.Lists(folder+"r") || r.Lists("x/"+folder) {
				t.Errorf("path %q: %s", path, folder)
			}
		}
		for _, no := range []string{"", ".", "x", strings.TrimSuffix(below, "/"), below, below + "medium", ".github/tracking/Promoted_Commit_Id",
			"large/small"} {
			if r.Lists(no) {
				t.Errorf("path %q lists %q", path, no)
			}
		}
		if spelled := (git.Location{Repo: "any", Branch: "main", Path: "./" + strings.Trim(below, "/") + "/"}); !r.At(spelled) {
			t.Errorf("path %q is not at %s", path, spelled)
		}
		for _, elsewhere := range []git.Location{{Branch: "next", Path: path}, {Branch: "main", Path: "x/" + path},
			{Branch: "Main", Path: path}} {
			if r.At(elsewhere) {
				t.Errorf("path %q is at %s", path, elsewhere)
			}
		}
	}
}

// recordsFolderOf is the folder of records as git finds it.
func recordsFolderOf(files map[string][]byte) *git.Found {
	folder := &git.Found{Mode: tree.ModeDir}
	for name, text := range files {
		e := tree.File(name, text)
		folder.Entries = append(folder.Entries, e)
	}
	return folder
}

// From the folder, only the records that count on the branch are read, in any order. Other
// files in it are not errors.
func TestReadRecords(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]*git.Found{"no folder": nil, "an empty one": {Mode: tree.ModeDir}} {
		if records, err := ownership.ReadRecords(folder, "main"); err != nil || records == nil || len(records) > 0 {
			t.Errorf("%s: %v, %v", name, records, err)
		}
	}
	texts := map[string][]byte{
		"1111111111111111": recordText(t, "cluster_type", "b", "a"),
		"2222222222222222": recordText(t, "environment", "prod"),
		"3333333333333333": recordText(t, "branch", "next"), // copied by a merge
		"4444444444444444": []byte("<<<<<<<"),
		"README.md":        []byte("# What is whose"),
		"5555555555555555": nil, // a file whose content was not sent
	}
	folder := recordsFolderOf(texts)
	folder.Entries = append(folder.Entries, tree.Entry{Name: "6666666666666666", Mode: tree.ModeDir, ID: tree.FromEntries(nil).ID})
	want := ownership.Records{
		"1111111111111111": {Record: ownership.Record{Instance: "1111111111111111", Environment: "dev", Branch: "main", Path: "fleet",
			ClusterTypes: []string{"a", "b"}}},
		"2222222222222222": {Record: ownership.Record{Instance: "2222222222222222", Environment: "prod", Branch: "main", Path: "fleet",
			ClusterTypes: []string{"large"}}},
	}
	for instance, r := range want {
		r.File = tree.File("", texts[instance]).ID
		want[instance] = r
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(folder.Entries), func(i, j int) {
			folder.Entries[i], folder.Entries[j] = folder.Entries[j], folder.Entries[i]
		})
		got, err := ownership.ReadRecords(folder, "main")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("error %v (-want +got):\n%s", err, diff)
		}
		// And they are kept as they are.
		text, err := json.Marshal(got)
		kept := ownership.Records{}
		if err == nil {
			err = json.Unmarshal(text, &kept)
		}
		if diff := cmp.Diff(want, kept); diff != "" || err != nil {
			t.Fatalf("error %v (-want +got):\n%s", err, diff)
		}
	}
}

// More than anybody needs is refused with what to do about it.
func TestReadTooManyRecords(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	for i := range ownership.MaxRecords {
		files[fmt.Sprintf("%016x", i)] = recordText(t, "")
	}
	if records, err := ownership.ReadRecords(recordsFolderOf(files), "main"); err != nil || len(records) != ownership.MaxRecords {
		t.Errorf("%d records, error %v", len(records), err)
	}
	files["one more"] = nil
	if _, err := ownership.ReadRecords(recordsFolderOf(files), "main"); err == nil || !strings.Contains(err.Error(), "1001 files") ||
		!strings.Contains(err.Error(), "no resource has as its instance_id") {
		t.Errorf("error %v", err)
	}
	// Few records with long paths and many names claim as much.
	deep := ownership.Record{Environment: "dev", Branch: "main", Path: strings.Repeat("a/",
		ownership.MaxRecordPath/2)[:ownership.MaxRecordPath-1]}
	for i := range 800 {
		deep.ClusterTypes = append(deep.ClusterTypes, fmt.Sprintf("%04d", i))
	}
	files = map[string][]byte{}
	for i := range 2 {
		files[fmt.Sprintf("%016x", i)] = deep.Content()
	}
	if records, err := ownership.ReadRecords(recordsFolderOf(files), "main"); err != nil || len(records) != 2 {
		t.Errorf("%d records, error %v", len(records), err)
	}
	files[someID] = deep.Content()
	if _, err := ownership.ReadRecords(recordsFolderOf(files), "main"); err == nil ||
		!strings.Contains(err.Error(), "more folders than the limit") {
		t.Errorf("error %v", err)
	}
	if records, err := ownership.ReadRecords(recordsFolderOf(files), "next"); err != nil || len(records) > 0 { // copies count nowhere
		t.Errorf("%d records, error %v", len(records), err)
	}
}

// ParseRecord never panics, for any text of any author. It reads only records that we
// would write.
func FuzzParseRecord(f *testing.F) {
	f.Add(someID, []byte(`{"environment":"dev","branch":"main","path":"fleet","cluster_types":["large","small"],"promoted_commit":"c1","provider_version":"1.0"}`))
	f.Add(someID, []byte(`{"environment":"<dev>","branch":"a/b","path":"./x/","cluster_types":["z","a","a"]}`))
	f.Add(someID, recordText(f, "source", idOf("a")+" https://example.com/app#main", idOf("b")+" x#y"))
	f.Add("../../etc/passwd", []byte(`{"environment":"dev","branch":"main","cluster_types":["../x"]}`))
	f.Fuzz(func(t *testing.T, instance string, text []byte) {
		r, ok := ownership.ParseRecord(instance, text)
		if !ok {
			return
		}
		if content := r.Content(); len(content) <= ownership.MaxRecordBytes {
			if again, ok := ownership.ParseRecord(instance, content); !ok || !cmp.Equal(r, again) {
				t.Errorf("%+v becomes %+v", r, again)
			}
		}
		for _, folder := range r.Paths() {
			if err := tree.CheckPath(folder); err != nil || !r.Lists(folder) {
				t.Errorf("the folder %q: %v, named %t", folder, err, r.Lists(folder))
			}
		}
		if !ownership.IsRecord(ownership.RecordPath(r.Instance)) || !r.At(r.Location()) || !r.Says(r) {
			t.Errorf("%+v", r)
		}
		c := ownership.Records{r.Instance: {Record: r}}.Claimants("")
		for _, folder := range r.Paths() {
			if !c.Claim(folder) || !c.Claim(folder+"/x") || c.Claim(folder+"x") != r.Lists(folder+"x") {
				t.Errorf("the claim of %q", folder)
			}
		}
	})
}
