// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
)

// TestConformance computes every fleet as Kalypso does.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			in := engine.Input{Environment: fleet.Environment}
			for name, text := range fleet.In {
				if path.Ext(name) == ".yaml" {
					in.Manifests = append(in.Manifests, manifest.Text{Name: name, Text: text})
				}
			}
			result, err := engine.Compute(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			type placed struct {
				Workload string
				Policies []string
			}
			want, got := map[string]placed{}, map[string]placed{}
			for key, a := range fleet.Assignments {
				want[key] = placed{a.Workload, []string{a.Policy}}
			}
			for _, a := range result.Placement.Assignments {
				got[a.Key()] = placed{a.Target.Workload, a.Policies}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("assignments (-Kalypso +ours):\n%s", diff)
			}
			if err := conformance.Compare(fleet.Out, files(result)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConformance_strict checks what Kalypso itself renders, which is not all right: these
// are mistakes of the templates, and not of the check. The definitions are newer than the
// fleets, and have versions of Flux no more that these name.
func TestConformance_strict(t *testing.T) {
	t.Parallel()
	mistakes := map[string]string{
		"factory":   "a mapping at data[",         // a ConfigMap's data are texts
		"selectors": "instead of a label's value", // "-" means no value
	}
	for _, fleet := range conformance.Fleets(t) {
		in := engine.Input{Environment: fleet.Environment}
		for name, text := range fleet.In {
			if path.Ext(name) == ".yaml" {
				in.Manifests = append(in.Manifests, manifest.Text{Name: name, Text: text})
			}
		}
		result, err := engine.Compute(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		mistake := mistakes[path.Base(fleet.Name)]
		for _, f := range refused(t, result) {
			isOld := strings.Contains(f, ".fluxcd.io/v1beta2, which newer releases no longer serve")
			if !isOld && (mistake == "" || !strings.Contains(f, mistake)) {
				t.Errorf("%s: %s", fleet.Name, f)
			}
		}
	}
}
