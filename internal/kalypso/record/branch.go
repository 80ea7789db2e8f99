// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// BranchHistory is the history of a branch with environments.
type BranchHistory struct {
	*git.Log
	name string
	// records are the read records, by their folders.
	records map[tree.ID]readRecords
}

// readRecords are the records in a folder, or the error if one of them cannot be read.
type readRecords struct {
	records Records
	err     error
}

// GitOpsCommit is a commit of an environment's branch.
type GitOpsCommit struct {
	git.Commit
	// ParentsAt are the positions of the parents in the history; without those that were not read.
	ParentsAt []int
	// OnLine says that the commit is on the line of first parents: clusters have seen no others.
	OnLine bool
	// Records are all records: those of the branch, and copies from other branches; nil if one of
	// them cannot be read, for the reason Unreadable.
	Records    Records
	Unreadable error
	// Tracked is the commit of the control plane in the tracking file, which Kalypso itself
	// writes; empty if the file does not exist or has no id, or if a record lies beside it.
	Tracked string
}

// IsWhole reports whether all parents were read.
func (c GitOpsCommit) IsWhole() bool { return len(c.ParentsAt) == len(c.Parents) }

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

// Commits returns the commits that the branch reaches in fewer than depth steps, along all parents, in
// the order of git.Log.History: the newest commit is the last. It returns none if the branch does not
// exist. Errors: those of git.Log.History. Cost: two fetches for missing parts, the commits and the
// folders with records or tracking files; more if the server does not send folders by their ids.
func (b *BranchHistory) Commits(ctx context.Context, depth int) ([]GitOpsCommit, error) {
	found, err := b.History(ctx, depth)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	commits, position := make([]GitOpsCommit, len(found)), map[tree.ID]int{}
	for i, c := range found {
		position[c.ID], commits[i].Commit = i, c
		for _, parent := range c.Parents {
			if at, isRead := position[parent]; isRead {
				commits[i].ParentsAt = append(commits[i].ParentsAt, at)
			}
		}
	}
	for at, isRead := len(found)-1, true; isRead; at, isRead = position[found[at].Parents[0]] {
		if commits[at].OnLine = true; len(found[at].Parents) == 0 {
			break
		}
	}
	return commits, b.describe(ctx, commits)
}

// describe reads the records of commits, or else their tracking files.
func (b *BranchHistory) describe(ctx context.Context, commits []GitOpsCommit) error {
	folder, name := path.Split(engine.PromotedCommitFile)
	folder = path.Clean(folder)
	plain, above := Plain(commits), strings.Split(folder, "/")[0]
	roots, err := b.Folders(ctx, plain, []string{"."})
	if err != nil {
		return err
	}
	var missing []tree.ID
	for _, root := range roots[""] {
		records, isThere := root.Find(RecordsFolder)
		if !isThere {
			records, isThere = root.Find(above)
		}
		if isThere && records.Mode.IsDir() {
			missing = append(missing, records.ID)
		}
	}
	if err := b.Below(ctx, missing); err != nil {
		return err
	}
	dirs, err := b.Folders(ctx, plain, []string{RecordsFolder, folder})
	if err != nil {
		return err
	}
	contents, err := b.Contents(ctx, dirs[RecordsFolder], maxRecord, IsInstance)
	if err != nil {
		return err
	}
	tracked := make([]*tree.Dir, len(commits))
	for i := range commits {
		read := b.parse(dirs[RecordsFolder][i], contents)
		commits[i].Records, commits[i].Unreadable, tracked[i] = read.records, read.err, &tree.Dir{}
		if len(read.records) == 0 && read.err == nil {
			tracked[i] = dirs[folder][i]
		}
	}
	contents, err = b.Contents(ctx, tracked, maxTracked, func(file string) bool { return file == name })
	for i := range tracked {
		if e, _ := tracked[i].Find(name); git.IsFile(e) {
			commits[i].Tracked = trackedCommit(contents[e.ID])
		}
	}
	return err
}

// parse reads the records of a commit, once for all commits with the same records.
func (b *BranchHistory) parse(dir *tree.Dir, contents map[tree.ID][]byte) readRecords {
	read, known := b.records[dir.ID]
	if !known {
		files := slices.Clone(dir.Entries)
		for i, e := range files {
			files[i].Content = contents[e.ID]
		}
		read.records, read.err = readAll(files, b.name)
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

// RunTrailer is the trailer of a commit's message that has the run of the apply.
const RunTrailer = "Kalypso-Run"

// runLine is the trailer of the run at the end of a message.
var runLine = regexp.MustCompile(RunTrailer + `: [!-~]+\n$`)

// RunOf returns the URL of the run that wrote a commit, from the trailer of its message; empty
// if the trailer is not the URL of a web page.
func RunOf(message string) string {
	line := runLine.FindString(strings.TrimSpace(message) + "\n")
	return remote.WebPage(strings.TrimSpace(strings.TrimPrefix(line, RunTrailer+":")))
}
