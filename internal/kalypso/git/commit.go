// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Commit is a commit of a Log.
type Commit struct {
	ID      tree.ID
	Parents []tree.ID
	// Author is who wrote it, and Time when it was committed, by the clock of who did: a
	// merge, a squash and a rebase are commits of that moment.
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

// readCommit reads the content of a commit object.
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
		return Commit{}, errors.New("a commit of the repository does not say when it was made. Run git fsck on the server")
	}
	return c, nil
}

// signatureOf reads who is named in a line of a commit's header, and when, and whether
// the line has a time: "author Ann <ann@example.com> 1700000000 +0000".
func signatureOf(header []byte, kind string) (who Signature, when time.Time, ok bool) {
	for line := range bytes.Lines(header) {
		text, found := strings.CutPrefix(strings.ToValidUTF8(string(line), "?"), kind+" ")
		if !found {
			continue
		}
		person, at := cutLast(text, ">")
		name, email := cutLast(person, "<")
		seconds, _, _ := strings.Cut(strings.TrimSpace(at), " ")
		unix, err := strconv.ParseInt(seconds, 10, 64)
		return Signature{Name: strings.TrimSpace(name), Email: email}, time.Unix(unix, 0).UTC(), err == nil
	}
	return Signature{}, time.Time{}, false
}

// cutLast cuts a text at the last place where it has a separator.
func cutLast(text, separator string) (before, after string) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):]
	}
	return text, ""
}
