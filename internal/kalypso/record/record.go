// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package record reads and writes what a GitOps branch says about its environments: the record of
// each instance, and Kalypso's tracking file; at one commit, and along the history of the branch
// (the track of an environment). It decides nothing.
package record

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// RecordsFolder is the folder with the records, at the root of a branch. Each instance has a
// file there, named by its id. The files have no extension, because Flux reads every YAML
// file below a path.
const RecordsFolder = ".kalypso"

// Line says what a record says about a folder.
type Line string

// The values of a Line.
const (
	// Owned: the instance writes the folder.
	Owned Line = "owned"
	// Released: the instance wrote the folder once. Its content stays, and any resource of the
	// environment may take it over.
	Released Line = "released"
)

// Record lists the folders of an instance. Its file is YAML, with an empty line between the
// folders, so that Git can merge the edits of two people. People who can push to the branch
// can change records as they can change folders: a record protects against mistakes.
type Record struct {
	// Instance is the name of the file.
	Instance string `yaml:"-"`
	// Environment, Branch and Path are the place of the instance. A record counts only on the
	// branch that it names, because merges and new branches copy it.
	Environment string `yaml:"environment"`
	Branch      string `yaml:"branch"`
	Path        string `yaml:"path"`
	// IsPart is true if the resource has cluster_types.
	IsPart bool `yaml:"cluster_types"`
	// Provider is the version of the provider that wrote the content.
	Provider string `yaml:"provider_version"`
	// Release is the release of the content; zero if the instance does not know it.
	Release Release `yaml:"release"`
	// Folders are the lines of the record, by key: see IsFolder.
	Folders map[string]Line `yaml:"folders"`
}

// IsFolder reports whether a key is the name of a cluster type. A key names a path of a place in records
// and messages: the name of a cluster type for its folder, "./<path>" for a file below the place's path, and
// the path from the repository's root for the file of the promoted commit. Only the first has no slash.
func IsFolder(key string) bool { return !strings.Contains(key, "/") }

// PathOf returns the path of a key from the repository's root.
func PathOf(loc git.Location, key string) string {
	if key == engine.PromotedCommitFile {
		return key
	}
	return loc.Join(strings.TrimPrefix(key, "./"))
}

// ModeOf returns the mode of the entry at a key.
func ModeOf(key string) tree.Mode {
	if IsFolder(key) {
		return tree.ModeDir
	}
	return tree.ModeFile
}

// PlainPath returns the path of a place as records have it: clean, and "." for the root.
func PlainPath(p string) string { return path.Join(append([]string{"."}, tree.SplitPath(p)...)...) }

var instanceID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// IsInstance reports whether a name is the id of an instance.
func IsInstance(name string) bool { return instanceID.MatchString(name) }

// NewInstance makes the id of an instance.
func NewInstance() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// Path is the path of an instance's record.
func Path(instance string) string { return RecordsFolder + "/" + instance }

// IsRecord reports whether a path is the path of a record.
func IsRecord(file string) bool { return path.Dir(file) == RecordsFolder }

// Content returns the text of the record's file.
func (r Record) Content() []byte {
	var b strings.Builder
	for _, field := range []struct{ name, value string }{
		{"environment", r.Environment}, {"branch", r.Branch}, {"path", r.Path}, {"provider_version", r.Provider},
	} {
		if field.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", field.name, quote(field.value))
		}
	}
	if r.IsPart {
		b.WriteString("cluster_types: true\n")
	}
	if r.Release.Commit != "" {
		fmt.Fprintf(&b, "release:\n  commit: %s\n", quote(r.Release.Commit))
		if len(r.Release.Sources) > 0 {
			b.WriteString("  sources:\n")
		}
		for _, name := range slices.Sorted(maps.Keys(r.Release.Sources)) {
			fmt.Fprintf(&b, "    %s: %s\n", quote(name), quote(r.Release.Sources[name]))
		}
	}
	b.WriteString("folders:\n")
	for _, key := range slices.Sorted(maps.Keys(r.Folders)) {
		fmt.Fprintf(&b, "\n  %s: %s\n", quote(key), r.Folders[key])
	}
	return []byte(b.String())
}

