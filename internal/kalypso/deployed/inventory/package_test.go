// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
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

type files = map[string]string

func read(f files) inventory.Package {
	all := map[string][]byte{}
	for name, text := range f {
		all[name] = []byte(text)
	}
	return inventory.Read(all)
}

// The packages of testdata/packages.yaml, each with its files, are in testdata/packages.txt, without
// what is empty. -update writes the latter.
func TestRead(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/packages.yaml", "testdata/packages.txt", func(text string) string {
		all := files{}
		for file := range strings.SplitSeq(text, "--- file ") {
			if name, content, found := strings.Cut(file, "\n"); found {
				all[name] = content
			}
		}
		var out strings.Builder
		encoder := json.NewEncoder(&out)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(read(all)); err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^ .*: (""|null|\[\]),?\n`).ReplaceAllString(out.String(), "")
	})
}

// The file of an object, and the order of objects, only change the names of files in
// messages.
func TestReadInAnyOrder(t *testing.T) {
	t.Parallel()
	documents := strings.Split(strings.Join([]string{namespace, reconciler, config, descriptor}, "---\n"), "---\n")
	want := read(files{"all.yaml": strings.Join(documents, "---\n")})
	if want.Workload != "shop" || want.Version != "1.10" || len(want.Sources) != 1 || len(want.Values) != 5 {
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
		if got := inventory.IsPackage(strings.Fields(names)); got != want {
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
		inventory.Compare([]inventory.Environment{{Name: "a", Head: "1", Packages: []inventory.Package{first}}, {Name: "b", Head: "1"}},
			inventory.Rules{})
	})
}
