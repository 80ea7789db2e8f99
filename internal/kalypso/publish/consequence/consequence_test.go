// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/cputime"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

// pack are the files of a package like those of the starter: all in a namespace of its own.
func pack(clusterType, target string) map[string]string {
	namespace := "prod-" + clusterType + "-" + target
	return map[string]string{
		"namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + namespace + "\n",
		"config.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n  namespace: " + namespace + "\ndata:\n  REGION: north\n",
		"reconciler.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: " + target + "\n  namespace: " +
			namespace + "\nspec:\n  interval: 1m\n  prune: true\n  path: ./live\n  targetNamespace: " + namespace + "\n",
	}
}

// with returns a package with another text in one of its files.
func with(files map[string]string, old, now string) map[string]string {
	changed := map[string]string{}
	for name, text := range files {
		changed[name] = strings.ReplaceAll(text, old, now)
	}
	return changed
}

func TestLines(t *testing.T) {
	t.Parallel()
	three := func(of func(clusterType string) folder) fleet {
		return fleet{"edge": of("edge"), "large": of("large"), "small": of("small")}
	}
	deployment := func(label string) map[string]string {
		return map[string]string{"namespace.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    " +
			"matchLabels:\n      app: " + label + "\n"}
	}
	named := func(name, label string) map[string]string { return with(deployment(label), "name: web", "name: "+name) }
	alike := fleet{"large": {"web": named("web", "web"), "shop": named("shop", "shop")}}
	for name, test := range map[string]struct {
		old, now fleet
		want     []string
	}{
		"nothing": {three(func(ct string) folder { return folder{"web": pack(ct, "web")} }),
			three(func(ct string) folder { return folder{"web": pack(ct, "web")} }), nil},
		"a template renames namespaces": {
			three(func(ct string) folder { return folder{"web": pack(ct, "web"), "shop": pack(ct, "shop")} }),
			three(func(ct string) folder {
				return folder{"web": with(pack(ct, "web"), "prod-", "p-"), "shop": with(pack(ct, "shop"), "prod-", "p-")}
			}),
			[]string{"DELETES DATA on 3 cluster types: Namespace prod-<cluster type>-shop and 1 more, with everything in it (template namespace)…"}},
		"one file of the package forgets it": {
			fleet{"large": {"web": pack("large", "web")}},
			fleet{"large": {"web": {
				"namespace.yaml":  with(pack("large", "web"), "prod-", "p-")["namespace.yaml"],
				"config.yaml":     pack("large", "web")["config.yaml"],
				"reconciler.yaml": with(pack("large", "web"), "prod-", "p-")["reconciler.yaml"],
			}}},
			[]string{"DELETES DATA on cluster type large: Namespace prod-large-web, with everything in it (template namespace)…",
				"ORPHANED on cluster type large: Namespace prod-large-web: … (template config). The delivery fails …"}},
		"a package is removed": {
			three(func(ct string) folder { return folder{"web": pack(ct, "web"), "shop": pack(ct, "shop")} }),
			three(func(ct string) folder { return folder{"shop": pack(ct, "shop")} }),
			[]string{"DELETES DATA on 3 cluster types: Namespace prod-<cluster type>-web, with everything in it (removed: web)…"}},
		"a package moves": {
			fleet{"large": {"web": pack("large", "web"), "shop": pack("large", "shop")}, "small": {"shop": pack("small", "shop")}},
			fleet{"large": {"shop": pack("large", "shop")}, "small": {"web": pack("small", "web"), "shop": pack("small", "shop")}},
			[]string{"DELETES DATA on cluster type large: Namespace prod-large-web, with everything in it (moved to small without data: " +
				"web)…"}},
		"an emptied folder": {fleet{"large": {"web": pack("large", "web")}}, fleet{"large": {}},
			[]string{"DELETES DATA on cluster type large: Namespace prod-large-web, with everything in it (removed: web)…"}},
		"a deleted folder": {fleet{"large": {"web": pack("large", "web")}}, fleet{}, nil},
		"the first apply":  {fleet{}, fleet{"large": {"web": pack("large", "web")}}, nil},
		"objects move to another file and package": {
			fleet{"large": {"web": pack("large", "web"), "shop": {"reconciler.yaml": "a: b"}}},
			fleet{"large": {"web": {"all.yaml": strings.Join([]string{pack("large", "web")["reconciler.yaml"], pack("large", "web")["config.yaml"]},
				"---\n")}, "shop": {"reconciler.yaml": pack("large", "web")["namespace.yaml"]}}}, nil},
		"packages that are alike exchange their objects": {alike,
			fleet{"large": {"web": named("shop", "shop"), "shop": named("web", "web")}}, nil},
		"packages that are alike exchange their names": {alike,
			fleet{"large": {"web": named("shop", "web"), "shop": named("web", "shop")}},
			[]string{"REFUSED on cluster type large: Deployment shop and 1 more: spec.selector cannot change (template namespace)…"}},
		"an object moves to a file and changes": {
			fleet{"large": {"web": deployment("a"), "shop": pack("large", "shop")}},
			fleet{"large": {"web": {"config.yaml": deployment("b")["namespace.yaml"]}, "shop": pack("large", "shop")}},
			[]string{"REFUSED on cluster type large: Deployment web: spec.selector cannot change (template config)…"}},
		"another file has the object too": {
			fleet{"large": {"web": pack("large", "web"), "shop": {"namespace.yaml": pack("large", "web")["namespace.yaml"]}}},
			fleet{"large": {"web": pack("large", "web"), "shop": {"namespace.yaml": "a: b"}}}, nil},
		"the words by weight": {
			three(func(ct string) folder { return folder{"web": deployment("a"), "shop": pack(ct, "shop")} }),
			three(func(ct string) folder {
				return folder{"web": deployment("b"), "shop": with(pack(ct, "shop"), "./live", "./other")}
			}),
			[]string{
				"DELETES DATA on 3 cluster types: Kustomization shop: … spec.path … (template reconciler). Nothing brings it back.",
				"REFUSED on 3 cluster types: Deployment web: spec.selector cannot change (template namespace)…"}},
		"files that are not valid": {
			fleet{"large": {"web": pack("large", "web")}},
			fleet{"large": {"web": with(pack("large", "web"), "metadata:", "metadata: {")}}, nil},
		"files that are not objects": {
			fleet{"machine": {"web": {"reconciler.yaml": "- hosts: all\n  vars: {kind: Namespace}\n", "namespace.yaml": "kind: Namespace\n"}}},
			fleet{"machine": {"web": {"reconciler.yaml": "- hosts: web\n", "namespace.yaml": "a: {}\n", "run.sh": "kind: Namespace"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, unread := compare(test.old, test.now)
			if d := cmp.Diff(test.want, consequence.Lines(found), elided.Texts); d != "" || len(unread) > 0 {
				t.Errorf("(-want +got):\n%s%q", d, unread)
			}
		})
	}
}

// A message shows ten causes. Many removed deployment targets are one cause.
func TestManyLines(t *testing.T) {
	t.Parallel()
	old, now := folder{"shop": {}}, folder{"shop": pack("large", "shop")}
	for i := range 12 {
		old[fmt.Sprint("web", i)] = pack("large", fmt.Sprint("web", i))
		old["shop"][fmt.Sprint("n", i, ".yaml")] = pack("large", fmt.Sprint("gone", i))["namespace.yaml"]
	}
	found, _ := compare(fleet{"large": old}, fleet{"large": now})
	lines := consequence.Lines(found)
	want := "DELETES DATA on cluster type large: Namespace prod-large-web0 and 11 more, with everything in it (removed: web0, web1, web10 " +
		"and 9 more). Nothing brings it back."
	if len(lines) != 11 || lines[10] != "and 3 more" || lines[0] != want || strings.Contains(lines[1], "Nothing") {
		t.Errorf("%q", lines)
	}
	if n := len(consequence.Findings(found)); n != 24 {
		t.Errorf("%d findings, want one for each deployment target and template", n)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	stops := func(ct string) fleet {
		return fleet{ct: {"web": {"reconciler.yaml": pack(ct, "web")["reconciler.yaml"], "config.yaml": "kind: CronJob\napiVersion: batch/v1\n" +
			"metadata: {name: clean}\n"}}}
	}
	now := stops("large")
	delete(now["large"]["web"], "config.yaml")
	found, _ := compare(stops("large"), now)
	var got []string
	for _, f := range consequence.Findings(found) {
		got = append(got, strings.Join([]string{f.Severity, f.Code, f.Subject, f.Message}, " "))
	}
	if d := cmp.Diff([]string{"warning CHANGE_STOPS Template/config STOPS on cluster type large: CronJob clean (template config). " +
		"Clusters delete it."}, got); d != "" {
		t.Error(d)
	}
}

// Old content that could not be read is not taken for an empty file.
func TestUnread(t *testing.T) {
	t.Parallel()
	old, now := fleet{"large": {"web": pack("large", "web")}}, fleet{"large": {}}
	c := consequence.Change{Root: "apps/prod", Folders: now.folders()}
	files := append(diff.Trees(old.tree(), now.tree()), diff.FileChange{Path: "large/shop",
		Old: &diff.File{Mode: tree.ModeDir, ID: tree.ID{1}}},
		diff.FileChange{Path: "large/README.md", Beside: true, Old: &diff.File{}}, diff.FileChange{Path: "other/web", Old: &diff.File{}})
	for _, f := range files {
		f.Path = c.Root + "/" + f.Path
		f.Old.Content = nil
		c.Files = append(c.Files, f)
	}
	found, unread := consequence.Compare(c)
	if want := []string{"apps/prod/large/web/config.yaml", "apps/prod/large/web/namespace.yaml", "apps/prod/large/web/reconciler.yaml",
		"apps/prod/large/shop"}; len(found) > 0 || !slices.Equal(unread, want) {
		t.Errorf("%v %q", found, unread)
	}
}

// Lines are looked at where they matter, however the YAML is written.
func TestRelevantLines(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"blocks": "kind: Deployment\napiVersion: apps/v1\nmetadata:\n  name: a\n" +
			"spec:\n  selector:\n\n    # which\n    matchLabels:\n      app: OLD\n",
		"one line": "{kind: Deployment, apiVersion: apps/v1, metadata: {name: a}, spec: {selector: {matchLabels: {app: OLD}}}}",
		"braces": "{\"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"a\"}, " +
			"\"spec\": {\"selector\": {\n\"matchLabels\": {\n\"app\": \"OLD\"}}}}",
		"an anchor": "x: &x {app: OLD}\nkind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {selector: {matchLabels: *x}}\n",
		"a folded text": "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\n" +
			"spec:\n  selector:\n    matchLabels:\n      app: >-\n        OLD\n        x\n",
		"a list": "apiVersion: v1\nkind: List\nitems:\n" +
			"- kind: Deployment\n  apiVersion: apps/v1\n  metadata:\n    name: a\n" +
			"  spec:\n    selector:\n      matchExpressions:\n      - key: b\n        operator: In\n        values:\n        - OLD\n",
		"a document": "a: OLD\n---\n# comment\n---\nkind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\n" +
			"spec: {selector: {matchLabels: {app: OLD}}}\n...\n---\nb: c",
		"windows": "kind: Deployment\r\napiVersion: apps/v1\r\nmetadata:\r\n  name: a\r\n" +
			"spec:\r\n  selector:\r\n    matchLabels:\r\n      app: OLD\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version := func(label string) fleet {
				return fleet{"large": {"web": {"config.yaml": strings.ReplaceAll(text, "OLD", label)}}}
			}
			found, _ := compare(version("old"), version("new"))
			if d := cmp.Diff([]string{"refuses Deployment a"}, said(found)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// BenchmarkCompare compares two fleets of 10,000 packages of the library's templates in which every package
// changes, and makes the diff of them, which a plan shows.
func BenchmarkCompare(b *testing.B) {
	in := engine.Input{Environment: "prod"}
	for _, pattern := range []string{"reconcilers/fleet/*.yaml", "templates/*/template.yaml", "templates/*/schema.yaml"} {
		files, _ := filepath.Glob("../../../../examples/" + pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			in.Manifests = append(in.Manifests, manifest.Text{Name: file, Text: string(text)})
		}
	}
	result, err := engine.Compute(b.Context(), in)
	if err != nil {
		b.Fatal(err)
	}
	rendered := map[string]string{}
	for path, text := range result.Files() {
		if name, isOne := strings.CutPrefix(path, "cloud/shop-checkout/"); isOne {
			rendered[name] = string(text)
		}
	}
	for name, change := range map[string]func(text string, i int) string{
		"values": func(text string, i int) string {
			return strings.ReplaceAll(text, "REGION: North", fmt.Sprint("REGION: r", i))
		},
		"a label of everything": func(text string, _ int) string {
			return strings.ReplaceAll(text, "metadata:\n", "metadata:\n  annotations:\n    x: y\n")
		},
		"other namespaces": func(text string, _ int) string { return strings.ReplaceAll(text, "prod-", "p-") },
	} {
		old, now := fleet{}, fleet{}
		for i := range 10_000 {
			ct, target := fmt.Sprint("type", i%100), fmt.Sprint("web-", i/100)
			if old[ct] == nil {
				old[ct], now[ct] = folder{}, folder{}
			}
			old[ct][target], now[ct][target] = map[string]string{}, map[string]string{}
			for file, text := range rendered {
				text = strings.NewReplacer("shop-checkout", target, "cloud", ct).Replace(text)
				old[ct][target][file], now[ct][target][file] = text, change(text, i)
			}
		}
		c := consequence.Change{Files: diff.Trees(old.tree(), now.tree()), Folders: now.folders(),
			Template: func(_, file string) string { return file }}
		b.Run(name, func(b *testing.B) {
			var shown, compared time.Duration
			for b.Loop() {
				start := cputime.Used()
				diff.Unified(c.Files, diff.Limit{Lines: 400, Bytes: 1 << 30})
				between := cputime.Used()
				found, _ := consequence.Compare(c)
				consequence.Lines(found)
				consequence.Findings(found)
				shown, compared = shown+between-start, compared+cputime.Used()-between
			}
			b.ReportMetric(float64(compared)/float64(shown)*100, "%-of-diff")
			b.ReportMetric(float64(compared.Microseconds())/float64(b.N)/10_000, "cpu-µs/package")
		})
	}
}
