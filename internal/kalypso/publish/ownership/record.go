// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// RecordsFolder is the folder in which instances record their folders in the repository.
// Each instance has a file, named by its id. The files have no extension, because Flux
// reads every YAML file below a path.
const RecordsFolder = ".kalypso"

// Record lists the folders of an instance in the repository, for people and for other
// instances. Everybody who can push can write a record, so a record alone proves nothing: our
// own state has to name our folders too. Its file has a line "name: value" for each field.
// Each folder has its own line after an empty line, so that Git can merge the changes of two
// people.
type Record struct {
	// Instance is the file's name.
	Instance string `json:"-"`
	// Environment, Branch and Path are the target of the instance. A record is valid only on
	// the branch that it names, because merges and new branches copy it.
	Environment string `json:"environment"`
	Branch      string `json:"branch"`
	Path        string `json:"path"`
	// ClusterTypes are the instance's folders below the path, sorted.
	ClusterTypes []string `json:"cluster_types"`
	// PromotedCommit is the environment's commit of the control plane, if the instance also
	// writes the file of the promoted commit, which the record then lists. SourceCommit is this
	// commit if the instance does not write the file. Both are empty if the instance does not
	// know the commit.
	PromotedCommit string `json:"promoted_commit,omitempty"`
	SourceCommit   string `json:"source_commit,omitempty"`
	// Sources are the commits at which the environment read the branches that its control plane
	// follows, by "<repo>#<branch>". They and the commit are the release.
	Sources map[string]string `json:"sources,omitempty"`
	// Provider is the version that wrote the record.
	Provider string `json:"provider_version"`
}

// MaxRecordBytes is how many bytes a record may have.
const MaxRecordBytes = 1 << 20

// Limits for content that others may have written: the number of records, the bytes of a
// record's path and of its other texts, the number of its sources and the bytes of their names,
// and the bytes of all records. The last limit includes bytes for each claimed folder.
const (
	MaxRecords     = 1000
	MaxRecordPath  = 4096
	MaxRecordWords = 256
	MaxSources     = 1000
	MaxSourceName  = 512
	maxClaimBytes  = 8 << 20
	claimBytes     = 64
)

var instanceID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// IsInstance reports whether a name is the id of an instance.
func IsInstance(name string) bool { return instanceID.MatchString(name) }

// NewInstance makes the id of an instance.
func NewInstance() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// RecordPath is the path of an instance's record.
func RecordPath(instance string) string { return RecordsFolder + "/" + instance }

// Content returns the record as the text of its file.
func (r Record) Content() []byte {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	line("environment", r.Environment)
	line("branch", r.Branch)
	line("path", r.Path)
	line("source_commit", r.SourceCommit)
	line("provider_version", r.Provider)
	var sources []string
	for _, name := range slices.Sorted(maps.Keys(r.Sources)) {
		sources = append(sources, r.Sources[name]+" "+name)
	}
	for _, listed := range []struct {
		name   string
		values []string
	}{
		{"promoted_commit", []string{r.PromotedCommit}}, {"source", sources}, {"cluster_type", r.ClusterTypes},
	} {
		for _, value := range listed.values {
			if value != "" {
				b.WriteString("\n")
			}
			line(listed.name, value)
		}
	}
	return []byte(b.String())
}

// Location is the location of the record's folders.
func (r Record) Location() git.Location { return git.Location{Branch: r.Branch, Path: r.Path} }

// At reports whether the record is for a location of its repository.
func (r Record) At(loc git.Location) bool {
	return r.Branch == loc.Branch && slices.Equal(tree.SplitPath(r.Path), tree.SplitPath(loc.Path))
}

// Paths returns the listed folders, from the repository's root.
func (r Record) Paths() []string { return FoldersAt(r.Location(), r.ClusterTypes) }

// Beside returns the cluster types of the record whose folders are not among some paths.
func (r Record) Beside(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(r.ClusterTypes), func(name string) bool { return slices.Contains(paths, r.Location().Join(name)) })
}

// Lists reports whether the record lists a path from the repository's root: a folder, or the
// promoted commit's file.
func (r Record) Lists(path string) bool {
	if engine.IsOwnedFile(path) {
		return r.PromotedCommit != ""
	}
	name := KeyOf(r.Location(), path)
	_, found := slices.BinarySearch(r.ClusterTypes, name)
	return found && r.Location().Join(name) == path
}

// Commit returns the instance's commit of the control plane; empty if the record does not name
// it.
func (r Record) Commit() string { return AsRelease(cmp.Or(r.PromotedCommit, r.SourceCommit)) }

// MovedSources returns the names of the sources whose commits in a record differ from the desired
// ones, sorted, and how many sources there are on both sides together.
func MovedSources(was Record, d Desired) (moved []string, all int) {
	names := wording.Sorted(slices.AppendSeq(slices.Collect(maps.Keys(was.Sources)), maps.Keys(d.Sources)))
	all = len(names)
	return slices.DeleteFunc(names, func(name string) bool { return was.Sources[name] == d.Sources[name] }), all
}

// Release returns a digest of the record's release: its commit and its sources.
func (r Record) Release() string {
	return tree.File("", fmt.Appendf(nil, "%q %q", r.Commit(), r.Sources)).ID.String()
}

// AsRelease returns a text that can name the release of an environment; empty for any other
// text. One word names a commit or a release. Manifests and files may have any text there.
func AsRelease(text string) string {
	if len(text) > MaxRecordWords || strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' }) {
		return ""
	}
	return text
}

