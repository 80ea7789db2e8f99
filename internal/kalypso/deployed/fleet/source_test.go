// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/fleet"
)

// flux writes an object of Flux.
func flux(group, kind, name, spec string) string {
	return "---\napiVersion: " + group + ".toolkit.fluxcd.io/v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: apps}\nspec: " +
		spec + "\n"
}

// argo writes an Application.
func argo(spec string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec: " + spec + "\n"
}

func TestSources(t *testing.T) {
	t.Parallel()
	git := flux("source", "GitRepository", "shop", "{url: https://git.example/shop, ref: {branch: main}}")
	helm := flux("source", "HelmRepository", "charts", "{url: https://charts.example}")
	oci := flux("source", "OCIRepository", "shop", "{url: oci://registry.example/shop, ref: {tag: v1, semver: 1.x}}")
	from := func(ref string) string {
		return flux("kustomize", "Kustomization", "shop", "{sourceRef: "+ref+", path: ./live}")
	}
	for name, test := range map[string]struct {
		text string
		want []fleet.Source
	}{
		"a Kustomization of a GitRepository": {git + from("{kind: GitRepository, name: shop}"),
			[]fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop", Ref: "main", Path: "./live"}}},
		"two of them": {git + from("{kind: GitRepository, name: shop}") + strings.Replace(from("{kind: GitRepository, name: shop}"), "./live",
			"./db", 1), []fleet.Source{
			{Kind: "GitRepository", Repo: "https://git.example/shop", Ref: "main", Path: "./db"},
			{Kind: "GitRepository", Repo: "https://git.example/shop", Ref: "main", Path: "./live"},
		}},
		"a Kustomization alone": {from("{kind: GitRepository, name: elsewhere}"),
			[]fleet.Source{{Kind: "Kustomization", Path: "./live"}}},
		"one of another namespace": {git + from("{kind: GitRepository, name: shop, namespace: other}"),
			[]fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop", Ref: "main"}, {Kind: "Kustomization", Path: "./live"}}},
		"a source alone": {git, []fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop",
			Ref: "main"}}},
		"the same twice": {git + git, []fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop",
			Ref: "main"}}},
		"a commit goes before a branch": {strings.Replace(git, "branch: main", "branch: main, tag: v1, commit: abc", 1),
			[]fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop", Ref: "abc"}}},
		"no ref": {strings.Replace(git, ", ref: {branch: main}", "", 1),
			[]fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/shop"}}},
		"an OCIRepository": {oci + from("{kind: OCIRepository, name: shop}"),
			[]fleet.Source{{Kind: "OCIRepository", Repo: "oci://registry.example/shop", Ref: "1.x", Path: "./live"}}},
		"a Bucket": {flux("source", "Bucket", "shop", "{endpoint: s3.example, bucketName: shop}") +
			from("{kind: Bucket, name: shop}"), []fleet.Source{{Kind: "Bucket", Repo: "s3.example/shop", Path: "./live"}}},
		"a HelmRelease of a HelmRepository": {helm + flux("helm", "HelmRelease", "shop", "{chart: {spec: {chart: shop, version: 1.2.0, "+
			"sourceRef: {kind: HelmRepository, name: charts}}}, values: {password: x}}"),
			[]fleet.Source{{Kind: "HelmRelease", Repo: "https://charts.example", Ref: "1.2.0", Path: "shop"}}},
		"a HelmRelease of a GitRepository": {git + flux("helm", "HelmRelease", "shop", "{chart: {spec: {chart: ./charts/shop, version: "+
			"1.2.0, sourceRef: {kind: GitRepository, name: shop}}}}"), []fleet.Source{{Kind: "HelmRelease", Repo: "https://git.example/shop",
			Ref: "main", Path: "./charts/shop"}}},
		"a HelmRelease of an OCIRepository": {oci + flux("helm", "HelmRelease", "shop", "{chartRef: {kind: OCIRepository, name: shop}}"),
			[]fleet.Source{{Kind: "HelmRelease", Repo: "oci://registry.example/shop", Ref: "1.x"}}},
		"a HelmRelease of a HelmChart": {helm + flux("source", "HelmChart", "shop", "{chart: shop, version: 2.x, sourceRef: {kind: "+
			"HelmRepository, name: charts}}") + flux("helm", "HelmRelease", "shop", "{chartRef: {kind: HelmChart, name: shop}}"),
			[]fleet.Source{{Kind: "HelmRelease", Repo: "https://charts.example", Ref: "2.x", Path: "shop"}}},
		"a HelmRelease of something elsewhere": {flux("helm", "HelmRelease", "shop", "{chart: {spec: {chart: shop, sourceRef: {kind: "+
			"HelmRepository, name: charts}}}}"), []fleet.Source{{Kind: "HelmRelease", Path: "shop"}}},
		"an Application": {argo("{source: {repoURL: https://git.example/shop, targetRevision: main, path: live}}"),
			[]fleet.Source{{Kind: "Application", Repo: "https://git.example/shop", Ref: "main", Path: "live"}}},
		"an Application of a chart": {argo("{source: {repoURL: https://charts.example, chart: shop, targetRevision: 1.2.0}}"),
			[]fleet.Source{{Kind: "Application", Repo: "https://charts.example", Ref: "1.2.0", Path: "shop"}}},
		"an Application of several sources": {argo("{source: {repoURL: https://ignored.example}, sources: [{repoURL: https://git.example/shop, " +
			"targetRevision: v2, path: live}, {repoURL: https://charts.example, chart: shop, targetRevision: 1.2.0}, {repoURL: " +
			"https://git.example/values, ref: values}]}"), []fleet.Source{
			{Kind: "Application", Repo: "https://charts.example", Ref: "1.2.0", Path: "shop"},
			{Kind: "Application", Repo: "https://git.example/shop", Ref: "v2", Path: "live"},
			{Kind: "Application", Repo: "https://git.example/values"},
		}},
		"passwords": {argo("{sources: [{repoURL: 'https://root:hunter2@git.example/a'}, {repoURL: 'https://hunter2@git.example/b?c=d'}, " +
			"{repoURL: 'ssh://git:hunter2@git.example/c'}, {repoURL: 'git@git.example:d'}]}"), []fleet.Source{
			{Kind: "Application", Repo: "git@git.example:d"}, {Kind: "Application", Repo: "https://git.example/a"},
			{Kind: "Application", Repo: "https://git.example/b"}, {Kind: "Application", Repo: "ssh://git@git.example/c"},
		}},
		"passwords elsewhere": {argo("{sources: [{repoURL: 'https://git.example/a?access_token=hunter2'}, {repoURL: " +
			"'oauth2:hunter2@git.example:b/c'}, {repoURL: 'https://git.example/d#hunter2'}, {repoURL: '//user:hunter2@git.example/e'}, {repoURL: " +
			"'https://user:hun/ter2@git.example/f'}]}"), []fleet.Source{
			{Kind: "Application", Repo: "//git.example/e"}, {Kind: "Application", Repo: "git.example/f"},
			{Kind: "Application", Repo: "git.example:b/c"}, {Kind: "Application", Repo: "https://git.example/a"},
			{Kind: "Application", Repo: "https://git.example/d"},
		}},
		"a tag and a range": {flux("source", "GitRepository", "a", "{url: https://git.example/a, ref: {branch: main, tag: v1}}") +
			flux("source", "GitRepository", "b", "{url: https://git.example/b, ref: {semver: '>=1'}}") +
			flux("source", "GitRepository", "c", "{url: https://git.example/c, ref: {tag: v1, commit: abc}}"), []fleet.Source{
			{Kind: "GitRepository", Repo: "https://git.example/a", Ref: "v1"},
			{Kind: "GitRepository", Repo: "https://git.example/b", Ref: ">=1"},
			{Kind: "GitRepository", Repo: "https://git.example/c", Ref: "abc"},
		}},
		"a name goes before a range": {flux("source", "GitRepository", "a", "{url: https://git.example/a, ref: {branch: main, tag: v1, "+
			"semver: '>=1', name: refs/heads/live}}"), []fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/a",
			Ref: "refs/heads/live"}}},
		"a commit goes before a name": {flux("source", "GitRepository", "a", "{url: https://git.example/a, ref: {name: refs/heads/live, "+
			"commit: abc}}"), []fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/a", Ref: "abc"}}},
		"a range goes before a tag": {flux("source", "GitRepository", "a", "{url: https://git.example/a, ref: {branch: main, tag: v1, "+
			"semver: '>=1'}}"), []fleet.Source{{Kind: "GitRepository", Repo: "https://git.example/a", Ref: ">=1"}}},
		"a digest goes before a range": {flux("source", "OCIRepository", "a", "{url: oci://h/a, ref: {tag: v1, semver: '>=1', digest: "+
			"'sha256:abc'}}"), []fleet.Source{{Kind: "OCIRepository", Repo: "oci://h/a", Ref: "sha256:abc"}}},
		"a tag of an OCIRepository": {flux("source", "OCIRepository", "a", "{url: oci://h/a, ref: {tag: v1}}"),
			[]fleet.Source{{Kind: "OCIRepository", Repo: "oci://h/a", Ref: "v1"}}},
		"a HelmRelease of a Bucket": {flux("source", "Bucket", "shop", "{endpoint: s3.example, bucketName: shop}") +
			flux("helm", "HelmRelease", "shop", "{chart: {spec: {chart: ./charts/shop, version: 1.2.0, sourceRef: {kind: Bucket, name: shop}}}}"),
			[]fleet.Source{{Kind: "HelmRelease", Repo: "s3.example/shop", Path: "./charts/shop"}}},
		"a HelmChart that nobody uses": {helm + flux("source", "HelmChart", "shop", "{chart: shop, version: 2.x, sourceRef: {kind: "+
			"HelmRepository, name: charts}}"), []fleet.Source{{Kind: "HelmRepository", Repo: "https://charts.example"}}},
		"passwords in a ref and a path": {argo("{source: {repoURL: https://git.example/a, targetRevision: 'https://root:hunter2@h/r', path: " +
			"'https://root:hunter2@h/p'}}"), []fleet.Source{{Kind: "Application", Repo: "https://git.example/a",
			Ref: "https://root:(redacted f52f…)@h/r", Path: "https://root:(redacted f52f…)@h/p"}}},
		"objects of other groups": {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nspec: {path: x}\n---\napiVersion: " +
			"v1\nkind: Bucket\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, []fleet.Source(read(files{"objects.yaml": test.text}).Sources)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
