// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// random draws some folders, each with one of a few contents.
func random(r *rand.Rand) map[string]tree.Entry {
	folders := map[string]tree.Entry{}
	for range r.IntN(4) {
		content := tree.FromEntries(nil).With(map[string]tree.Entry{"x": tree.File("", []byte{byte('a' + r.IntN(2))})})
		folders[string(rune('a'+r.IntN(3)))] = tree.Subdir("", content)
	}
	return folders
}

func written(folders map[string]tree.Entry) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(&b, "%s %s ", path, folders[path].ID)
	}
	return b.String()
}

// Two decisions have the same code exactly if their present and their desired content are
// the same.
func TestCode(t *testing.T) {
	t.Parallel()
	loc := git.Location{Repo: "file:///x", Branch: "prod", Path: "."}
	codes, changes := map[string]string{}, map[string]string{}
	repeated := 0
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(seed, 6))
		before, after := random(r), random(r)
		inv := &ownership.Inventory{Location: loc, Instance: "0123456789abcdef", Owned: ownership.Objects{}}
		for path, e := range before {
			inv.Owned[path] = ownership.Object{Mode: e.Mode, ID: e.ID}
		}
		desired := ownership.Desired{Location: loc, Environment: "prod", Paths: after, Removal: ownership.Delete, Version: fmt.Sprint(r.IntN(3))}
		change, code := written(before)+"-> "+written(after), codeOf(ownership.Decide(desired, inv), inv, nil, ownership.Delete)
		if known, exists := codes[change]; exists {
			repeated++
			if known != code {
				t.Fatalf("one change has the codes %s and %s: %s", known, code, change)
			}
		}
		if other, exists := changes[code]; exists && other != change {
			t.Fatalf("two changes have the code %s:\n%s\n%s", code, change, other)
		}
		codes[change], changes[code] = code, change
	}
	if repeated == 0 || len(codes) < 300 {
		t.Errorf("%d changes, of which %d came twice, prove little", len(codes), repeated)
	}
}
