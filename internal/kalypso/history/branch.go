// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// BranchHistory is the history of a branch that environments are written to.
type BranchHistory struct {
	log     *git.Log
	name    string
	commits []GitOpsCommit
	// records are those that were read, by their folders.
	records map[tree.ID]ownership.Records
}

// GitOpsCommit is a GitOps commit, with its own statements about its source.
type GitOpsCommit struct {
	git.Commit
	// Records are those that count on the branch; nil if there are too many.
	Records ownership.Records
	// Tracked is the commit of the control plane in the tracking file, if no record
	// names one: what Kalypso itself writes. Empty for none, and Garbled if the file
	// holds no id.
	Tracked string
	Garbled bool
}

// plain returns commits as Git has them.
func plain(commits []GitOpsCommit) []git.Commit {
	all := make([]git.Commit, len(commits))
	for i, c := range commits {
		all[i] = c.Commit
	}
	return all
}

// Branch returns the history of a branch. It connects to nothing yet.
func (r Reader) Branch(ctx context.Context, branch git.Branch) (*BranchHistory, error) {
	return r.branch(ctx, branch, 1) // the root trees lead to records and tracking file
}

// branch is Branch, with levels of trees.
func (r Reader) branch(ctx context.Context, branch git.Branch, levels int) (*BranchHistory, error) {
	log, err := r.Snapshots.Log(ctx, branch, levels)
	if err != nil {
		return nil, err
	}
	return &BranchHistory{log: log, name: branch.Name, records: map[tree.ID]ownership.Records{}}, nil
}

// Commits returns the newest commits along first parents, at most that many, and none if the
// branch does not exist. Errors: those of reading a branch. Cost: at most five fetches for what
// was not read before: commits, folders of records, records, and tracking files if the records
// name no commit.
func (b *BranchHistory) Commits(ctx context.Context, most int) ([]GitOpsCommit, error) {
	all, err := b.log.Commits(ctx, most)
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
	return slices.Clip(b.commits[:len(all)]), nil
}

// describe reads what commits say of where they come from.
func (b *BranchHistory) describe(ctx context.Context, commits []git.Commit) ([]GitOpsCommit, error) {
	folder, name := path.Split(engine.PromotedCommitFile)
	folder = path.Clean(folder)
	dirs, err := b.log.Folders(ctx, commits, []string{ownership.RecordsFolder, folder})
	if err != nil {
		return nil, err
	}
	contents, err := b.log.Contents(ctx, dirs[ownership.RecordsFolder], ownership.MaxRecordBytes, ownership.IsInstance)
	if err != nil {
		return nil, err
	}
	described := make([]GitOpsCommit, len(commits))
	var silent []*tree.Dir
	for i, c := range commits {
		described[i] = GitOpsCommit{Commit: c, Records: b.parse(dirs[ownership.RecordsFolder][i], contents)}
		if !described[i].recorded() {
			silent = append(silent, dirs[folder][i])
		}
	}
	contents, err = b.log.Contents(ctx, silent, maxTracked, func(file string) bool { return file == name })
	for i := range described {
		if e, _ := dirs[folder][i].Find(name); git.IsFile(e) && !described[i].recorded() {
			described[i].Tracked = trackedCommit(contents[e.ID])
			described[i].Garbled = described[i].Tracked == ""
		}
	}
	return described, err
}

// parse reads the records of a commit, once for all commits that have the same. A commit
// with too many records says nothing, and is not in the way of others for ever.
func (b *BranchHistory) parse(dir *tree.Dir, contents map[tree.ID][]byte) ownership.Records {
	records, known := b.records[dir.ID]
	if !known {
		files := slices.DeleteFunc(slices.Clone(dir.Entries), func(e tree.Entry) bool { return !git.IsFile(e) })
		for i, e := range files {
			files[i].Content = contents[e.ID]
		}
		records, _ = ownership.ReadRecords(&git.Found{Entries: files}, b.name)
		b.records[dir.ID] = records
	}
	return records
}

// recorded reports whether a record names a commit. The tracking file then belongs to an
// instance, or to no instance any more.
func (c GitOpsCommit) recorded() bool {
	for _, r := range c.Records {
		if r.Commit() != "" {
			return true
		}
	}
	return false
}

// maxTracked is how many bytes a tracking file has at the most.
const maxTracked = 1024

// trackedCommit reads a tracking file; empty if it is not one line with an id.
func trackedCommit(content []byte) string {
	if id := string(bytes.TrimSpace(content)); ownership.AsRelease(id) != "" {
		return CommitID(id)
	}
	return ""
}

// CommitID returns an id as it is compared: the id of a commit in small letters, whatever
// else it may be as it is.
func CommitID(text string) string {
	return cmp.Or(tree.FullCommitID(text), text)
}
