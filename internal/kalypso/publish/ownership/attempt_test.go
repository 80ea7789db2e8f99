// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// A change that leaves the content as it is has another message, and no request, unless it promotes:
// then the record names another release.
func TestAttemptThatLeavesTheContent(t *testing.T) {
	t.Parallel()
	released := func(commit string) *ownership.Inventory {
		return besides(appliedByUs(one), us, from(commit, claims("fleet", "large")))
	}
	for name, test := range map[string]struct {
		folders  map[string]string
		inv      *ownership.Inventory
		message  string
		promotes bool
		proposed bool // the record, in a request
	}{
		"the release is the same":     {one, released("a"), "as is", false, false},
		"the release moves":           {one, released("b"), "change", true, true},
		"the content changes":         {map[string]string{"large": "new"}, unrecorded(appliedByUs(one)), "change", false, true},
		"the content and the release": {map[string]string{"large": "new"}, released("b"), "change", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, propose := range []bool{false, true} {
				d := reading(updating(test.folders, ""), "a")
				d.Propose = propose
				inv := applied(test.inv)
				inv.RecordsID = id("records")
				a := &ownership.Attempt{Desired: d, Inventory: inv, Message: "change", AsIs: "as is"}
				change, err := a.Work().Decide(&git.Answer{Head: id("head"), Found: map[string]*git.Found{
					large: {Mode: tree.ModeDir, ID: id("l")}, ownership.RecordsFolder: {Mode: tree.ModeDir, ID: id("records")},
				}})
				if err != nil || change.Message != test.message || a.Promotes() != test.promotes {
					t.Errorf("proposed: %t: %q, promotes: %t, %v", propose, change.Message, a.Promotes(), err)
				}
				if _, records := change.Edits[ours]; propose && records != test.proposed {
					t.Errorf("the request has the record: %t", records)
				}
			}
		})
	}
}

// A record that gives the file of the promoted commit up is written, because it would stop others.
func TestAttemptThatGivesUp(t *testing.T) {
	t.Parallel()
	d := leaving(updating(one, ""), tracking)
	d.Source = "c1"
	inv := applied(besides(appliedByUs(one), us, at("c1", claims("fleet", "large"))))
	inv.RecordsID = id("records")
	a := &ownership.Attempt{Desired: d, Inventory: inv, Message: "change", AsIs: "as is"}
	change, err := a.Work().Decide(&git.Answer{Head: id("head"), Found: map[string]*git.Found{
		large: {Mode: tree.ModeDir, ID: id("l")}, ownership.RecordsFolder: {Mode: tree.ModeDir, ID: id("records")},
	}})
	if _, records := change.Edits[ours]; err != nil || !records || change.Message != "as is" {
		t.Errorf("%+v, %v", change, err)
	}
}
