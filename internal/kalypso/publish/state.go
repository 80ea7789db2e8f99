// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Applied is a resource after its last apply or refresh, as the state has it.
type Applied struct {
	Settings
	Location git.Location
	// Instance is the id of the resource.
	Instance string
	// TrustsRepo is true if the configuration itself named the repository at the last apply. Its
	// host then gets credentials from environment variables.
	TrustsRepo bool
	Attributes
}

// Attributes are what a resource reports about its place.
type Attributes struct {
	// Packages are the digests of the present or proposed packages and files.
	Packages engine.Digests
	// Kept are the packages that stay as they are, because they cannot be rendered, or because they may
	// be in a broken file.
	Kept []string
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty if there was none.
	Commit string
	Status Status
	// RequestURL is the page of the last pull request; empty without one. MergedCommit brought it
	// into the branch; empty before.
	RequestURL, MergedCommit string
	// LastRequest is the last pull request.
	LastRequest request.Noted
}

// Status compares a branch with the last apply.
type Status string

// The values of a Status.
const (
	InSync   Status = "in_sync"  // the branch has the applied content
	Proposed Status = "proposed" // an open request proposes the content
	Closed   Status = "closed"   // somebody closed the request without a merge
	Drifted  Status = "drifted"  // somebody changed our folders or our record
	Held     Status = "held"     // the resource was created on hold
)

// Unversioned is the version of a build without one.
const Unversioned = "dev"

// Memory has the ids that an operation leaves for later ones, by key. Terraform loses it if the
// provider is killed during an update. Without it, a refresh cannot name drift once, and nothing
// else changes.
type Memory struct {
	// OursAtApply is the content that the last apply wrote or proposed.
	OursAtApply map[string]tree.ID `json:"ours_at_apply,omitempty"`
	// RecordAtApply is the recordID of the record that the last apply wrote or proposed.
	RecordAtApply tree.ID `json:"record_at_apply,omitzero"`
	// BranchAtRefresh is what the branch had at the last refresh, or after the last apply.
	BranchAtRefresh map[string]tree.ID `json:"branch_at_refresh,omitempty"`
	// LastLook is the look that found the resource as it is: BranchAtRefresh, and the attributes in the state.
	LastLook Look `json:"last_look,omitzero"`
	// BranchAtPlan is what the branch had at the plan, with zero ids for what did not exist; nil if the
	// plan did not read it.
	BranchAtPlan map[string]tree.ID `json:"branch_at_plan,omitempty"`
	// Owners are the workspaces of names that the fleet of the last apply does not say: see
	// fleet.Fleet.Remembered. Without them, two workloads of one name are both broken.
	Owners fleet.Owners `json:"owners,omitempty"`
	// Complete is the version of the provider that rendered the last apply, and what of the place its settings named. It is empty for a
	// build without a version, and if the apply left something broken, kept or released behind, so that each plan has something to say.
	Complete string `json:"complete,omitempty"`
	// Imported is true between an import and the first apply.
	Imported bool `json:"imported,omitempty"`
	// Destroys is true if a destroy was planned.
	Destroys bool `json:"destroys,omitempty"`
}

// Look is what one look at a branch saw: its commit, and the id of the folder of records. Both are zero if they are not known.
type Look struct {
	Head    tree.ID `json:"head,omitzero"`
	Records tree.ID `json:"records,omitzero"`
}

// isStill reports whether an answer is what the look saw: the branch did not move, or the commits since then changed other paths.
func (l Look) isStill(asked git.Query, answer *git.Answer) bool {
	if l.Head == answer.Head && !l.Head.IsZero() {
		return true
	}
	isChanged := func(at string) bool { return answer.ID(at) != asked.Paths[at].ID }
	return !l.Records.IsZero() && !slices.ContainsFunc(slices.Collect(maps.Keys(asked.Paths)), isChanged)
}

// ParseMemory reads the private state. It returns the zero value, as if Terraform had lost it, for a
// text that is not valid.
func ParseMemory(text []byte) (m Memory) {
	if json.Unmarshal(text, &m) != nil {
		return Memory{}
	}
	return m
}

// Text returns the memory for the private state.
func (m Memory) Text() []byte {
	text, _ := json.Marshal(m) // it always has a form in JSON
	return text
}

// notes is the attribute of this name. It is in the state and not in the memory, because Terraform loses
// the private state of an update whose provider dies.
type notes struct {
	Configured bool `json:"configured,omitempty"`
	request.Noted
}

// ReadNotes fills in what the attribute notes has. Error: the text is not valid.
func (a *Applied) ReadNotes(text string) error {
	n := notes{}
	err := json.Unmarshal([]byte(cmp.Or(text, "{}")), &n)
	a.TrustsRepo, a.LastRequest = n.Configured, n.Noted
	return err
}

// Notes returns the attribute notes. trustsRepo says that the configuration itself names the repository.
func (a Attributes) Notes(trustsRepo bool) string {
	text, _ := json.Marshal(notes{trustsRepo, a.LastRequest}) // it always has a form in JSON
	return string(text)
}
