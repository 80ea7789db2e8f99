// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
)

// byFlux is a fleet whose packages Flux delivers, with other texts in its templates.
func byFlux(in engine.Input, texts ...string) engine.Input {
	in.Manifests = slices.Clone(in.Manifests)
	texts = append(texts, "labels: {family: {{", "annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}, labels: {family: {{")
	in.Manifests[0].Text = strings.NewReplacer(texts...).Replace(in.Manifests[0].Text)
	return in
}

// renamed is the fleet with other namespaces.
func renamed() engine.Input {
	return byFlux(both("blue"), "metadata: {name: {{ .Namespace }}}", "metadata: {name: new-{{ .Namespace }}}")
}

const deletesData = "DELETES DATA on 2 cluster types: Namespace prod-<cluster type>-web-live, with everything in it (template namespace)"

// A plan says first what clusters delete, whatever else it shows, and so does the body of a request. A resource
// without something in the branch has nothing to delete.
func TestConsequences(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	if _, m := r.apply(t, s.settings(byFlux(both("blue")))); strings.Contains(fmt.Sprint(m.Warnings), "DELETES") {
		t.Errorf("the first apply: %v", m.Warnings)
	}
	settings := s.proposing("blue")
	settings.Fleet = renamed()
	_, m := r.apply(t, settings)
	says(t, m.Warnings, "+0 ~2 -0 packages in 2 cluster types\n "+deletesData+". Nothing brings it back.\n")
	if body := s.only(t).Body; !strings.Contains(body, deletesData) {
		t.Errorf("the body is %s", body)
	}
}

// What clusters delete counts as removed, at the plan and at each attempt to write, until acknowledge has the code.
func TestLimitsOnDeletedData(t *testing.T) {
	t.Parallel()
	none, _ := limits.ParseAmount("0")
	for name, test := range map[string]struct {
		limits limits.Limits
		want   string
	}{
		"max_removed": {limits.Limits{MaxRemoved: none}, "2 of 2 packages would be removed"},
		"protect":     {limits.Limits{Protect: []string{"large/*"}}, "removed or lose data, which protect forbids"},
		"max_changed": {limits.Limits{MaxChanged: none, AllowEmpty: true}, ""}, // they are removed, and do not change
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			settings := s.settings(byFlux(both("blue")))
			r.apply(t, settings)
			settings.Fleet = renamed()
			plan, m := r.plan(t, settings) // without limits
			succeeded(t, m)
			settings.Limits = test.limits
			if test.want == "" {
				r.apply(t, settings)
				return
			}
			says(t, r.carryOut(t, settings, plan).Errors, test.want)
			_, m = r.plan(t, settings)
			says(t, m.Errors, test.want)
			if codes := codesOf(m); name == "max_removed" {
				settings.Acknowledge = codes
				r.apply(t, settings)
			} else if len(codes) > 0 {
				t.Errorf("codes %v", codes)
			}
		})
	}
}

// If the old files cannot be read, limits on removals do not know what clusters delete.
func TestUnreadOldFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	large := byFlux(both("blue"))
	large.Manifests = append(large.Manifests, manifest.Text{Name: "large", Text: "{apiVersion: v1, kind: ConfigMap, metadata: {name: large, " +
		"labels: {platform-config: \"true\"}}, data: {A: \"" + strings.Repeat("0123456789", 20_000) + "\"}}"})
	settings := s.settings(large)
	r.apply(t, settings)
	settings.Fleet, s.maxFetch = byFlux(both("green")), 100_000
	r.plan(t, settings)
	_, m := r.plan(t, settings)
	succeeded(t, m)
	none, _ := limits.ParseAmount("0")
	settings.Limits.MaxRemoved = none
	_, m = r.plan(t, settings)
	says(t, m.Errors, "max_fetch_mib")
	settings.Acknowledge = codesOf(m)
	r.apply(t, settings)
}

// What clusters refuse is a finding, which fail_on makes an error.
func TestFindingsOfAChange(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	fixed := func(of string) engine.Input {
		return byFlux(both("blue"), "name: platform-config,", "name: platform-config, labels: {of: "+of+"},", "data: {{ toJson .ConfigData }}",
			"immutable: true, data: {A: "+of+"}")
	}
	settings := s.settings(fixed("old"))
	settings.Findings = findings.Rules{FailOn: []string{findings.ChangeRefused}}
	r.apply(t, settings)
	settings.Fleet = fixed("new")
	_, m := r.plan(t, settings)
	says(t, m.Errors, "CHANGE_REFUSED Template/config")
	settings.Findings.FailOn = nil
	if _, m := r.plan(t, settings); strings.Count(fmt.Sprint(m.Warnings), "REFUSED on") != 1 {
		t.Errorf("not once: %v", m.Warnings)
	}
	settings.Findings.FailOn = []string{findings.ChangeRefused}
	settings.Findings.Ignore = []string{findings.ChangeRefused + ":Template/config"}
	r.apply(t, settings)
}
