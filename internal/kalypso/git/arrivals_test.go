// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file came with the merge that brought it, however old its own commit is.
func TestArrivals(t *testing.T) {
	t.Parallel()
	eachLimit(t, func(t *testing.T, r origin) {
		content := func(name, text string) map[string][]byte { return map[string][]byte{"notes/" + name: []byte(text)} }
		first := r.repo.CommitFiles(t, "dev", content("first", "x"), "first")
		for _, branch := range []string{"one", "two"} {
			r.repo.Branch(t, branch, first)
			r.repo.CommitFiles(t, branch, content(branch, "x"), branch)
		}
		r.repo.CommitFiles(t, "dev", content("direct", "x"), "direct")
		r.repo.CommitFiles(t, "dev", content("changed", "x"), "before")
		r.repo.Merge(t, "dev", "two")
		r.repo.Merge(t, "dev", "one")
		r.repo.CommitFiles(t, "dev", content("changed", "y"), "after")
		got, err := r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes", []string{"first", "one", "two", "direct", "changed", "missing"})
		want := map[string]int{"first": 5, "direct": 4, "two": 2, "one": 1, "changed": 0}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		for name, arrivals := range map[string]func() (map[string]int, error){
			"a missing branch": func() (map[string]int, error) {
				return r.client(t).Arrivals(t.Context(), r.branch("none"), "notes", []string{"one"})
			},
			"a missing folder": func() (map[string]int, error) {
				return r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes/deeper", []string{"one"})
			},
			"a file": func() (map[string]int, error) {
				return r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes/one", []string{"one"})
			},
			"no names": func() (map[string]int, error) {
				return r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes", nil)
			},
		} {
			if got, err := arrivals(); len(got) > 0 || err != nil {
				t.Errorf("%s: %v, error %v", name, got, err)
			}
		}
	})
}

// What counts is when a file came to be as it is: again, where it was gone or another one
// in between, and with whatever name it has as a folder, too.
func TestArrivalsAgain(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	for _, step := range []map[string]string{
		{"a/b/gone": "x", "a/b/back": "x", "a/b/still": "x", "a/b/kind": "x"},
		{"a/b/gone": "", "a/b/back": "y", "a/b/other": "x"},
		{"a/b/gone": "x", "a/b/kind": "", "a/b/kind/file": "x"},
		{"a/b/back": "x", "elsewhere": "x"},
		{"a/b/other": ""},
	} {
		files := map[string][]byte{}
		for path, text := range step {
			if files[path] = []byte(text); text == "" {
				files[path] = nil
			}
		}
		r.repo.CommitFiles(t, "dev", files, "step")
	}
	got, err := r.client(t).Arrivals(t.Context(), r.branch("dev"), "a/b", []string{"gone", "back", "still", "kind", "other"})
	if diff := cmp.Diff(map[string]int{"gone": 2, "back": 1, "still": 4, "kind": 2}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// Where a branch was merged into another one and moved there, as by a pull without a rebase,
// what it had came with that merge: what was on the other one counts as older, and gives
// nobody what the branch had.
func TestArrivalsOfASwappedMerge(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		first := r.repo.CommitFiles(t, "dev", map[string][]byte{"notes/first": []byte("x")}, "first")
		r.repo.Branch(t, "side", first)
		r.repo.CommitFiles(t, "dev", map[string][]byte{"notes/ours": []byte("x")}, "ours")
		r.repo.CommitFiles(t, "side", map[string][]byte{"notes/theirs": []byte("x")}, "theirs")
		r.repo.Merge(t, "side", "dev")
		r.repo.Branch(t, "dev", r.repo.Head(t, "side"))
		got, err := r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes", []string{"first", "ours", "theirs"})
		if diff := cmp.Diff(map[string]int{"first": 2, "theirs": 1, "ours": 0}, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
}

// Only so much of a history is looked at: of what is as it is for longer, it is not told
// since when.
func TestArrivalsLongAgo(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	since := func() map[string]int {
		t.Helper()
		got, err := r.client(t).Arrivals(t.Context(), r.branch("dev"), "notes", []string{"first", "then"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	r.repo.CommitFiles(t, "dev", map[string][]byte{"notes/first": []byte("x")}, "first")
	r.repo.CommitFiles(t, "dev", map[string][]byte{"notes/then": []byte("x")}, "then")
	r.repo.CommitNothing(t, "dev", 498)
	if diff := cmp.Diff(map[string]int{"first": 499, "then": 498}, since()); diff != "" {
		t.Errorf("the whole history (-want +got):\n%s", diff)
	}
	r.repo.CommitNothing(t, "dev", 1)
	if diff := cmp.Diff(map[string]int{}, since()); diff != "" {
		t.Errorf("all but one commit, so that nobody knows what came before (-want +got):\n%s", diff)
	}
	r.repo.CommitFiles(t, "dev", map[string][]byte{"notes/then": []byte("y")}, "again")
	if diff := cmp.Diff(map[string]int{"then": 0}, since()); diff != "" {
		t.Errorf("what is new (-want +got):\n%s", diff)
	}
}

// However long a history is, it is fetched at once, and none of its files are.
func TestArrivalsFetchLittle(t *testing.T) {
	t.Parallel()
	eachLimit(t, func(t *testing.T, r origin) {
		for i := range 20 {
			r.repo.CommitFiles(t, "dev", map[string][]byte{fmt.Sprint("large/", i): []byte("x"), fmt.Sprint("a/notes/", i): []byte("x")}, "more")
		}
		got, err := r.client(t).Arrivals(t.Context(), r.branch("dev"), "a/notes", []string{"0", "19"})
		if diff := cmp.Diff(map[string]int{"0": 19, "19": 0}, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		if n := r.fetches(); n > 5 { // those that are refused, and one for each level of trees
			t.Errorf("%d fetches", n)
		}
	})
}
