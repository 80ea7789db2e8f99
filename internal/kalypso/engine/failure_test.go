// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// Failures of some assignments never change the bytes of other packages: neither schemas that
// configurations violate, nor templates that fail.
func TestFailuresChangeNoOtherPackage(t *testing.T) {
	t.Parallel()
	failed := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		texts := fleetgen.Random(r)
		sound, err := engine.Compute(t.Context(), input(texts))
		if err != nil {
			t.Fatal(err)
		}
		broken := map[string]bool{}
		for _, target := range sound.Fleet.Targets {
			switch r.IntN(4) {
			case 0: // a value that is a template, and fails
				texts = append(texts, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z-%[1]s, labels: "+
					"{platform-config: \"true\", deployment-target: %[1]s}}\ndata: {Q: '{{ fail \"no\" }}'}\n", target.FullName))
			case 1:
				texts = append(texts, fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: "+
					"{name: z-%[1]s, labels: {deployment-target: %[1]s}}\nspec: {schema: '{\"required\": [\"MISSING\"]}'}\n", target.FullName))
			default:
				continue
			}
			broken[target.FullName] = true
		}
		result, err := engine.Compute(t.Context(), input(texts))
		keys := result.Failures.Keys()
		if (err != nil) != (len(keys) > 0) {
			t.Fatalf("seed %d: the failures are %v, and the error is %v", seed, keys, err)
		}
		failed += len(keys)
		for clusterType, was := range sound.Folders {
			for _, e := range was.Entries {
				now, found := result.Folders[clusterType].Find(e.Name)
				fails := slices.Contains(keys, clusterType+"/"+e.Name)
				if fails == found || fails && !broken[e.Name] || !broken[e.Name] && e.Name != engine.ReadmeFile && now.ID != e.ID {
					t.Errorf("seed %d: %s/%s fails: %t, is there: %t, has changed: %t", seed, clusterType, e.Name, fails, found, now.ID != e.ID)
				}
			}
		}
	}
	if failed == 0 {
		t.Error("no assignment has failed")
	}
}

// A failure names the file and the line that the team has written, and the ConfigMap's.
func TestFailuresNameTheirOrigin(t *testing.T) {
	t.Parallel()
	text := strings.Replace(smallFleet, "{name: live, environment: prod}",
		`{name: live, environment: prod, configSchemas: ['{"properties": {"REGION": {"enum": ["Asia"]}}}']}`, 1)
	in := engine.Input{Environment: "prod", Manifests: []manifest.Text{{Name: "fleet.yaml", Text: text}}}
	_, err := engine.Compute(t.Context(), in)
	const want = "Configuration does not satisfy its schema in config schema 1 of Workload/app, target live: The value REGION, set by " +
		"ConfigMap/config (fleet.yaml, line 40), is not valid: value must be 'Asia'. Assignment: edge/app-live. Deployment target: " +
		"fleet.yaml, line 26."
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A problem of several assignments is one problem, which names the assignments.
func TestFailuresTogether(t *testing.T) {
	t.Parallel()
	text := strings.Replace(smallFleet, "name: {{ .DeploymentTargetName }}", `name: {{ fail \"no\" }}`, 1)
	text = strings.Replace(text, "[{name: live, environment: prod}]", "[{name: a, environment: prod}, {name: b, environment: prod}, "+
		"{name: c, environment: prod}, {name: d, environment: prod}, {name: e, environment: prod}, {name: f, environment: prod}]", 1)
	_, err := engine.Compute(t.Context(), input([]string{text}))
	const want = " 6 assignments: edge/app-a, edge/app-b, edge/app-c and 3 more."
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant one line with %s", err, want)
	}
}

// A schema that a team brings along is that team's alone. A ConfigSchema belongs to the platform.
func TestInvalidSchemas(t *testing.T) {
	t.Parallel()
	const live = "{name: live, environment: prod"
	target := strings.Replace(smallFleet, live, live+", configSchemas: ['{type: text}']", 1)
	result, err := engine.Compute(t.Context(), input([]string{target}))
	if err == nil || result == nil || !slices.Equal(result.Failures.Keys(), []string{"edge/app-live"}) {
		t.Errorf("of a deployment target: %v", err)
	}
	object := smallFleet + "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: c}\n" +
		"spec: {schema: '{type: text}'}\n"
	if result, err := engine.Compute(t.Context(), input([]string{object})); err == nil || result != nil {
		t.Errorf("a ConfigSchema: %v", err)
	}
}

