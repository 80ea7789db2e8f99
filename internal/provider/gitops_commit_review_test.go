// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// limited is the fixture fleet with limits.
func limited(r gitServer, limits string, o fleetOptions) string {
	o.commit += "\n  limits = {\n" + limits + "\n  }\n"
	return fleetHCL(r, o)
}

func TestAccGitOpsCommit_limits(t *testing.T) {
	t.Parallel()
	small := fleetOptions{withoutSmall: true}
	for name, test := range map[string]struct {
		limits string
		change fleetOptions
		// want is in the error; empty where the change is within the limits.
		want string
		// final tells that no code lifts it.
		final bool
	}{
		"removed, count":              {`max_removed = 0`, small, `1\s+of\s+3\s+packages\s+would\s+be\s+removed.*small/web-live`, false},
		"removed, share":              {`max_removed = "33%"`, small, `max_removed\s+=\s+"33%"\s+allows\s+0`, false},
		"removed, within":             {`max_removed = "34%"`, small, "", false},
		"changed":                     {`max_changed = "50%"`, fleetOptions{family: "green"}, `2\s+of\s+3\s+packages\s+would\s+change.*large/web-live.*small/web-live`, false},
		"changed, within":             {`max_changed = 2`, fleetOptions{family: "green"}, "", false},
		"cluster types":               {`max_changed_cluster_types = 1`, fleetOptions{family: "green"}, `2\s+cluster\s+types\s+would\s+change`, false},
		"last home":                   {`min_packages_per_target = 1`, fleetOptions{withoutBatch: true}, `batch-nightly.*fewer\s+packages`, false},
		"not the last home":           {`min_packages_per_target = 1`, small, "", false},
		"protected":                   {`protect = ["*/batch-*"]`, fleetOptions{withoutBatch: true}, `protect\s+forbids.*large/batch-nightly`, true},
		"not protected":               {`protect = ["*/batch-*"]`, small, "", false},
		"protected, coarser detail":   {`protect = ["*/batch-*"]`, fleetOptions{withoutBatch: true, commit: `detail = "cluster_type"`}, `large/batch-nightly`, true},
		"several, told at once":       {"max_removed = 0\n    min_packages_per_target = 2", small, `max_removed.*min_packages_per_target`, false},
		"nothing changes":             {`max_removed = 0`, fleetOptions{}, "", false},
		"what is beside the packages": {`max_changed = 0`, fleetOptions{commit: `promoted_commit = "` + promoted + `"`}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			first := fleetOptions{}
			if strings.Contains(test.change.commit, "detail") {
				first.commit = test.change.commit
			}
			w := newWorkspace(t, limited(r, test.limits, first), nil)
			w.mustRun(t, "apply", "-auto-approve") // the first creation is exempt
			w.write(t, "main.tf", limited(r, test.limits, test.change))
			out, _, err := w.run("apply", "-auto-approve")
			if (err == nil) != (test.want == "") {
				t.Fatalf("error %v:\n%s", err, out)
			}
			if test.want == "" {
				return
			}
			if !regexp.MustCompile(`(?s)exceeds\s+the\s+limits.*` + test.want).MatchString(out) {
				t.Errorf("want %q in\n%s", test.want, out)
			}
			code := regexp.MustCompile(`acknowledge\s+=\s+"([0-9a-f]{12})"`).FindStringSubmatch(out)
			if (code == nil) != test.final {
				t.Fatalf("code %q in\n%s", code, out)
			}
			if test.final {
				return
			}
			acknowledged := test.change
			acknowledged.commit += fmt.Sprintf("\n  acknowledge = %q", code[1])
			w.write(t, "main.tf", limited(r, test.limits, acknowledged))
			w.mustRun(t, "apply", "-auto-approve")

			// It is good for that change alone: the way back is another one.
			w.write(t, "main.tf", limited(r, "max_changed_cluster_types = 0", fleetOptions{commit: fmt.Sprintf("acknowledge = %q", code[1])}))
			if out, _, err := w.run("plan"); err == nil || !regexp.MustCompile(`given\s+for\s+another\s+change`).MatchString(out) {
				t.Errorf("error %v:\n%s", err, out)
			}
		})
	}
}

// An empty fleet empties the repository only where that is allowed.
func TestAccGitOpsCommit_allowEmpty(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	nowhere := func(commit string) string {
		place := fmt.Sprintf("repo = %q\n  branch = \"prod\"\n  path = \".\"\n  ", r.url)
		return strings.Replace(fleetHCL(r, fleetOptions{commit: place + commit}), "environment = \"prod\"\n  manifests", "environment = \"moon\"\n  manifests", 1)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: fleetHCL(r, fleetOptions{})},
			{Config: nowhere(""), ExpectError: regexp.MustCompile(`(?s)No\s+package\s+would\s+be\s+left.*allow_empty\s+=\s+true`)},
			{Config: nowhere("allow_empty = true"), Check: expectPaths(t, r, "large/README.md", "small/README.md")},
			{Config: fleetHCL(r, fleetOptions{}), Check: expectPaths(t, r, fixtureFiles...)},
			{Config: r.provider, Check: expectPaths(t, r)}, // destroying is explicit
		},
	})
}

