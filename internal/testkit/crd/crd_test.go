// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package crd

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: web, labels: {a: b}}\nspec: " +
			"{interval: 1m, url: https://git.example/web, ref: {branch: main}}\n"
		application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {project: default, source: " +
			"{repoURL: https://git.example/web}, destination: {namespace: web}}\n"
		descriptor = "apiVersion: hub.kalypso.io/v1alpha1\nkind: DeploymentDescriptor\nmetadata: {name: web}\nspec: {workload: {name: " +
			"web, source: {repo: r, branch: main, path: .}, application: {name: web, workspace: {name: team}}}, " +
			"deploymentTarget: {name: live, environment: dev, manifests: {repo: r, branch: dev, path: .}}, workloadVersion: {version: " +
			"\"1.0\", commit: abc}}\n"
		gitrepo = "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: web}\nspec: {repo: https://git.example/web, " +
			"targetNamespace: web}\n"
		store = "apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: web}\nspec: {provider: {vault: {server: " +
			"https://vault.example, auth: {}}}}\n"
	)
	for name, test := range map[string]struct{ manifest, want string }{
		"right":             {repository, ""},
		"Argo CD":           {application, ""},
		"Kalypso's hub":     {descriptor, ""},
		"misspelled there":  {strings.Replace(descriptor, "commit", "comit", 1), "comit"},
		"Rancher Fleet":     {gitrepo, ""},
		"External Secrets":  {store, ""},
		"unknown namespace": {strings.Replace(gitrepo, "targetNamespace", "namespace", 1), "namespace"},
		"unknown provider":  {strings.Replace(store, "vault:", "safe:", 1), "safe"},
		"not checked":       {"{apiVersion: v1, kind: ConfigMap, spec: none}", ""},
		"misspelled":        {strings.Replace(repository, "interval", "intervall", 1), "intervall"},
		"misspelled deeper": {strings.Replace(repository, "branch", "brunch", 1), "brunch"},
		"missing":           {strings.Replace(application, "project: default, ", "", 1), "project"},
		"wrong value":       {strings.Replace(repository, "1m", "soon", 1), "pattern"},
		"unknown kind":      {strings.Replace(repository, "GitRepository", "GitRepo", 1), "no schema of source.toolkit.fluxcd.io/v1 GitRepo"},
		"twice":             {repository + "kind: GitRepository\n", "already set"},
		"no YAML":           {"a: [", "yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch err := Check(test.manifest); {
			case err == nil && test.want != "":
				t.Errorf("it is right, want an error about %q", test.want)
			case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
				t.Errorf("want %q, got: %v", test.want, err)
			}
		})
	}
}
