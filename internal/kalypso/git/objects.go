// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Commit is a commit of a Log.
type Commit struct {
	ID      tree.ID
	Parents []tree.ID
	// Author wrote the commit. Time is the committer time: merge, squash and rebase set it
	// anew.
	Author Signature
	Time   time.Time
	// Message is the whole message.
	Message string

	root tree.ID
}

// Subject returns the first line of the message.
func (c Commit) Subject() string {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return strings.TrimSpace(subject)
}

func readCommit(id tree.ID, data []byte) (Commit, error) {
	c := Commit{ID: id, Parents: parentsOf(data)}
	var err error
	if c.root, err = parseCommit(data); err != nil {
		return Commit{}, err
	}
	header, message, _ := bytes.Cut(data, []byte("\n\n"))
	c.Message = strings.ToValidUTF8(string(message), "?")
	c.Author, _, _ = signatureOf(header, "author")
	var ok bool
	if _, c.Time, ok = signatureOf(header, "committer"); !ok {
		return Commit{}, errors.New("a commit of the repository has no committer time. Run git fsck on the server")
	}
	return c, nil
}

// signatures matches the author and the committer in a commit's header, with the time if there
// is one: "author Ann <ann@example.com> 1700000000 +0000".
var signatures = regexp.MustCompile(`(?m)^(author|committer) (?:(.*)<)?(.*)> *(-?\d+)?`)

// signatureOf returns the person and the time of a line in a commit's header. ok is false if
// the line has no time.
func signatureOf(header []byte, kind string) (who Signature, when time.Time, ok bool) {
	for _, line := range signatures.FindAllStringSubmatch(strings.ToValidUTF8(string(header), "?"), -1) {
		if line[1] == kind {
			seconds, err := strconv.ParseInt(line[4], 10, 64)
			return Signature{Name: strings.TrimSpace(line[2]), Email: line[3]}, time.Unix(seconds, 0).UTC(), err == nil
		}
	}
	return Signature{}, time.Time{}, false
}

func parentsOf(data []byte) []tree.ID {
	header, _, _ := bytes.Cut(data, []byte("\n\n"))
	var parents []tree.ID
	for line := range bytes.Lines(header) {
		text, ok := bytes.CutPrefix(line, []byte("parent ")) // an indented line belongs to a signature
		if id, err := tree.ParseID(string(bytes.TrimSpace(text))); ok && err == nil {
			parents = append(parents, id)
		}
	}
	return parents
}

// parseTree reads the content of a tree object. It keeps names and modes unchanged, even those
// that git would refuse.
func parseTree(data []byte) ([]tree.Entry, error) {
	var entries []tree.Entry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		end := bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+len(tree.ID{}) {
			return nil, errors.New("a tree of the repository is malformed. Run git fsck on the server")
		}
		e := tree.Entry{Mode: tree.Mode(data[:space]), Name: string(data[space+1 : end])}
		data = data[end+1:]
		data = data[copy(e.ID[:], data):]
		entries = append(entries, e)
	}
	return entries, nil
}

// parseCommit returns the tree of a commit.
func parseCommit(data []byte) (tree.ID, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	id, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok {
		return tree.ID{}, errors.New("a commit of the repository is malformed. Run git fsck on the server")
	}
	return tree.ParseID(string(id))
}
