// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// recordKey is where the record stands in the resource's private state.
const recordKey = "repository"

// record is what we know of the branch since we last looked: it makes the next
// look cheap, and tells apply what the plan was made against.
type record struct {
	// Head is the commit that the branch pointed at.
	Head objectID `json:"head"`
	// Folders are ours: written by this resource or taken over by import.
	Folders map[string]objectID `json:"folders"`
	// Others are the foreign folders that exclusive = true claims.
	Others map[string]objectID `json:"others,omitzero"`
	// Tracking is the blob of the promoted commit's file, zero while it is gone;
	// nil where the file is not ours.
	Tracking *objectID `json:"tracking,omitempty"`
	// Imported is true until the first plan that changes something after an import.
	Imported bool `json:"imported,omitempty"`
	// Engine is the version of the provider that rendered what was written.
	Engine string `json:"engine,omitempty"`
	// Given are the parts of the location that the configuration set, see given.
	Given string `json:"given,omitempty"`
	// Drifted is true where the branch no longer holds what was written.
	Drifted bool `json:"drifted,omitempty"`
	// Drift is what differs then; nil where nothing does.
	Drift *drift `json:"drift,omitempty"`
	// Config are the values of configuration that were proposed and not merged, for
	// the text of the next request; those beyond maxKeptConfig are not kept.
	Config []forge.ConfigChange `json:"config,omitempty"`
	// Proposal is the pull request that is open; nil without one.
	Proposal *proposal `json:"proposal,omitempty"`
}

// objectID is a tree.ID that is written as hexadecimal digits.
type objectID tree.ID

func (id objectID) MarshalText() ([]byte, error) { return []byte(tree.ID(id).String()), nil }

func (id *objectID) UnmarshalText(text []byte) error {
	parsed, err := tree.ParseID(string(text))
	*id = objectID(parsed)
	return err
}

// privateState is the part of the framework's requests and responses that holds private state.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// readRecord gives the record, empty where there is none.
func readRecord(ctx context.Context, private privateReader) (*record, diag.Diagnostics) {
	var r record
	text, diags := private.GetKey(ctx, recordKey)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &r); err != nil {
			diags.AddError("Unreadable private state", fmt.Sprintf(
				"What the provider noted about the GitOps repository cannot be read. Remove the resource from the state and import it again. Cause: %s", err))
		}
	}
	return &r, diags
}

func (r *record) write(ctx context.Context, private privateWriter) diag.Diagnostics {
	text, err := json.Marshal(r)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Private state cannot be written", err.Error())}
	}
	return private.SetKey(ctx, recordKey, text)
}

// newRecord notes what an apply has written.
func newRecord(result *engine.Result, written git.Result, engine, given string) *record {
	r := &record{
		Head: objectID(written.Head), Folders: make(map[string]objectID, len(result.Folders)),
		Tracking: trackingRecord(result.TrackingID()), Engine: engine, Given: given,
	}
	for name, dir := range result.Folders {
		r.Folders[name] = objectID(dir.ID)
	}
	return r
}

// trackingRecord notes the blob of a file that is ours where it exists.
func trackingRecord(blob tree.ID) *objectID {
	if blob.IsZero() {
		return nil
	}
	id := objectID(blob)
	return &id
}

// tracking gives the blob of the promoted commit's file; zero where it is gone or not ours.
func (r *record) tracking() tree.ID {
	if r.Tracking == nil {
		return tree.ID{}
	}
	return tree.ID(*r.Tracking)
}

// digests gives the digests of the record at the level of cluster types.
func (r *record) digests() engine.Digests {
	d := engine.Digests{}
	for name, id := range r.known() {
		if !id.IsZero() {
			d.AddFolder(engine.DetailClusterType, name, id, nil)
		}
	}
	d.SetTracking(r.tracking())
	return d
}

// known gives all folders of the record and their ids, foreign ones included.
func (r *record) known() map[string]tree.ID {
	ids := make(map[string]tree.ID, len(r.Folders)+len(r.Others))
	for _, folders := range []map[string]objectID{r.Folders, r.Others} {
		for name, id := range folders {
			ids[name] = tree.ID(id)
		}
	}
	return ids
}

// change is what apply has to do so that the branch holds the result: our
// folders as rendered, and those gone that the record has and the result lacks.
func (r *record) change(result *engine.Result, exclusive bool) git.Change {
	c := git.Change{Folders: result.Folders, Expected: map[string]tree.ID{}}
	if result.Tracking != nil || r.Tracking != nil && !r.Imported { // see leavesTracking
		c.Tracking = &git.Tracking{Content: result.Tracking, Expected: r.tracking()}
	}
	for name := range result.Folders {
		c.Expected[name] = tree.ID{} // a folder that is new to us must not exist yet
	}
	expected := r.known()
	if !exclusive {
		for name := range r.Others {
			delete(expected, name)
		}
	}
	maps.Copy(c.Expected, expected)
	for name := range expected {
		if _, stays := result.Folders[name]; !stays {
			c.Remove = append(c.Remove, name)
		}
	}
	slices.Sort(c.Remove)
	return c
}

// paths names what is ours: the folders, and the promoted commit's file.
func (r *record) paths() []string {
	all := slices.Sorted(maps.Keys(r.Folders))
	if r.Tracking != nil {
		all = append(all, engine.TrackingFile)
	}
	return all
}

// request asks for what may have changed: nothing while the branch points
// where it did, unless foreign folders have become ours to watch.
func (r *record) request(exclusive bool) git.ReadRequest {
	request := git.ReadRequest{Known: r.known(), Names: slices.Collect(maps.Keys(r.Folders)), All: exclusive}
	if r.Tracking != nil {
		blob := r.tracking()
		request.KnownTracking = &blob
	}
	if exclusive == (r.Others != nil) {
		request.Head = tree.ID(r.Head)
	}
	return request
}

// update takes over what was found in the branch: into the record, and into the
// digests of packages that differ.
func (r *record) update(packages engine.Digests, detail engine.Detail, found *git.State, exclusive bool) {
	r.Head = objectID(found.Head)
	if found.Differences != nil {
		r.Drift = newDrift(found.Differences)
	}
	before := maps.Clone(packages)
	defer func() { r.Drifted = r.Drifted || !maps.Equal(before, packages) }()
	take := func(folders map[string]objectID, name string) {
		folder, exists := found.Folders[name]
		switch {
		case !exists:
			packages.RemoveFolder(name)
			folders[name] = objectID{}
		case tree.ID(folders[name]) != folder.ID:
			packages.RemoveFolder(name)
			packages.AddFolder(detail, name, folder.ID, folder.Entries)
			folders[name] = objectID(folder.ID)
		}
	}
	for name := range r.Folders {
		take(r.Folders, name)
	}
	if r.Tracking != nil {
		packages.SetTracking(found.Tracking)
		*r.Tracking = objectID(found.Tracking)
	}
	for name := range r.Others {
		if _, exists := found.Folders[name]; !exists || !exclusive {
			packages.RemoveFolder(name)
			delete(r.Others, name)
		}
	}
	if !exclusive {
		r.Others = nil
		return
	}
	if r.Others == nil {
		r.Others = map[string]objectID{}
	}
	for name := range found.Folders {
		if _, ours := r.Folders[name]; !ours && utf8.ValidString(name) {
			take(r.Others, name)
		}
	}
}