// Limits count from what is there: what drifted away is not removed by a plan.
func TestAccGitOpsCommit_limitsAfterDrift(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := limited(r, "max_removed = 0\n    max_changed = 0", fleetOptions{})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { r.repo.DeleteBranch(t, "prod") },
				Config:    config,
				Check:     expectPaths(t, r, fixtureFiles...),
			},
			{ // What came in by hand is no package either.
				PreConfig: func() {
					r.repo.CommitFiles(t, "prod", map[string][]byte{"small/stray/file": []byte("stray\n"), "large/notes.txt": []byte("notes\n")}, "stray")
				},
				Config: config,
				Check:  expectPaths(t, r, fixtureFiles...),
			},
			{ // An edit that is put right changes a package.
				PreConfig: func() {
					r.repo.CommitFiles(t, "prod", map[string][]byte{"small/web-live/reconciler.yaml": []byte("edited: x\n")}, "edited")
				},
				Config:      config,
				ExpectError: regexp.MustCompile(`1\s+of\s+3\s+packages\s+would\s+change`),
			},
			{Config: fleetHCL(r, fleetOptions{}), Check: expectPaths(t, r, fixtureFiles...)},
		},
	})
}

// Where it is not known what packages a cluster type has, limits are not taken for kept.
func TestAccGitOpsCommit_limitsUnjudged(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(o fleetOptions, acknowledge string) string {
		o.commit = "detail = \"cluster_type\"\n  " + acknowledge
		return limited(r, `protect = ["*/batch-*"]`, o)
	}
	w := newWorkspace(t, config(fleetOptions{}, ""), nil)
	w.mustRun(t, "apply", "-auto-approve")
	// A name that no text can hold keeps the folder from being known file by file.
	r.repo.CommitFiles(t, "prod", map[string][]byte{"\"large/\\377\"": []byte("x")}, "odd")
	w.write(t, "main.tf", config(fleetOptions{withoutBatch: true}, ""))
	out, _, err := w.run("apply", "-auto-approve")
	code := regexp.MustCompile(`acknowledge\s+=\s+"([0-9a-f]{12})"`).FindStringSubmatch(out)
	if err == nil || !strings.Contains(out, "The limits cannot be checked") || code == nil {
		t.Fatalf("error %v:\n%s", err, out)
	}
	w.write(t, "main.tf", config(fleetOptions{withoutBatch: true}, "acknowledge = \""+code[1]+"\""))
	w.mustRun(t, "apply", "-auto-approve")
	if err := expectPaths(t, r, withoutPrefix(fixtureFiles, "large/batch-nightly/")...)(nil); err != nil {
		t.Error(err)
	}
}

// Limits that are known only after apply hold then.
func TestAccGitOpsCommit_unknownLimits(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(most, family string) string {
		return limited(r, "max_changed = terraform_data.most.output", fleetOptions{family: family}) +
			fmt.Sprintf("resource \"terraform_data\" \"most\" {\n  input = %q\n}\n", most)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config("2", "blue")},
			{Config: config("1", "green"), ExpectError: regexp.MustCompile(`2\s+of\s+3\s+packages`)},
			{Config: config("2", "green"), Check: expectCommits(t, r, 2)},
		},
	})
}

func TestAccGitOpsCommit_findings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	idle := "resource \"kalypso_config\" \"idle\" {\n  name = \"idle\"\n  labels = { region = \"mars\" }\n  data = { A = \"b\" }\n}\n"
	config := func(commit string) string {
		return strings.Replace(fleetHCL(r, fleetOptions{commit: commit}), "manifests   = local.fleet", "manifests   = concat(local.fleet, [kalypso_config.idle.manifest])", 1) + idle
	}
	w := newWorkspace(t, config(""), nil)
	out, _, err := w.run("plan")
	if err != nil || strings.Count(out, "Warning: Findings in environment prod") != 1 || !strings.Contains(out, "CONFIG_UNUSED ConfigMap/idle") {
		t.Errorf("want one warning, got %v:\n%s", err, out)
	}
	w.write(t, "main.tf", config(`ignore_findings = ["CONFIG_UNUSED:ConfigMap/idle"]`))
	if out, _, err = w.run("plan"); err != nil || strings.Contains(out, "Findings") {
		t.Errorf("want no warning, got %v:\n%s", err, out)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config(`fail_on = ["CONFIG_UNUSED"]`), ExpectError: regexp.MustCompile(`CONFIG_UNUSED\s+ConfigMap/idle`)},
			{Config: config(`fail_on = ["CONFIG_UNUSD"]`), ExpectError: regexp.MustCompile(`Did\s+you\s+mean\s+CONFIG_UNUSED`)},
			{
				Config:           config("fail_on = [\"CONFIG_UNUSED\"]\n  ignore_findings = [\"CONFIG_UNUSED\"]"),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
			},
			{ // What was allowed when it was written is looked at again when the rules change.
				Config:      config(`fail_on = ["CONFIG_UNUSED"]`),
				ExpectError: regexp.MustCompile(`CONFIG_UNUSED\s+ConfigMap/idle`),
			},
		},
	})
}
