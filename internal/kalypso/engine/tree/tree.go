// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package tree encodes files as git's blobs and trees, with ids and comparison. It does not
// use a repository.
package tree

import (
	"crypto/sha1" //nolint:gosec // git's object ids are SHA-1; nothing is protected by it.
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ID is a git object id.
type ID [sha1.Size]byte

// String returns the id in hexadecimal, 40 characters.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText writes the id in hexadecimal.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text that MarshalText writes.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := ParseID(string(text))
	*id = parsed
	return err
}

// IsZero reports whether the id is that of no object.
func (id ID) IsZero() bool { return id == ID{} }

// shortDigits is long enough to distinguish packages, and short enough to read in a plan.
const shortDigits = 12

// Short returns the id's first 12 digits, as plans show it.
func (id ID) Short() string { return id.String()[:shortDigits] }

// ParseID reads an id of 40 hexadecimal digits.
func ParseID(s string) (ID, error) {
	digits, err := hex.DecodeString(s)
	if err != nil || len(digits) != len(ID{}) {
		return ID{}, fmt.Errorf("%q is not a Git id of 40 hexadecimal digits", s)
	}
	return ID(digits), nil
}

// Mode is the kind of a tree's entry, as git writes it.
type Mode string

// The modes that git knows.
const (
	ModeFile       Mode = "100644"
	ModeExecutable Mode = "100755"
	ModeSymlink    Mode = "120000"
	ModeSubmodule  Mode = "160000"
	ModeDir        Mode = "40000"
)

// IsDir reports whether the mode is that of a directory. Old tools wrote it with a leading
// zero.
func (m Mode) IsDir() bool { return m == ModeDir || m == "0"+ModeDir }

// Entry is one name in a directory. A new entry has Content (a file) or Dir (a directory).
// An entry from a repository has only its id.
type Entry struct {
	Name    string
	Mode    Mode
	ID      ID
	Content []byte
	Dir     *Dir
}

// Dir is a directory: its entries in git's order, and its id. NewDir makes it, and it does
// not change afterwards.
type Dir struct {
	ID      ID
	Entries []Entry
}

// File makes the entry of a file from its name and content.
func File(name string, content []byte) Entry {
	return Entry{Name: name, Mode: ModeFile, ID: hash("blob", content), Content: content}
}

// Subdir makes the entry of a directory.
func Subdir(name string, dir *Dir) Entry {
	return Entry{Name: name, Mode: ModeDir, ID: dir.ID, Dir: dir}
}

// NewDir makes a directory of entries in any order. Errors: two entries have one name;
// CheckName refuses a name. Cost: one sort and one hash.
func NewDir(entries []Entry) (*Dir, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, compareEntries)
	for i, e := range sorted {
		if err := CheckName(e.Name); err != nil {
			return nil, err
		}
		if i > 0 && sorted[i-1].Name == e.Name || e.Mode == ModeDir && hasFile(sorted, e.Name) {
			return nil, fmt.Errorf("the name %q exists twice in one folder", e.Name)
		}
	}
	return FromEntries(sorted), nil
}

// hasFile reports whether the entries, in git's order, contain a file with this name. Other
// entries can be between the file and the directory of the same name.
func hasFile(sorted []Entry, name string) bool {
	_, found := slices.BinarySearchFunc(sorted, name, func(e Entry, name string) int { return strings.Compare(sortName(e), name) })
	return found
}

// FromForeign makes a directory of entries in any order. Unlike NewDir, it accepts all
// names, because they belong to others.
func FromForeign(entries []Entry) *Dir {
	slices.SortFunc(entries, compareEntries)
	return FromEntries(entries)
}

// FromEntries makes a directory of entries from a repository, which are in git's order. It
// accepts all names.
func FromEntries(entries []Entry) *Dir {
	d := &Dir{Entries: entries}
	d.ID = hash("tree", d.Encode())
	return d
}

// Encode returns the content of the git tree object.
func (d *Dir) Encode() []byte {
	size := 0
	for _, e := range d.Entries {
		size += len(e.Mode) + 1 + len(e.Name) + 1 + len(e.ID)
	}
	b := make([]byte, 0, size)
	for _, e := range d.Entries {
		b = append(append(append(b, e.Mode...), ' '), e.Name...)
		b = append(append(b, 0), e.ID[:]...)
	}
	return b
}

// Find returns the entry with this name, and whether the entry exists.
func (d *Dir) Find(name string) (Entry, bool) {
	for _, e := range d.Entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// compareEntries is git's order: bytewise, as if the name of a directory ended in a slash.
func compareEntries(a, b Entry) int { return strings.Compare(sortName(a), sortName(b)) }

func sortName(e Entry) string {
	if e.Mode.IsDir() {
		return e.Name + "/"
	}
	return e.Name
}

func hash(objectType string, content []byte) ID {
	h := sha1.New() //nolint:gosec // see ID.
	// Without fmt, which allocates memory: every file has an id.
	header := append(make([]byte, 0, 32), objectType...)
	header = strconv.AppendInt(append(header, ' '), int64(len(content)), 10)
	h.Write(append(header, 0))
	h.Write(content)
	var id ID
	h.Sum(id[:0])
	return id
}

// CommitID returns the id of a commit in small letters, as forges and Git write it; empty for any other text.
func CommitID(text string) string {
	id, err := ParseID(text)
	if err != nil {
		return ""
	}
	return id.String()
}

// IsCommitID reports whether a text is the id of a commit as forges and Git write it.
func IsCommitID(text string) bool { return text != "" && CommitID(text) == text }

// With returns the directory as it is with other files in it. Changes are by their
// slash-separated paths; an entry without a mode takes the file away.
// Directories that become empty disappear, as git keeps none.
func (d *Dir) With(changes map[string]Entry) *Dir {
	if len(changes) == 0 {
		return d
	}
	here, below := map[string]Entry{}, map[string]map[string]Entry{}
	for path, e := range changes {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			e.Name = name
			here[name] = e
			continue
		}
		if below[name] == nil {
			below[name] = map[string]Entry{}
		}
		below[name][rest] = e
	}

	entries := map[string]Entry{}
	for _, e := range d.Entries {
		entries[e.Name] = e
	}
	for name, e := range here {
		if entries[name] = e; e.Mode == "" {
			delete(entries, name)
		}
	}
	for name, changes := range below {
		old, existed := entries[name]
		sub := &Dir{}
		if old.Dir != nil {
			sub = old.Dir
		}
		switch sub = sub.With(changes); {
		case len(sub.Entries) > 0:
			entries[name] = Subdir(name, sub)
		case existed && old.Mode.IsDir():
			delete(entries, name)
		}
	}
	return FromForeign(slices.Collect(maps.Values(entries)))
}
