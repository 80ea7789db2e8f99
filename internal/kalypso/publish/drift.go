// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

const (
	// maxDriftContent bytes of compressed content are kept between runs, and of at
	// most maxDriftFiles files of a base branch.
	maxDriftContent = 1 << 20
	maxDriftFiles   = 5000
	// maxDriftFile bytes of a file are unpacked: what is longer does not come out
	// with the right id, and is not shown.
	maxDriftFile = 16 << 20
)

// Drift is where a branch differs from what was rendered: it lets a plan show,
// without the network, what is in the repository now.
type Drift struct {
	Files []DriftFile `json:"files,omitempty"`
}

// DriftFile is a file that differs. It has no mode where it is gone, and no
// content where that was too much to keep, or there is none.
type DriftFile struct {
	Path    string    `json:"path"`
	Mode    tree.Mode `json:"mode,omitempty"`
	ID      ObjectID  `json:"id,omitzero"`
	Content []byte    `json:"content,omitempty"` // compressed
}

// newDrift notes differences: content in the order of paths, as long as there is room.
func newDrift(found *git.Differences) *Drift {
	d := &Drift{}
	room := maxDriftContent
	for _, difference := range found.Files {
		e := difference.Found
		file := DriftFile{Path: difference.Path, Mode: e.Mode, ID: ObjectID(e.ID)}
		if content := deflate(e.Content); e.Content != nil && len(content) <= room {
			room -= len(content)
			file.Content = content
		}
		d.Files = append(d.Files, file)
	}
	return d
}

// proposedDrift notes how the base branch differs from what is proposed, so that
// later plans can show the base without the network.
func proposedDrift(now current, proposed map[string]tree.Entry) *Drift {
	kept := map[string]tree.Entry{}
	for path := range now.paths { // what is not in the base branch has no old side
		if e, ok := proposed[path]; ok {
			kept[path] = e
		}
	}
	found := &git.Differences{}
	for _, change := range diff.Trees(now.tree(), asTree(kept)) {
		if len(found.Files) == maxDriftFiles {
			break // the plan says which folders it cannot show
		}
		difference := git.Difference{Path: change.Path}
		if old := change.Old; old != nil {
			difference.Found = tree.Entry{Mode: old.Mode, ID: old.ID, Content: old.Content}
		}
		found.Files = append(found.Files, difference)
	}
	return newDrift(found)
}

// at returns what differs at a path and below it, by the paths from there: "" for
// the path itself.
func (d *Drift) at(path string) (map[string]tree.Entry, error) {
	changes := map[string]tree.Entry{}
	if d == nil {
		return changes, nil
	}
	for _, file := range d.Files {
		below, inside := strings.CutPrefix(file.Path, path)
		if !inside || below != "" && below[0] != '/' {
			continue
		}
		e := tree.Entry{Mode: file.Mode, ID: tree.ID(file.ID)}
		if file.Content != nil {
			content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(file.Content)), maxDriftFile))
			if err != nil {
				return nil, err
			}
			e.Content = content
		}
		changes[strings.TrimPrefix(below, "/")] = e
	}
	return changes, nil
}

// deflate compresses; a buffer takes everything, so it cannot fail.
func deflate(content []byte) []byte {
	var b bytes.Buffer
	if w, err := flate.NewWriter(&b, flate.BestCompression); err == nil {
		_, _ = w.Write(content)
		_ = w.Close()
	}
	return b.Bytes()
}
