// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// BranchHistory is the history of a branch with environments.
type BranchHistory struct {
	*git.Log
	name    string
	commits []GitOpsCommit
	// records are the read records, by their folders.
	records map[tree.ID]readRecords
	// isRecorded says that a commit has a record, of any environment.
	isRecorded bool
}

// readRecords are the records in a folder, or the error if one of them cannot be read.
type readRecords struct {
	records Records
	err     error
}

// GitOpsCommit is a commit of an environment's branch.
type GitOpsCommit struct {
	git.Commit
	// Records are the records of the branch; nil if one of them cannot be read, for the reason
	// Unreadable.
	Records    Records
	Unreadable error
	// Tracked is the commit of the control plane in the tracking file, which Kalypso itself
	// writes; empty if the file does not exist or has no id. It counts only in a branch that never
	// had a record.
	Tracked string
}

// Plain returns the commits without their records.
func Plain(commits []GitOpsCommit) []git.Commit {
	all := make([]git.Commit, len(commits))
	for i, c := range commits {
		all[i] = c.Commit
	}
	return all
}

// Reader reads the records of branches for one run.
type Reader struct{ Snapshots *git.Snapshots }

// Branch returns the history of a branch, with a number of levels of trees; 1 leads to records and
// tracking file. It does not connect yet.
func (r Reader) Branch(ctx context.Context, branch git.Branch, levels int) (*BranchHistory, error) {
	log, err := r.Snapshots.Log(ctx, branch, levels)
	if err != nil {
		return nil, err
	}
	return &BranchHistory{Log: log, name: branch.Name, records: map[tree.ID]readRecords{}}, nil
}

// Commits returns the newest commits along first parents, at most so many. It returns none if
// the branch does not exist. Errors: those of reading a branch. Cost: at most five fetches for
// missing parts: commits, folders of records, records, and tracking files if there is no record.
func (b *BranchHistory) Commits(ctx context.Context, most int) ([]GitOpsCommit, error) {
	all, err := b.Log.Commits(ctx, most)
	if err != nil {
		return nil, err
	}
	if n := len(b.commits); len(all) > n {
		more, err := b.describe(ctx, all[n:])
		if err != nil {
			return nil, err
		}
		b.commits = append(b.commits, more...)
	}
	if b.isRecorded {
		for i := range b.commits {
			b.commits[i].Tracked = ""
		}
	}
	return slices.Clip(b.commits[:len(all)]), nil
}

// describe reads the records of commits, or else their tracking files.
func (b *BranchHistory) describe(ctx context.Context, commits []git.Commit) ([]GitOpsCommit, error) {
	folder, name := path.Split(engine.PromotedCommitFile)
	folder = path.Clean(folder)
	dirs, err := b.Log.Folders(ctx, commits, []string{RecordsFolder, folder})
	if err != nil {
		return nil, err
	}
	contents, err := b.Log.Contents(ctx, dirs[RecordsFolder], maxRecord, IsInstance)
	if err != nil {
		return nil, err
	}
	described := make([]GitOpsCommit, len(commits))
	for i, c := range commits {
		read := b.parse(dirs[RecordsFolder][i], contents)
		described[i] = GitOpsCommit{Commit: c, Records: read.records, Unreadable: read.err}
		b.isRecorded = b.isRecorded || len(read.records) > 0 || read.err != nil
	}
	if b.isRecorded {
		return described, nil
	}
	contents, err = b.Log.Contents(ctx, dirs[folder], maxTracked, func(file string) bool { return file == name })
	for i := range described {
		if e, _ := dirs[folder][i].Find(name); git.IsFile(e) {
			described[i].Tracked = trackedCommit(contents[e.ID])
		}
	}
	return described, err
}

// parse reads the records of a commit, once for all commits with the same records.
func (b *BranchHistory) parse(dir *tree.Dir, contents map[tree.ID][]byte) readRecords {
	read, known := b.records[dir.ID]
	if !known {
		files := slices.Clone(dir.Entries)
		for i, e := range files {
			files[i].Content = contents[e.ID]
		}
		read.records, read.err = ReadRecords(files, b.name)
		b.records[dir.ID] = read
	}
	return read
}

// Missing says that the branch does not exist, with the nearest name.
func Missing(ctx context.Context, log *git.Log, branch git.Branch) (string, error) {
	names, err := log.Branches(ctx)
	return strings.TrimSpace(fmt.Sprintf("%s does not exist. %s", branch, wording.DidYouMean(branch.Name, names))), err
}

// maxRecord is how many bytes of a record are read.
const maxRecord = 1 << 20

// maxTracked is how many bytes a tracking file may have.
const maxTracked = 1024

// trackedCommit reads a tracking file. It returns "" if the file is not one line with an id.
func trackedCommit(content []byte) string {
	if id := string(bytes.TrimSpace(content)); AsRelease(id) != "" {
		return CommitID(id)
	}
	return ""
}

// CommitID returns an id for comparisons: a commit id in lower case, any other id unchanged.
func CommitID(text string) string {
	return cmp.Or(tree.CommitID(text), text)
}
