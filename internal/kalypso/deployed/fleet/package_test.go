// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/fleet"
)

// namespace, reconciler and config are the files of a package as Kalypso's templates
// render them.
const (
	namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: dev-large-shop-live\n  labels: {environment: dev, workspace: team, " +
		"workload: shop, deploymentTarget: shop-live}\n"
	reconciler = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: GitRepository\nmetadata: {name: shop-live, namespace: " +
		"flux-system}\nspec:\n  url: \"https://git.example/shop\"\n  ref: {branch: dev}\n  secretRef: {name: repo-secret}\n---\n" +
		"apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\nkind: Kustomization\nmetadata: {name: shop-live, namespace: flux-system}\nspec:\n  " +
		"sourceRef: {kind: GitRepository, name: shop-live}\n  path: \"./live\"\n  prune: true\n"
	config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: platform-config\n  namespace: dev-large-shop-live\ndata:\n  REGION: " +
		"West US\n  tags: |\n    - a\n    - b\n  REPLICAS: 1.10\n  DB_PASSWORD: hunter2\n  URL: mysql://root:hunter2@db/shop\n"
	descriptor = "apiVersion: hub.kalypso.io/v1alpha1\nkind: DeploymentDescriptor\nmetadata: {name: shop-live}\nspec:\n  workload: {name: " +
		"shop}\n  workloadVersion: {version: 1.10, build: 17, commit: ca9ee9d0ff9ec52b998fdcf64e128c84ddd0e661}\n"
)

// labelled is the namespace with the version.
var labelled = strings.Replace(namespace, "workload: shop", "workload: shop, app.kubernetes.io/version: '1.4'", 1)

type files = map[string]string

func read(f files) fleet.Package {
	all := map[string][]byte{}
	for name, text := range f {
		all[name] = []byte(text)
	}
	return fleet.Read(all)
}

var shopValues = map[string]string{
	"REGION": "West US", "tags": "- a\n- b\n", "REPLICAS": "1.10", "DB_PASSWORD": "(redacted f52f…)", "URL": "mysql://root:(redacted " +
		"f52f…)@db/shop",
}

func shopSource(kind string) []fleet.Source {
	return []fleet.Source{{Kind: kind, Repo: "https://git.example/shop", Ref: "dev", Path: "./live"}}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files files
		want  fleet.Package
	}{
		"Kalypso's": {
			files{"namespace.yaml": namespace, "reconciler.yaml": reconciler, "platform-config.yaml": config},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live", Sources: shopSource("GitRepository"),
				Values: shopValues},
		},
		"with a version": {
			files{"namespace.yaml": labelled},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live", Version: "1.4"},
		},
		"a descriptor goes before the version": {
			files{"namespace.yaml": labelled, "reconciler.yaml": reconciler + "---\n" + descriptor},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live", Sources: shopSource("GitRepository"),
				Version: "1.10", Build: "17", Commit: "ca9ee9d0ff9ec52b998fdcf64e128c84ddd0e661"},
		},
		"with a descriptor": {
			files{"reconciler.yaml": reconciler + "---\n" + descriptor},
			fleet.Package{Sources: shopSource("GitRepository"), Version: "1.10", Build: "17",
				Commit: "ca9ee9d0ff9ec52b998fdcf64e128c84ddd0e661"},
		},
		"the same descriptor twice": {
			files{"a.yaml": descriptor, "b.yml": descriptor},
			fleet.Package{Version: "1.10", Build: "17", Commit: "ca9ee9d0ff9ec52b998fdcf64e128c84ddd0e661"},
		},
		"descriptors that differ": {
			files{"a.yaml": descriptor, "b.yaml": strings.Replace(descriptor, "1.10", "1.11", 1)},
			fleet.Package{Unreadable: []string{"b.yaml: DeploymentDescriptors name different versions"}},
		},
		"JSON": {
			files{"namespace.json": `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": {"workload": "shop"}}}`},
			fleet.Package{Workload: "shop", Namespace: "n"},
		},
		"a List, merges and aliases": {
			files{"namespace.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: n\n    " +
				"labels: &l {workload: shop}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: platform-config, labels: *l}\n  data: {<<: *l, " +
				"A: b}\n"},
			fleet.Package{Workload: "shop", Namespace: "n", Values: map[string]string{"workload": "shop", "A": "b"}},
		},
		"mappings that are merged into one": {
			files{"namespace.yaml": "x: &x {a: b}\ny: &y {workload: shop}\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n  labels:\n    " +
				"<<: [*x, *x, *x, *x, *x, *x, *x, *y]\n"},
			fleet.Package{Namespace: "n", Workload: "shop"},
		},
		"one of them again and again": {
			files{"namespace.yaml": "x: &x {a: b}\ny: &y {workload: shop}\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n  labels:\n    " +
				"<<: [*x, *x, *x, *x, *x, *x, *x, *x, *y]\n"},
			fleet.Package{Namespace: "n", Workload: "shop"},
		},
		"labels that are not texts": {
			files{"namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n  labels: {workload: 08, workspace: null}\n"},
			fleet.Package{Workload: "08", Namespace: "n"},
		},
		"the file's Namespace goes first": {
			files{"a.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: other}}", "namespace.yaml": namespace},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live"},
		},
		"no ConfigMap with values": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata: {}\n"},
			fleet.Package{Values: map[string]string{}},
		},
		"a script": {
			files{"platform-config.sh": "export A=b\n"},
			fleet.Package{Unreadable: []string{"platform-config.sh: the file is not a ConfigMap"}},
		},
		"two ConfigMaps": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {A: \"1\", B: \"2\"}\n---\napiVersion: " +
				"v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {C: \"3\"}\n"},
			fleet.Package{Values: map[string]string{"A": "1", "B": "2", "C": "3"}},
		},
		"a key that two ConfigMaps have": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {A: \"1\"}\n---\napiVersion: v1\nkind: " +
				"ConfigMap\nmetadata: {name: b}\ndata: {A: \"2\"}\n"},
			fleet.Package{Unreadable: []string{"platform-config.yaml: several ConfigMaps have the key A"}},
		},
		"other ConfigMaps are not values": {
			files{"reconciler.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {A: b}\n"},
			fleet.Package{Unreadable: []string{"reconciler.yaml: no object of a known kind names a source; the file contains ConfigMap"}},
		},
		"Secrets are not looked at": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: platform-config}\nstringData: {A: hunter2}\n"},
			fleet.Package{},
		},
		"data that is not a map": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata: hunter2\n"},
			fleet.Package{Unreadable: []string{"platform-config.yaml: the data of the ConfigMap: not a mapping (line 4)"}},
		},
		"no YAML": {
			files{"namespace.yaml": namespace, "reconciler.yaml": "a: b\nc: {{ .Missing }}: hunter2\n", "notes.txt": "hello"},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live",
				Unreadable: []string{"reconciler.yaml: not valid YAML (line 2)"}},
		},
		"no objects":       {files{"reconciler.yaml": "just words\n---\n- a\n- b\n---\n\n"}, fleet.Package{}},
		"no object's kind": {files{"reconciler.yaml": "kind: [Namespace]\n"}, fleet.Package{}},
		"values that are not texts": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {A: [hunter2]}\n"},
			fleet.Package{Unreadable: []string{"platform-config.yaml: the data of the ConfigMap: a value that is not a text (line 3)"}},
		},
		"one of two ConfigMaps": {
			files{"platform-config.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {A: b}\n---\napiVersion: v1\nkind: ConfigMap\ndata: oops\n"},
			fleet.Package{Unreadable: []string{"platform-config.yaml: the data of the ConfigMap: not a mapping (line 7)"}},
		},
		"an alias that holds itself": {
			files{"namespace.yaml": "apiVersion: v1\nkind: List\nitems: &a\n- apiVersion: v1\n  kind: List\n  items: *a\n"},
			fleet.Package{},
		},
		"a file that is not YAML, beside others": {
			files{"namespace.yaml": labelled, "reconciler.yaml": reconciler, "platform-config.yaml": config, "other.yaml": "{{ oops"},
			fleet.Package{Workload: "shop", Workspace: "team", Namespace: "dev-large-shop-live",
				Unreadable: []string{"other.yaml: not valid YAML (line 1)"}}},
		"another kind of source": {files{"reconciler.yaml": "apiVersion: solution.symphony/v1\nkind: Instance\n---\napiVersion: " +
			"fabric.symphony/v1\nkind: Target\n"}, fleet.Package{Unreadable: []string{"reconciler.yaml: no object of a known kind names " +
			"a source; the file contains Instance, Target"}}},
		"nothing": {files{}, fleet.Package{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, read(test.files)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The file of an object, and the order of objects, only change the names of files in
// messages.
func TestReadInAnyOrder(t *testing.T) {
	t.Parallel()
	documents := strings.Split(strings.Join([]string{namespace, reconciler, config, descriptor}, "---\n"), "---\n")
	want := read(files{"all.yaml": strings.Join(documents, "---\n")})
	if want.Workload != "shop" || want.Version != "1.10" || len(want.Sources) != 1 || len(want.Values) != len(shopValues) {
		t.Fatalf("got %+v", want)
	}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := files{}
		for _, i := range r.Perm(len(documents)) {
			name := string(rune('a'+r.IntN(3))) + ".yaml"
			f[name] += "---\n" + documents[i]
		}
		if diff := cmp.Diff(want, read(f)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func TestIsPackage(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]bool{
		"reconciler.yaml": true, "namespace.yaml README.md": true, "platform-config.sh": true, "": false, "README.md index.yaml": false,
		"my-reconciler.yaml": false,
	} {
		if got := fleet.IsPackage(strings.Fields(names)); got != want {
			t.Errorf("%q: got %v", names, got)
		}
	}
}

// Files that are made to take long end fast: each of them would take minutes, or all memory,
// if the cost grew with a square.
func TestReadHostile(t *testing.T) {
	t.Parallel()
	const size = 1 << 15
	heads := []string{"", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata:\n",
		"apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source: &s {repoURL: x}\n  sources:\n",
		"kind: List\nitems:\n- &a {kind: " +
			"Bucket, apiVersion: source.toolkit.fluxcd.io/v1}\n"}
	for _, line := range []string{
		"[", "{", "- ", "? ", "a: ", "a:\n", "- a\n", "---\n", "&a ", "*a ", "\"", "'", "|\n ", "# x\n", "!!str ", "{a: ", "[a, ",
		"x: &x {a: b}\n", "<<: *x\n", "\t", "--- !<tag:x> \n", "%TAG ! x\n", "{<<: ",
		"k%d: v\n", "  k%d: v\n", "  a: v\n", "&a%d [", "  - {repoURL: 'https://h/%d'}\n", "  - *s\n", "- *a\n", "- {kind: Bucket, apiVersion: " +
			"source.toolkit.fluxcd.io/v1, metadata: {name: n%d}}\n",
	} {
		for _, head := range heads {
			var b strings.Builder
			b.WriteString(head)
			for i := 0; b.Len() < size; i++ {
				b.WriteString(strings.ReplaceAll(line, "%d", strconv.Itoa(i)))
			}
			read(files{"platform-config.yaml": b.String()})
		}
	}
}

// A list that is merged again and again is read once: its square was 72 GB.
func TestMergedAgain(t *testing.T) {
	t.Parallel()
	text := namespace + "x: &s [" + strings.Repeat("0, ", 20_000) + "0]\ny:\n" + strings.Repeat("  <<: *s\n", 5_000)
	want := read(files{"namespace.yaml": namespace})
	if got := read(files{"namespace.yaml": text}); got.Workload != want.Workload || got.Workload == "" {
		t.Errorf("the workload is %q, want %q; unreadable: %q", got.Workload, want.Workload, got.Unreadable)
	}
}

// FuzzRead reads texts of strangers. Read ends, does not panic, and shows no password of a
// value.
func FuzzRead(f *testing.F) {
	for _, text := range []string{namespace, reconciler, config, descriptor, "a: &a [*a]", "kind: List\nitems: [{kind: List}]", "{{ .x }}",
		"\x00", "--- !!binary x\n"} {
		f.Add("reconciler.yaml", text)
		f.Add("platform-config.yaml", text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		first := read(files{name: text, "namespace.yaml": namespace})
		if diff := cmp.Diff(first, read(files{name: text, "namespace.yaml": namespace})); diff != "" {
			t.Errorf("read again (-first +again):\n%s", diff)
		}
		for _, s := range first.Sources {
			if strings.Contains(s.Repo, "https://root:hunter2@") {
				t.Errorf("the password shows in %q", s.Repo)
			}
		}
		fleet.Compare([]fleet.Environment{{Name: "a", Head: "1", Packages: []fleet.Package{first}}, {Name: "b", Head: "1"}},
			fleet.Rules{})
	})
}
