// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence_test

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// folder is the folder of a cluster type: contents by deployment target and file.
type folder map[string]map[string]string

func (f folder) dir() *tree.Dir {
	var targets []tree.Entry
	for target, files := range f {
		var entries []tree.Entry
		for name, text := range files {
			entries = append(entries, tree.File(name, []byte(text)))
		}
		targets = append(targets, tree.Subdir(target, tree.FromEntries(entries)))
	}
	return tree.FromEntries(append(targets, tree.File("README.md", []byte("README"))))
}

// fleet is the folders by cluster type.
type fleet map[string]folder

func (f fleet) folders() map[string]*tree.Dir {
	all := map[string]*tree.Dir{}
	for name, folder := range f {
		all[name] = folder.dir()
	}
	return all
}

func (f fleet) tree() *tree.Dir {
	var all []tree.Entry
	for name, dir := range f.folders() {
		all = append(all, tree.Subdir(name, dir))
	}
	return tree.FromEntries(all)
}

func compare(old, now fleet) ([]consequence.Consequence, []string) {
	return consequence.Compare(consequence.Change{Files: diff.Trees(old.tree(), now.tree()), Folders: now.folders(),
		Template: func(_, file string) string { return file[:len(file)-len(".yaml")] }})
}

// reconcilers are files that tell the tool.
var reconcilers = map[string]string{
	"":        "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: other, namespace: other}}",
	"argo":    "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: other, namespace: argocd}}",
	"fleet":   "{apiVersion: fleet.cattle.io/v1alpha1, kind: GitRepo, metadata: {name: other, namespace: fleet-local}}",
	"zarf":    "{apiVersion: zarf.dev/v1alpha1, kind: ZarfPackageConfig, metadata: {name: other}}",
	"kubectl": "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, metadata: {name: other}}",
	"unknown": "- hosts: all",
}

var wordNames = map[consequence.Word]string{consequence.Deletes: "deletes", consequence.Refuses: "refuses", consequence.Stops: "stops",
	consequence.Replaces: "replaces", consequence.Orphans: "orphans"}

func said(all []consequence.Consequence) (lines []string) {
	for _, c := range all {
		lines = append(lines, wordNames[c.Word]+" "+c.Kind+" "+path.Base(c.Name))
	}
	slices.Sort(lines)
	return lines
}

func TestTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/changes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Is, Tool, Old, New string
		Says               []string
	}
	if err := yaml.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Run(row.Is, func(t *testing.T) {
			t.Parallel()
			version := func(text string) fleet {
				return fleet{"large": {"web": {"namespace.yaml": text}, "other": {"reconciler.yaml": reconcilers[row.Tool]}}}
			}
			found, unread := compare(version(row.Old), version(row.New))
			slices.Sort(row.Says)
			if d := cmp.Diff(row.Says, said(found)); d != "" || len(unread) > 0 {
				t.Errorf("(-want +got):\n%s%q", d, unread)
			}
		})
	}
}
