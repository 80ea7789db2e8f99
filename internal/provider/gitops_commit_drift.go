// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/gitops"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
)

// maxDriftContent bytes of compressed content are kept in private state.
const maxDriftContent = 1 << 20

// drift is where the branch differs from what the state's manifests render: it
// lets a plan show, without the network, what is in the repository now.
type drift struct {
	Files []driftFile `json:"files,omitempty"`
	// Tracking is the content of the promoted commit's file.
	Tracking []byte `json:"tracking,omitempty"`
}

// driftFile is a file that differs. It has no mode where it is gone, and no
// content where that was too much to keep, or there is none.
type driftFile struct {
	Path    string    `json:"path"`
	Mode    tree.Mode `json:"mode,omitempty"`
	ID      objectID  `json:"id,omitzero"`
	Content []byte    `json:"content,omitempty"` // compressed
}

// newDrift notes differences: content in the order of paths, as long as there is room.
func newDrift(found *gitops.Differences) *drift {
	d := &drift{Tracking: found.Tracking}
	room := maxDriftContent
	for _, difference := range found.Files {
		e := difference.Found
		file := driftFile{Path: difference.Path, Mode: e.Mode, ID: objectID(e.ID)}
		if content := deflate(e.Content); e.Content != nil && len(content) <= room {
			room -= len(content)
			file.Content = content
		}
		d.Files = append(d.Files, file)
	}
	return d
}

// below gives what changes a rendered folder into the one in the branch, by the
// paths in it.
func (d *drift) below(folder string) (map[string]tree.Entry, error) {
	changes := map[string]tree.Entry{}
	if d == nil {
		return changes, nil
	}
	for _, file := range d.Files {
		path, inside := strings.CutPrefix(file.Path, folder+"/")
		if !inside {
			continue
		}
		e := tree.Entry{Mode: file.Mode, ID: tree.ID(file.ID)}
		if file.Content != nil {
			content, err := io.ReadAll(flate.NewReader(bytes.NewReader(file.Content)))
			if err != nil {
				return nil, err
			}
			e.Content = content
		}
		changes[path] = e
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

// rendered gives the folders that the state's manifests render; none after an
// import, or where this version of the provider cannot render them.
func (m *gitOpsCommitModel) rendered(ctx context.Context) map[string]*tree.Dir {
	in, diags := m.engineInput(ctx)
	if diags.HasError() || len(in.Manifests) == 0 {
		return nil
	}
	result, err := kalypso.Compute(in)
	if err != nil {
		return nil
	}
	return result.Folders
}

// repository gives what is in the branch now, without looking: the folders that
// the state's manifests render, with what drifted put into them. Of folders that
// are not known file by file, it has the names in unknown.
func (m *gitOpsCommitModel) repository(ctx context.Context, known *record) (folders map[string]*tree.Dir, unknown []string) {
	rendered := m.rendered(ctx)
	folders = map[string]*tree.Dir{}
	for name, id := range known.known() {
		dir := rendered[name]
		switch {
		case id.IsZero(): // gone
			continue
		case dir == nil:
			dir = tree.FromEntries(nil)
			fallthrough
		case dir.ID != id:
			changes, err := known.Drift.below(name)
			if err == nil {
				dir = dir.With(changes)
			}
		}
		if dir.ID != id {
			unknown = append(unknown, name)
			continue
		}
		folders[name] = dir
	}
	slices.Sort(unknown)
	return folders, unknown
}