// Says reports whether two records have the same content, except the version of the provider.
func (r Record) Says(other Record) bool {
	return r.Environment == other.Environment && r.Branch == other.Branch && r.Path == other.Path &&
		r.PromotedCommit == other.PromotedCommit && r.SourceCommit == other.SourceCommit && maps.Equal(r.Sources, other.Sources) &&
		slices.Equal(r.ClusterTypes, other.ClusterTypes)
}

func (r Record) without(left func(path string) bool) Record {
	r.ClusterTypes = slices.DeleteFunc(slices.Clone(r.ClusterTypes), func(name string) bool { return left(r.Location().Join(name)) })
	if left(engine.PromotedCommitFile) {
		r.PromotedCommit = ""
	}
	return r
}

// isEmpty reports whether the record lists no path.
func (r Record) isEmpty() bool {
	return len(r.ClusterTypes) == 0 && r.PromotedCommit == ""
}

// String names the record's owner in a message: "environment dev (.kalypso/0123…)".
func (r Record) String() string {
	return fmt.Sprintf("environment %q, path %q (%s)", r.Environment, r.Path, RecordPath(r.Instance))
}

// ParseRecord reads a record. It returns false for a text that the provider cannot have
// written. It ignores fields of a newer version.
func ParseRecord(instance string, text []byte) (Record, bool) {
	r := Record{Instance: instance}
	if !IsInstance(instance) || len(text) > MaxRecordBytes || !utf8.Valid(text) {
		return Record{}, false
	}
	fields := map[string]*string{
		"environment": &r.Environment, "branch": &r.Branch, "path": &r.Path,
		"promoted_commit": &r.PromotedCommit, "source_commit": &r.SourceCommit, "provider_version": &r.Provider,
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ": ")
		if field := fields[name]; field != nil {
			*field = value
		}
		switch name {
		case "cluster_type":
			r.ClusterTypes = append(r.ClusterTypes, value)
		case "source":
			ok = r.addSource(value)
		}
		if !ok || !isField(name) {
			return Record{}, false
		}
	}
	if r.ClusterTypes = wording.Sorted(r.ClusterTypes); !r.isValid() {
		return Record{}, false
	}
	return r, true
}

// addSource adds the value of a line "source". It returns false if the value is not valid, or
// if the record already has this source.
func (r *Record) addSource(value string) bool {
	commit, name, _ := strings.Cut(value, " ")
	if _, again := r.Sources[name]; again || CheckSourceName(name) != nil || !tree.IsFullCommitID(commit) || len(r.Sources) == MaxSources {
		return false
	}
	if r.Sources == nil {
		r.Sources = map[string]string{}
	}
	r.Sources[name] = commit
	return true
}

// CheckSourceName returns an error if a record cannot have a source with this name.
func CheckSourceName(name string) error {
	repo, branch, ok := strings.Cut(name, "#")
	switch {
	case !ok || repo == "" || branch == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%q is not a valid source. Write <repo>#<branch>, as the sources of kalypso_control_plane have it", name)
	case len(name) > MaxSourceName:
		return fmt.Errorf("the name of the source %.60s… has %d bytes, and a record has at most %d. Use a shorter URL or branch", name,
			len(name), MaxSourceName)
	}
	return nil
}

// isField reports whether a text looks like the name of a field.
func isField(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
}

// isValid reports whether the provider could have written the record.
func (r Record) isValid() bool {
	return r.Environment != "" && len(r.Path) <= MaxRecordPath && max(len(r.Environment), len(r.PromotedCommit), len(r.SourceCommit),
		len(r.Provider)) <= MaxRecordWords &&
		!slices.ContainsFunc(r.ClusterTypes, func(name string) bool { return tree.CheckName(name) != nil }) &&
		git.CheckBranch(r.Branch) == nil && tree.CheckPath(r.Path) == nil
}

// Recorded is a record as a branch contains it.
type Recorded struct {
	Record
	// File is the id of its file.
	File tree.ID `json:"file"`
}

// Records are records by their instances.
type Records map[string]Recorded

// UnmarshalJSON reads records, and gives each its instance.
func (all *Records) UnmarshalJSON(text []byte) error {
	var records map[string]Recorded
	if err := json.Unmarshal(text, &records); err != nil {
		return err
	}
	for instance, r := range records {
		r.Instance = instance
		records[instance] = r
	}
	*all = records
	return nil
}

// ReadRecords returns the valid records of a branch, from the entries of RecordsFolder with
// their content. Errors: the records exceed the limits.
func ReadRecords(folder *git.Found, branch string) (Records, error) {
	records := Records{}
	if folder == nil {
		return records, nil
	}
	if len(folder.Entries) > MaxRecords {
		return nil, fmt.Errorf("the folder %s of the branch %q has %d files, and at most %d are read. Remove the files that no resource has as "+
			"its instance_id", RecordsFolder, branch, len(folder.Entries), MaxRecords)
	}
	claims := 0
	for _, e := range folder.Entries {
		r, ok := ParseRecord(e.Name, e.Content)
		if !ok || r.Branch != branch {
			continue
		}
		claims += len(e.Content) + len(r.ClusterTypes)*(len(r.Path)+claimBytes)
		if claims > maxClaimBytes {
			return nil, fmt.Errorf("the records in the folder %s of the branch %q claim more folders than the limit. Remove the records that no "+
				"resource has as its instance_id", RecordsFolder, branch)
		}
		records[r.Instance] = Recorded{Record: r, File: e.ID}
	}
	return records, nil
}

// IsRecord reports whether a path is the path of a record.
func IsRecord(file string) bool { return path.Dir(file) == RecordsFolder }

// FoldersAt returns the folders of cluster types at a place.
func FoldersAt(loc git.Location, clusterTypes []string) []string {
	all := make([]string, len(clusterTypes))
	for i, name := range clusterTypes {
		all[i] = loc.Join(name)
	}
	return all
}
