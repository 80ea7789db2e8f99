// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// maxDriftContent bytes of compressed content are kept in private state.
const maxDriftContent = 1 << 20

// maxDriftFile bytes of a file are taken out of private state: what is longer
// does not come out with the right id, and is not shown.
const maxDriftFile = 16 << 20

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
func newDrift(found *git.Differences) *drift {
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
			content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(file.Content)), maxDriftFile))
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

// rendered gives what the state's manifests render; nothing after an import, or
// where this version of the provider cannot render them.
func (m *gitOpsCommitModel) rendered(ctx context.Context) *engine.Result {
	if m.renderedOnce == nil {
		m.renderedOnce = &engine.Result{}
		in, diags := m.engineInput(ctx)
		if !diags.HasError() && len(in.Manifests) > 0 {
			if result, err := engine.Compute(in); err == nil {
				m.renderedOnce = result
			}
		}
	}
	return m.renderedOnce
}

// repository is what is in the branch now, as far as it is known without looking.
type repository struct {
	folders map[string]*tree.Dir
	// unknown are the folders that are not known file by file.
	unknown []string
	// tracking is the promoted commit's file; nil where there is none of ours.
	tracking *diff.File
}

// repository puts what drifted into what the state's manifests render.
func (m *gitOpsCommitModel) repository(ctx context.Context, known *record) repository {
	rendered := m.rendered(ctx)
	now := repository{folders: map[string]*tree.Dir{}}
	for name, id := range known.known() {
		if id.IsZero() {
			continue // gone
		}
		dir := cmp.Or(rendered.Folders[name], tree.FromEntries(nil))
		if changes, err := known.Drift.below(name); err == nil && dir.ID != id {
			dir = dir.With(changes)
		}
		if dir.ID != id {
			now.unknown = append(now.unknown, name)
			continue
		}
		now.folders[name] = dir
	}
	slices.Sort(now.unknown)
	if blob := known.tracking(); !blob.IsZero() {
		now.tracking = &diff.File{Mode: tree.ModeFile, ID: blob, Content: rendered.Tracking}
		if blob != rendered.TrackingID() {
			now.tracking.Content = known.Drift.tracking()
		}
	}
	return now
}

// tracking gives the content of the promoted commit's file, where it drifted.
func (d *drift) tracking() []byte {
	if d == nil {
		return nil
	}
	return d.Tracking
}
