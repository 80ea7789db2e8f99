// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

const someID = "0123456789abcdef"

// A record says in words that people can read what is whose, and comes back as it was.
func TestRecordIsReadable(t *testing.T) {
	t.Parallel()
	r := Record{
		Instance: someID, Environment: "dev", Branch: "main", Path: "fleet", ClusterTypes: []string{"large", "small"},
		PromotedCommit: "c1", Provider: "1.2.3",
	}
	want := `{
  "environment": "dev",
  "branch": "main",
  "path": "fleet",
  "cluster_types": [
    "large",
    "small"
  ],
  "promoted_commit": "c1",
  "provider_version": "1.2.3"
}
`
	if diff := cmp.Diff(want, string(r.content())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, ok := parseRecord(someID, r.content()); !ok || !cmp.Equal(r, got) {
		t.Errorf("it comes back as %+v", got)
	}
	if got, want := r.String(), `environment "dev", path "fleet" (.kalypso/0123456789abcdef)`; got != want {
		t.Errorf("it is called %s", got)
	}
}

// record is the text of a record, of which one field is another.
func recordText(t testing.TB, field string, value any) []byte {
	t.Helper()
	fields := map[string]any{"environment": "dev", "branch": "main", "path": "fleet", "cluster_types": []string{"large"}}
	if fields[field] = value; value == nil {
		delete(fields, field)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Everybody who can push can write a record: what we would not write is none.
func TestParseRecord(t *testing.T) {
	t.Parallel()
	type test struct {
		instance string
		text     []byte
		want     bool
	}
	tests := map[string]test{
		"as we write it":            {someID, recordText(t, "", nil), true},
		"no text":                   {someID, nil, false},
		"cut off":                   {someID, recordText(t, "", nil)[:40], false},
		"a conflict of a merge":     {someID, slices.Concat([]byte("<<<<<<< ours\n"), recordText(t, "", nil)), false},
		"something after it":        {someID, slices.Concat(recordText(t, "", nil), []byte("{}")), false},
		"another kind of JSON":      {someID, []byte(`["environment"]`), false},
		"null":                      {someID, []byte(`null`), false},
		"nested without end":        {someID, bytes.Repeat([]byte("["), MaxRecordBytes/2), false},
		"a newer version's field":   {someID, recordText(t, "since", "2030"), true},
		"white space up to a bound": {someID, slices.Concat(recordText(t, "", nil), bytes.Repeat([]byte(" "), MaxRecordBytes-len(recordText(t, "", nil)))), true},
		"and no more":               {someID, slices.Concat(recordText(t, "", nil), bytes.Repeat([]byte(" "), MaxRecordBytes)), false},
	}
	for _, name := range []string{"", "README.md", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "0123456789abcdef\n", "0123456789abcdef.json", "../0123456789abcdef", "0123456789abcdeg"} {
		tests[fmt.Sprintf("the name %q", name)] = test{name, recordText(t, "", nil), false}
	}
	for field, values := range map[string]map[bool][]any{
		"environment": {false: {nil, "", 1, []string{"dev"}}, true: {"dev"}},
		"branch":      {false: {nil, "", "-x", "a..b", "refs/heads/", "a b", "HEAD", 3}, true: {"main", "release/1.x"}},
		"path": {
			false: {"..", "../x", "a/../b", "//", "/etc", "a//b", ".git", "a/.GIT/b", "a\x00b", `a\b`, "a:b", 1, strings.Repeat("a/", maxRecordPath)},
			true:  {nil, "", ".", "./", "/", "a", "./a/", strings.Repeat("a/", maxRecordPath/2)[:maxRecordPath]},
		},
		"cluster_types": {
			false: {[]string{""}, []string{"."}, []string{".."}, []string{"a/b"}, []string{"large", "../small"}, []string{"/"}, []string{`a\b`}, []string{".git"}, []string{"a\nb"}, []string{strings.Repeat("x", 256)}, "large", []int{1}, map[string]string{}},
			true:  {nil, []string{}, []string{"z", "a", "a"}, []string{".dot", "ä", "a b"}},
		},
		"promoted_commit":  {false: {1}, true: {nil, "", "no commit"}},
		"source_commit":    {false: {1, strings.Repeat("a", maxRecordWords+1)}, true: {nil, "", "no commit"}},
		"provider_version": {false: {[]string{}}, true: {nil, "1"}},
	} {
		for want, all := range values {
			for _, value := range all {
				tests[fmt.Sprintf("%s: %.40q", field, fmt.Sprint(value))] = test{someID, recordText(t, field, value), want}
			}
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := parseRecord(test.instance, test.text)
			if ok != test.want || !ok && !cmp.Equal(got, Record{}) || ok && got.Instance != someID {
				t.Errorf("%t: %+v", ok, got)
			}
			if !slices.IsSorted(got.ClusterTypes) || len(slices.Compact(slices.Clone(got.ClusterTypes))) < len(got.ClusterTypes) {
				t.Errorf("%q are not sorted, or named twice", got.ClusterTypes)
			}
		})
	}
}

// A name that is no text becomes another one, and none that leaves its folder.
func TestParseRecordInvalidUTF8(t *testing.T) {
	t.Parallel()
	text := bytes.Replace(recordText(t, "", nil), []byte("large"), []byte("lar\xff\xfege"), 1)
	r, ok := parseRecord(someID, text)
	if !ok || !cmp.Equal(r.paths(), []string{"fleet/lar\ufffd\ufffdge"}) || r.names("fleet/lar\xff\xfege") {
		t.Errorf("%t: %q", ok, r.paths())
	}
	if again, ok := parseRecord(someID, r.content()); !ok || !cmp.Equal(r, again) {
		t.Errorf("%+v becomes %+v", r, again)
	}
}

// A record names what it says, however its path is spelled, and nothing around or in it.
func TestRecordNames(t *testing.T) {
	t.Parallel()
	for path, below := range map[string]string{"": "", ".": "", "./": "", "fleet": "fleet/", "./fleet/": "fleet/", "a/b": "a/b/"} {
		r := Record{Environment: "dev", Branch: "main", Path: path, ClusterTypes: []string{"large", "small"}}
		if diff := cmp.Diff([]string{below + "large", below + "small"}, r.paths()); diff != "" {
			t.Errorf("path %q (-want +got):\n%s", path, diff)
		}
		for _, folder := range r.paths() {
			if !r.names(folder) || r.names(folder+"/x") || r.names(folder+"r") || r.names("x/"+folder) {
				t.Errorf("path %q: %s", path, folder)
			}
		}
		for _, no := range []string{"", ".", "x", strings.TrimSuffix(below, "/"), below, below + "medium", ".github/tracking/Promoted_Commit_Id", "large/small"} {
			if r.names(no) {
				t.Errorf("path %q names %q", path, no)
			}
		}
		if spelled := (git.Location{Repo: "any", Branch: "main", Path: "./" + strings.Trim(below, "/") + "/"}); !r.at(spelled) {
			t.Errorf("path %q is not at %s", path, spelled)
		}
		for _, elsewhere := range []git.Location{{Branch: "next", Path: path}, {Branch: "main", Path: "x/" + path}, {Branch: "Main", Path: path}} {
			if r.at(elsewhere) {
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

// Of what stands in the folder, records that count on the branch are read, whatever
// their order, and nothing else is an error.
func TestReadRecords(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]*git.Found{"no folder": nil, "an empty one": {Mode: tree.ModeDir}} {
		if records, err := ReadRecords(folder, "main"); err != nil || records == nil || len(records) > 0 {
			t.Errorf("%s: %v, %v", name, records, err)
		}
	}
	texts := map[string][]byte{
		"1111111111111111": recordText(t, "cluster_types", []string{"b", "a"}),
		"2222222222222222": recordText(t, "environment", "prod"),
		"3333333333333333": recordText(t, "branch", "next"), // copied by a merge
		"4444444444444444": []byte("<<<<<<<"),
		"README.md":        []byte("# What is whose"),
		"5555555555555555": nil, // a file whose content was not sent
	}
	folder := recordsFolderOf(texts)
	folder.Entries = append(folder.Entries, tree.Entry{Name: "6666666666666666", Mode: tree.ModeDir, ID: tree.FromEntries(nil).ID})
	want := Records{
		"1111111111111111": {Record: Record{Instance: "1111111111111111", Environment: "dev", Branch: "main", Path: "fleet", ClusterTypes: []string{"a", "b"}}},
		"2222222222222222": {Record: Record{Instance: "2222222222222222", Environment: "prod", Branch: "main", Path: "fleet", ClusterTypes: []string{"large"}}},
	}
	for instance, r := range want {
		r.File = ObjectID(tree.File("", texts[instance]).ID)
		want[instance] = r
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(folder.Entries), func(i, j int) {
			folder.Entries[i], folder.Entries[j] = folder.Entries[j], folder.Entries[i]
		})
		got, err := ReadRecords(folder, "main")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("error %v (-want +got):\n%s", err, diff)
		}
		// And they are kept as they are.
		text, err := json.Marshal(got)
		kept := Records{}
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
	for i := range maxRecords {
		files[fmt.Sprintf("%016x", i)] = recordText(t, "", nil)
	}
	if records, err := ReadRecords(recordsFolderOf(files), "main"); err != nil || len(records) != maxRecords {
		t.Errorf("%d records, error %v", len(records), err)
	}
	files["one more"] = nil
	if _, err := ReadRecords(recordsFolderOf(files), "main"); err == nil || !strings.Contains(err.Error(), "1001 files") || !strings.Contains(err.Error(), "no resource has as its instance_id") {
		t.Errorf("error %v", err)
	}
	// Few records with long paths and many names claim as much.
	deep := Record{Environment: "dev", Branch: "main", Path: strings.Repeat("a/", maxRecordPath/2)[:maxRecordPath-1]}
	for i := range 800 {
		deep.ClusterTypes = append(deep.ClusterTypes, fmt.Sprintf("%04d", i))
	}
	files = map[string][]byte{}
	for i := range 2 {
		files[fmt.Sprintf("%016x", i)] = deep.content()
	}
	if records, err := ReadRecords(recordsFolderOf(files), "main"); err != nil || len(records) != 2 {
		t.Errorf("%d records, error %v", len(records), err)
	}
	files[someID] = deep.content()
	if _, err := ReadRecords(recordsFolderOf(files), "main"); err == nil || !strings.Contains(err.Error(), "more folders than anybody writes") {
		t.Errorf("error %v", err)
	}
	if records, err := ReadRecords(recordsFolderOf(files), "next"); err != nil || len(records) > 0 { // copies count nowhere
		t.Errorf("%d records, error %v", len(records), err)
	}
}

// What was written by anybody is read or is no record, and never panics. What is read
// is what we would write.
func FuzzParseRecord(f *testing.F) {
	f.Add(someID, []byte(`{"environment":"dev","branch":"main","path":"fleet","cluster_types":["large","small"],"promoted_commit":"c1","provider_version":"1.0"}`))
	f.Add(someID, []byte(`{"environment":"<dev>","branch":"a/b","path":"./x/","cluster_types":["z","a","a"]}`))
	f.Add("../../etc/passwd", []byte(`{"environment":"dev","branch":"main","cluster_types":["../x"]}`))
	f.Fuzz(func(t *testing.T, instance string, text []byte) {
		r, ok := parseRecord(instance, text)
		if !ok {
			return
		}
		if content := r.content(); len(content) <= MaxRecordBytes {
			if again, ok := parseRecord(instance, content); !ok || !cmp.Equal(r, again) {
				t.Errorf("%+v becomes %+v", r, again)
			}
		}
		for _, folder := range r.paths() {
			if err := tree.CheckPath(folder); err != nil || !r.names(folder) {
				t.Errorf("the folder %q: %v, named %t", folder, err, r.names(folder))
			}
		}
		if !isRecord(recordPath(r.Instance)) || !r.at(r.location()) || !r.sameClaims(r) {
			t.Errorf("%+v", r)
		}
		c := Records{r.Instance: {Record: r}}.claimants("")
		for _, folder := range r.paths() {
			if !c.claim(folder) || !c.claim(folder+"/x") || c.claim(folder+"x") != r.names(folder+"x") {
				t.Errorf("the claim of %q", folder)
			}
		}
	})
}
