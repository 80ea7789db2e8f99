// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"maps"
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

// TestEveryFunctionHasAnExample compares the examples with the functions that exist.
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
	for name := range aliases {
		got = append(got, name)
	}
	for name := range mustNames() {
		if !slices.Contains(got, name) {
			got = append(got, name)
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

// TestAliases renders the example of each function under its other names.
func TestAliases(t *testing.T) {
	t.Parallel()
	names := mustNames()
	maps.Copy(names, aliases)
	for alias, name := range names {
		tried := false
		for _, e := range slices.Concat(slices.Collect(maps.Values(groups))...) {
			if e.function == name {
				tried = true
				got, err := render(t, regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(e.template, alias))
				if err != nil || got != e.result {
					t.Errorf("%s gives %q and the error %v, want the result of %s: %q", alias, got, err, name, e.result)
				}
			}
		}
		if !tried {
			t.Errorf("%s is another name of %s, which has no example", alias, name)
		}
	}
}

// render returns the output of a template as the reconciler of an assignment.
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

// TestRefusedTable looks for each function that does not exist in exactly one row.
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

func TestCall(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{"{{ lower `A` }}": "lower `A`", "{{ if true }}a{{ end }}": "{{ if true }}a{{ end }}"} {
		if got := call(template); got != want {
			t.Errorf("%q is shown as %q, want %q", template, got, want)
		}
	}
}
