// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// parseTree reads the content of a tree object. Names and modes stay as they
// are, whatever git would say of them.
func parseTree(data []byte) ([]tree.Entry, error) {
	var entries []tree.Entry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		end := bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+len(tree.ID{}) {
			return nil, errors.New("a tree of the repository is malformed. Run git fsck on the server")
		}
		e := tree.Entry{Mode: modeOf(data[:space]), Name: string(data[space+1 : end])}
		data = data[end+1:]
		data = data[copy(e.ID[:], data):]
		entries = append(entries, e)
	}
	return entries, nil
}

// modeOf reads a mode, of which there are few.
func modeOf(text []byte) tree.Mode {
	for _, known := range []tree.Mode{tree.ModeFile, tree.ModeDir, tree.ModeExecutable, tree.ModeSymlink, tree.ModeSubmodule} {
		if string(text) == string(known) {
			return known
		}
	}
	return tree.Mode(text)
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
