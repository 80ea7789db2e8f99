// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// TestEveryFunctionHasAnExample holds the examples against the functions that exist.
func TestEveryFunctionHasAnExample(t *testing.T) {
	t.Parallel()
	var got []string
	for _, group := range groups {
		for _, e := range group {
			got = append(got, e.function)
			if !regexp.MustCompile(`\b` + e.function + `\b`).MatchString(e.template) {
				t.Errorf("the example of %s is %s", e.function, e.template)
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(rendering.Functions(), got); diff != "" {
		t.Errorf("functions (-that templates can call +with an example):\n%s", diff)
	}
}

// TestExamples renders each example.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, group := range groups {
		for _, e := range group {
			t.Run(name+"/"+e.function, func(t *testing.T) {
				t.Parallel()
				got, err := render(t, e.template)
				if message, failing := strings.CutPrefix(e.result, fails); failing {
					if err == nil || !strings.Contains(err.Error(), e.function+" fails: "+message) {
						t.Errorf("%s gives %q and the error %v, want the error %q", e.template, got, err, message)
					}
				} else if err != nil || got != e.result {
					t.Errorf("%s gives %q and the error %v, want %q", e.template, got, err, e.result)
				}
			})
		}
	}
}

// render renders a template as the reconciler of an assignment.
func render(t *testing.T, source string) (string, error) {
	t.Helper()
	r, err := rendering.New(&fleet.Fleet{Environment: "prod",
		Templates: map[string]*manifest.Template{"example": {Manifests: []string{source}}}})
	if err != nil {
		return "", err
	}
	files, err := r.Render(t.Context(), &placement.Assignment{
		ClusterType: &manifest.ClusterType{Meta: manifest.Meta{Name: "store"}, Reconciler: "example", NamespaceService: "example"},
		Target:      &fleet.Target{FullName: "shop-checkout", Workload: "shop", Workspace: "retail"},
		Namespace:   "prod-store-shop-checkout",
	}, &composition.Config{Values: map[string]any{"REGION": "north"}})
	if err != nil {
		return "", err
	}
	return string(files[0].Content), nil
}

// TestRefusedTable has each function that does not exist in one row.
func TestRefusedTable(t *testing.T) {
	t.Parallel()
	for name, reason := range sandbox.Refused() {
		row := regexp.MustCompile("(?m)^.*`"+name+"`.*$").FindAllString(refusedTable(), -1)
		if len(row) != 1 || !strings.HasSuffix(row[0], "| "+reason+" |") {
			t.Errorf("%s, which %s, is in the rows %q", name, reason, row)
		}
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a b": "a b", "  a: 1\n  b  c \n": "··a: 1↵··b··c·↵", "": ""} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
