// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"encoding/json"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Applied describes the last apply and its result; nil before the first apply.
type Applied struct {
	Settings
	Location git.Location
	// Instance is the instance of the resource.
	Instance string
	Attributes
}

// Attributes are the attributes that the resource reports about a location.
type Attributes struct {
	// Packages are the digests of the present or proposed packages.
	Packages engine.Digests
	// Broken are the packages that stay in the branch as they are, because they or those that
	// replace them cannot be rendered.
	Broken []string
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty if there was none.
	Commit string
	// PullRequest and PullRequestURL are the last pull request; zero without one.
	PullRequest    int
	PullRequestURL string
	Status         ownership.State
	// MergedCommit brought the last request into the branch; empty before.
	MergedCommit string
}

// ReadInventory reads the JSON of Note about the last apply. A new resource has a nil text,
// which is an empty inventory. Errors: the text is not an inventory.
func ReadInventory(noted []byte, was *Applied) (*ownership.Inventory, error) {
	inv := &ownership.Inventory{}
	if was == nil {
		return inv, nil
	}
	if len(noted) > 0 {
		if err := json.Unmarshal(noted, inv); err != nil {
			return nil, err
		}
	}
	inv.Location, inv.Instance, inv.Packages, inv.Detail = was.Location, was.Instance, maps.Clone(was.Packages), was.Detail
	if inv.Proposal != nil { // the applied packages are the proposed ones
		inv.Packages = inv.Proposal.Base
	}
	return inv, nil
}
