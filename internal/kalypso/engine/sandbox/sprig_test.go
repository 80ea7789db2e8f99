// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	_ "embed"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/go-cmp/cmp"
)

// allowed are the functions that templates can call besides the builtin ones. Check each
// function that a new version of Sprig adds: no function may read the clock, random numbers,
// the network or environment variables.
//
//go:embed testdata/allowed.txt
var allowed string

func TestAllowedFunctions(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(strings.Fields(allowed), slices.Sorted(maps.Keys(NewLanguage(testData{}, nil).functions))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEveryFunctionOfSprigIsDecidedOn(t *testing.T) {
	t.Parallel()
	ofSprig := sprig.TxtFuncMap()
	for name := range ofSprig {
		_, removed := removedFunctions[name]
		if removed == (testLanguage.functions[name] != nil) {
			t.Errorf("%s is both removed and known, or neither", name)
		}
	}
	for name := range removedFunctions {
		if ofSprig[name] == nil {
			t.Errorf("Sprig has no function %s any more", name)
		}
	}
}

func TestRemovedFunctionsSayWhy(t *testing.T) {
	t.Parallel()
	for name, reason := range removedFunctions {
		_, err := testLanguage.Parse("a: b\n  {{ " + name + " }}")
		expectError(t, err, "line 2: ", "the function "+name+" does not exist", reason,
			"plan and apply would render different bytes")
	}
}

// The guide lists the functions of Sprig that do not exist, or that differ.
func TestGuideListsDifferences(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../../templates/guides/template-functions.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(removedFunctions)), maps.Keys(sprig2Functions))
	for _, name := range names {
		if !strings.Contains(string(guide), "`"+name+"`") {
			t.Errorf("%s is not in the guide", name)
		}
	}
}
