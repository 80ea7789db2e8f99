// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	const noneNames = "Unknown environment in Environment/dev: No deployment target and no Environment object names the environment \"dev\". "
	for name, test := range map[string]struct {
		document string
		want     string
	}{
		"a target names it":   {workload("w", "", "{name: a, environment: dev}"), ""},
		"a target names none": {workload("w", "", "{name: a}, {name: b, environment: dve}"), ""},
		"an object names it":  {object(manifest.KindEnvironment, "name: dev", "controlPlane: {repo: r}"), ""},
		"another one is near": {workload("w", "", "{name: a, environment: dve}"), noneNames + "Did you mean \"dve\"? The manifests name dve. "},
		"none is near": {object(manifest.KindEnvironment, "name: production", "controlPlane: {repo: r}"), noneNames +
			"The manifests name production. "},
		"nothing names any one": {template("t"), noneNames + "The manifests name no environment at all. "},
		"registrations lead to it": {object(manifest.KindWorkloadRegistration, "name: shop", "workspace: retail, workload: {repo: r}"),
			noneNames + "The manifests name no environment at all. Correct the name. If it is right, the manifests lack the workloads of " +
				"1 WorkloadRegistration. Pass them through data.kalypso_control_plane { fleet_manifests = ... }. If"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := mustBuild(t, test.document).CheckEnvironment()
			if (err == nil) != (test.want == "") || err != nil &&
				(!strings.HasPrefix(err.Error(), test.want) || !strings.Contains(err.Error(), "Correct the name.")) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A file that cannot be read may name the environment.
func TestCheckEnvironmentWithNotes(t *testing.T) {
	t.Parallel()
	broken := (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "x"},
		Problems: problem.List{{Summary: "Invalid YAML", Detail: "Fix it."}}}).Text()
	for name, test := range map[string]struct {
		notes       []string
		environment string
		known       bool
	}{
		"no note": {nil, "dev", false}, "a broken file": {[]string{broken}, "dev", true}, "no name": {[]string{broken}, "", false},
	} {
		inputs := []manifest.Text{{Text: template("t")}}
		for _, text := range test.notes {
			inputs = append(inputs, manifest.Text{Text: text})
		}
		objects, err := manifest.Decode(inputs)
		if err != nil {
			t.Fatal(err)
		}
		f, err := fleet.New(objects, test.environment)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.CheckEnvironment(); (err == nil) != test.known {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The message is short, whatever the name is and however many environments there are.
func TestCheckEnvironmentIsShort(t *testing.T) {
	t.Parallel()
	var targets []string
	for n := range 1000 {
		targets = append(targets, fmt.Sprintf("{name: t%[1]d, environment: site-%03[1]d}", n))
	}
	objects, err := manifest.Decode([]manifest.Text{{Text: workload("w", "", strings.Join(targets, ", "))}})
	if err != nil {
		t.Fatal(err)
	}
	const named = "The manifests name site-000, site-001, site-002, site-003, site-004 and 995 more. "
	for environment, want := range map[string]string{
		"": "Unknown environment in Environment/: The name of the environment is empty. " + named +
			"Set it",
		"a\n\x1b[31m": `Unknown environment in Environment/a⏎\x1b[31m: No deployment target and no Environment object names the environment "a⏎\x1b[31m". ` + named,
		"production" + strings.Repeat("x", 1000): `Unknown environment in Environment/production` + strings.Repeat("x", 50) +
			`: No deployment target`,
	} {
		f, err := fleet.New(objects, environment)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.CheckEnvironment(); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.20q: got %v", environment, err)
		}
	}
}