// A text of a deployment target that may not be written fails this target's assignments and
// no others. The finding about it is then a failure, and not a finding any more.
func TestReject(t *testing.T) {
	t.Parallel()
	const live = "{name: live, environment: prod"
	for code, text := range map[string]string{
		findings.TextBreaksOut: `"a\nb"`, findings.Credential: `ghp_0123456789abcdefghijklmnopqrstuvwxyzAB`,
	} {
		in := input([]string{strings.Replace(smallFleet, live, live+", manifests: {note: "+text+"}", 1)})
		subject := code + ":DeploymentTarget/app-live/note"
		for _, rules := range []*findings.Rules{nil, {}, {Ignore: []string{subject}}} {
			in.Reject = rules
			result, err := engine.Compute(t.Context(), in)
			rejects := rules != nil && len(rules.Ignore) == 0
			if rejects != (err != nil) || rejects != slices.Equal(result.Failures.Keys(), []string{"edge/app-live"}) {
				t.Errorf("%s, rules %v: failures %v, error %v", code, rules, result.Failures.Keys(), err)
			}
			_, there := result.Folders["edge"].Find("app-live")
			isFinding := slices.ContainsFunc(foundIn(t, result), func(f findings.Finding) bool { return f.Code+":"+f.Subject == subject })
			if there == rejects || isFinding == rejects {
				t.Errorf("%s, rules %v: is there %t, is a finding %t", code, rules, there, isFinding)
			}
			if rejects && !strings.Contains(err.Error(), code) {
				t.Errorf("the error does not name %s: %v", code, err)
			}
		}
	}
}

// A text that would become part of a template is never rendered, whatever the rules say.
func TestBracesAreNeverRendered(t *testing.T) {
	t.Parallel()
	for _, rules := range []*findings.Rules{nil, {}, {Ignore: []string{findings.TextBreaksOut}}} {
		in := input([]string{strings.NewReplacer(
			"{name: live, environment: prod", `{name: live, environment: prod, manifests: {path: './a{{ fail "rendered" }}'}`,
			`"name: {{ .DeploymentTargetName }}"`, `"path: {{ .Path }}"`).Replace(smallFleet)})
		in.Reject = rules
		result, err := engine.Compute(t.Context(), in)
		if err == nil || !slices.Equal(result.Failures.Keys(), []string{"edge/app-live"}) || strings.Contains(err.Error(), "rendered") ||
			!strings.Contains(err.Error(), `TEXT_BREAKS_OUT DeploymentTarget/app-live/path: The text "path" among the manifests of deployment target app-live (`) ||
			!strings.Contains(err.Error(), "line 26") {
			t.Errorf("rules %v: %v", rules, err)
		}
	}
}

// To silence one text silences no other one.
func TestTextsAreSilencedOneByOne(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 100)
	in := input([]string{strings.Replace(smallFleet, "{name: live, environment: prod",
		`{name: live, environment: prod, manifests: {"a": "b #c", "d\n": "e", "f/g": "h\n", `+long+`: "\n"}`, 1)})
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	const target = "TEXT_BREAKS_OUT:DeploymentTarget/app-live"
	for rule, want := range map[string]int{
		target + "/a": 3, target + `/d\n`: 3, target + "/f/g": 3, fmt.Sprintf("%s/sha256-%x", target, sha256.Sum256([]byte(long))): 3, target: 4,
		target + "/f": 4,
	} {
		if err := findings.CheckRule(rule); err != nil {
			t.Error(err)
		}
		kept, _ := findings.Rules{Ignore: []string{rule}}.Apply(foundIn(t, result))
		kept = slices.DeleteFunc(kept, func(f findings.Finding) bool { return f.Code != findings.TextBreaksOut })
		if len(kept) != want {
			t.Errorf("%s leaves %+v", rule, kept)
		}
	}
}

// Names and labels cannot contain a text that ends or begins something.
func TestNamesAndLabelsBreakNothing(t *testing.T) {
	t.Parallel()
	for what, replaced := range map[string][2]string{
		"a target": {"{name: live,", `{name: "a: b",`}, "a workload": {"{name: app,", `{name: "a\nb",`},
		"a workspace":   {"workspace: team", `workspace: "a: b"`},
		"a label":       {"environment: prod}", `environment: prod, labels: {a: "b: c"}}`},
		"a label's key": {"environment: prod}", `environment: prod, labels: {"a: b": c}}`},
	} {
		fleet := strings.Replace(smallFleet, replaced[0], replaced[1], 1)
		if _, err := engine.Compute(t.Context(), input([]string{fleet})); fleet == smallFleet || err == nil ||
			!strings.Contains(err.Error(), "Invalid ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A text that may not be written, of a target that is not written, is neither a failure nor a
// finding: a team could stop all others with it.
func TestRejectOfUnwrittenTarget(t *testing.T) {
	t.Parallel()
	const live = "{name: live, environment: prod"
	in := input([]string{strings.Replace(smallFleet, live, live+`, manifests: {note: "a\nb"}`, 1)})
	in.Reject, in.Assignments = &findings.Rules{}, map[string][]string{}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if found := foundIn(t, result); slices.ContainsFunc(found,
		func(f findings.Finding) bool { return f.Code == findings.TextBreaksOut }) {
		t.Errorf("found %v", found)
	}
}