// quote returns a text as a YAML scalar in one line.
func quote(text string) string {
	scalar, err := yaml.Marshal(text)
	if plain := strings.TrimSuffix(string(scalar), "\n"); err == nil && !strings.Contains(plain, "\n") {
		return plain
	}
	return fmt.Sprintf("%q", text)
}

// ParseRecord reads the record of an instance. It ignores fields of a newer version. Errors:
// the text is not a record that the provider could have written.
func ParseRecord(instance string, text []byte) (Record, error) {
	r := Record{}
	if err := yaml.Unmarshal(text, &r); err != nil {
		return Record{}, fmt.Errorf("it is not YAML: %w", err)
	}
	r.Instance = instance
	if r.Environment == "" || !utf8.ValidString(r.Environment) {
		return Record{}, fmt.Errorf("it names no environment")
	}
	if err := git.CheckBranch(r.Branch); err != nil {
		return Record{}, err
	}
	if err := tree.CheckPath(r.Path); err != nil {
		return Record{}, fmt.Errorf("its path: %w", err)
	}
	r.Path = PlainPath(r.Path)
	if r.Release.Commit = AsRelease(r.Release.Commit); r.Release.Commit == "" {
		r.Release = Release{}
	}
	for key, line := range r.Folders {
		if err := CheckKey(key); err != nil {
			return Record{}, fmt.Errorf("the line %q: %w", key, err)
		}
		if line != Owned && line != Released {
			return Record{}, fmt.Errorf("the line %q has the value %q. Write %s or %s", key, line, Owned, Released)
		}
	}
	return r, nil
}

// CheckKey returns an error if a text is not the key of a path: see IsFolder.
func CheckKey(key string) error {
	below, isFile := strings.CutPrefix(key, "./")
	switch {
	case key == engine.PromotedCommitFile:
		return nil
	case !isFile:
		return tree.CheckName(key)
	case path.Clean(below) != below || below == ".":
		return fmt.Errorf("%q is not the path of a file. Write it like ./docs/fleet.md", key)
	}
	return tree.CheckPath(below)
}

// At reports whether the record is for a location of its repository.
func (r Record) At(loc git.Location) bool {
	return r.Branch == loc.Branch && r.Path == PlainPath(loc.Path)
}

// PathOf returns the path of one of the record's keys from the repository's root.
func (r Record) PathOf(key string) string { return PathOf(git.Location{Path: r.Path}, key) }

// Keys returns the keys of the lines with a value, sorted.
func (r Record) Keys(line Line) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Folders)), func(key string) bool { return r.Folders[key] != line })
}

// SaysSame reports whether two records say the same, except for the version of the provider.
func (r Record) SaysSame(other Record) bool {
	return r.Environment == other.Environment && r.Branch == other.Branch && r.Path == other.Path && r.IsPart == other.IsPart &&
		r.Release.Same(other.Release) && maps.Equal(r.Folders, other.Folders)
}

// String names the record in a message: environment "dev" (.kalypso/0123456789abcdef).
func (r Record) String() string {
	where := ""
	if r.Path != "." {
		where = fmt.Sprintf(", path %q", r.Path)
	}
	return fmt.Sprintf("environment %q%s (%s)", r.Environment, where, Path(r.Instance))
}

// Records are the records of a branch that count there, by instance.
type Records map[string]Record

// ReadRecords returns the records of a branch that count there, from the entries of
// RecordsFolder with their content. Errors: a file with the name of an instance is not a record.
func ReadRecords(entries []tree.Entry, branch string) (Records, error) {
	records, err := readAll(entries, branch)
	maps.DeleteFunc(records, func(_ string, r Record) bool { return r.Branch != branch })
	return records, err
}

// readAll returns all records in a branch: copies from other branches too. Errors: those of ReadRecords.
func readAll(entries []tree.Entry, branch string) (Records, error) {
	records := Records{}
	for _, e := range entries {
		if !IsInstance(e.Name) || !git.IsFile(e) {
			continue
		}
		r, err := ParseRecord(e.Name, e.Content)
		if err != nil {
			return nil, fmt.Errorf("the record %s in branch %q cannot be read: %w. Correct the file, or restore it: git log -p -- %[1]s "+
				"shows its past. If no resource has this instance_id, delete the file", Path(e.Name), branch, err)
		}
		records[e.Name] = r
	}
	return records, nil
}
