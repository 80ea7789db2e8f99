// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// changeRow is a row of the table of changes and their consequences, with the documents of its namespace.
type changeRow struct {
	Is, Tool, Old, New, State string
	Units                     bool
	Says                      []string

	name string
	// before are the objects of Old in the cluster.
	before map[string]types.UID
}

// inRow returns a text with the row's name in place of the word x.
func (r *changeRow) inRow(text string) string {
	return regexp.MustCompile(`\bx\b`).ReplaceAllString(text, r.name)
}

func (r *changeRow) says(word string) bool {
	return slices.ContainsFunc(r.Says, func(said string) bool { return strings.HasPrefix(said, word+" ") })
}

// changeRows are the rows for Flux.
func changeRows(t *testing.T) (rows []*changeRow) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, "../kalypso/publish/consequence/testdata/changes.yaml")), &rows); err != nil {
		t.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(r *changeRow) bool { return r.Tool != "" || r.Units })
	for i, r := range rows {
		r.name = fmt.Sprintf("row-%d", i)
		r.Old, r.New, r.State = r.inRow(r.Old), r.inRow(r.New), r.inRow(r.State)
	}
	return rows
}

// TestAccFlux_consequences compares what a plan says of changes with a cluster: Flux applies the old objects of
// each row of the table, and then the new ones. The API server refuses what the plan calls refused, and takes
// the rest. Flux deletes what the plan calls deleted or stopped, and nothing else of these kinds.
func TestAccFlux_consequences(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c, repo, rows := flux.NewOpenCluster(t), gittest.NewBare(t), changeRows(t)
	server := gittest.ServeHTTP(t, repo)
	files := map[string][]byte{}
	for _, name := range []string{"a", "b"} {
		files[name+"/"+name+".yaml"] = fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}", name)
	}
	var connection strings.Builder
	fmt.Fprintf(&connection, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: rows, namespace: flux-system}, "+
		"spec: {interval: 1s, url: %q, ref: {branch: main}}}\n---\n"+
		"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: a.example, allowVolumeExpansion: true}",
		server.URL())
	for _, r := range rows {
		files[r.name+"/objects.yaml"] = []byte(r.Old)
		if !strings.Contains(r.Old, "kind: Namespace") {
			fmt.Fprintf(&connection, "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", r.name)
		}
		fmt.Fprintf(&connection, "\n---\n{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: %s, namespace: "+
			"flux-system}, spec: {interval: 1h, retryInterval: 1h, prune: true, path: ./%s, sourceRef: {kind: GitRepository, name: rows}}}",
			r.name, r.name)
	}
	commit := repo.CommitFiles(t, "main", files, "Objects")
	c.Apply(t, connection.String())
	eachEventually(t, rows, func(r *changeRow) error {
		if err := r.applied(t, c, commit, true); err != nil {
			return err
		}
		if strings.Contains(r.Old, "kind: Kustomization") && c.Get(t, flux.ConfigMaps, r.name, "a") == nil {
			return errors.New("the Kustomization delivers nothing")
		}
		return nil
	})
	for _, r := range rows {
		r.before = r.present(t, c)
		if r.State != "" {
			c.SetState(t, r.State)
		}
		files[r.name+"/objects.yaml"] = []byte(r.New)
	}
	commit = repo.CommitFiles(t, "main", files, "Objects")
	weighty := map[string]bool{} // kinds that some row says are deleted or stopped
	for _, r := range rows {
		for _, said := range r.Says {
			if word, object, _ := strings.Cut(said, " "); word == "deletes" || word == "stops" {
				kind, _, _ := strings.Cut(object, " ")
				weighty[kind] = true
			}
		}
	}
	eachEventually(t, rows, func(r *changeRow) error {
		if err := r.applied(t, c, commit, !r.says("refuses")); err != nil {
			return err
		}
		return r.holds(t, c, weighty)
	})
}

// eachEventually waits until a condition holds for all rows.
func eachEventually(t *testing.T, rows []*changeRow, holds func(r *changeRow) error) {
	t.Helper()
	eventually(t, func() error {
		var missing []*changeRow
		var all error
		for _, r := range rows {
			if err := holds(r); err != nil {
				missing, all = append(missing, r), errors.Join(all, fmt.Errorf("%s (%s): %w", r.Is, r.name, err))
			}
		}
		rows = missing
		return all
	})
}

// applied reports unless Flux has applied the row's objects of a commit, or has failed to.
func (r *changeRow) applied(t *testing.T, c *flux.Cluster, commit string, succeeds bool) error {
	t.Helper()
	k := c.Get(t, flux.Kustomizations, flux.Namespace, r.name)
	want := map[bool]string{true: "True", false: "False"}[succeeds]
	revision := flux.Text(k, "status", map[bool]string{true: "lastAppliedRevision", false: "lastAttemptedRevision"}[succeeds])
	conditions, _, _ := unstructured.NestedSlice(k.Object, "status", "conditions")
	for _, each := range conditions {
		if condition, _ := each.(map[string]any); condition["type"] == "Ready" &&
			(condition["status"] != want || !strings.Contains(revision, commit)) {
			return fmt.Errorf("want it ready: %s, but it is %s: %s", want, condition["status"], condition["message"])
		} else if condition["type"] == "Ready" {
			return nil
		}
	}
	return errors.New("Flux has not looked at it")
}

// objects are those of documents.
func (r *changeRow) objects(t *testing.T, text string) (all []unstructured.Unstructured) {
	t.Helper()
	for document := range strings.SplitSeq(text, "\n---") {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			t.Fatal(err)
		}
		items, isList, _ := unstructured.NestedSlice(o.Object, "items")
		if !isList {
			all = append(all, o)
		}
		for _, item := range items {
			object, _ := item.(map[string]any)
			all = append(all, unstructured.Unstructured{Object: object})
		}
	}
	return all
}

// present are the row's old objects that are in the cluster, and not about to be deleted, as kind and name.
// Among them is what a Kustomization delivers.
func (r *changeRow) present(t *testing.T, c *flux.Cluster) map[string]types.UID {
	t.Helper()
	all := map[string]types.UID{}
	for _, o := range r.objects(t, r.Old) {
		kind := flux.Kind{APIVersion: o.GetAPIVersion(), Kind: o.GetKind()}
		if there := c.Get(t, kind, o.GetNamespace(), o.GetName()); there != nil && there.GetDeletionTimestamp() == nil {
			all[o.GetKind()+" "+o.GetName()] = there.GetUID()
		}
	}
	return all
}

// holds reports unless Flux has deleted what the row says, and has left the other objects of weighty kinds.
func (r *changeRow) holds(t *testing.T, c *flux.Cluster, weighty map[string]bool) error {
	t.Helper()
	if strings.Contains(r.Old, "kind: Kustomization") {
		return r.delivers(t, c)
	}
	after, inside := r.present(t, c), r.says("deletes") && slices.ContainsFunc(r.Says, func(said string) bool {
		return strings.Contains(r.inRow(said), " Namespace ")
	})
	for name, uid := range r.before {
		isSaid := slices.ContainsFunc(r.Says, func(said string) bool {
			word, object, _ := strings.Cut(r.inRow(said), " ")
			return object == name && (word == "deletes" || word == "stops")
		})
		kind, _, _ := strings.Cut(name, " ")
		if isDeleted := after[name] != uid; isDeleted != isSaid && weighty[kind] && (!isDeleted || !inside) {
			return fmt.Errorf("%s is deleted: %t, but said to be: %t", name, isDeleted, isSaid)
		}
	}
	return nil
}

// delivers reports unless the row's Kustomization has deleted its ConfigMap a where the row says so. Otherwise
// the ConfigMap stays after the Kustomization is gone, or delivers from the folder b.
func (r *changeRow) delivers(t *testing.T, c *flux.Cluster) error {
	t.Helper()
	isDeleted := c.Get(t, flux.ConfigMaps, r.name, "a") == nil
	isGone := c.Get(t, flux.Kustomizations, r.name, "a") == nil
	if strings.Contains(r.New, "kind: Kustomization") == isGone {
		return fmt.Errorf("the Kustomization is gone: %t", isGone)
	}
	if r.says("replaces") && c.Get(t, flux.ConfigMaps, r.name, "b") == nil {
		return errors.New("nothing comes from the folder b")
	}
	if isDeleted != r.says("deletes") {
		return fmt.Errorf("the ConfigMap is deleted: %t", isDeleted)
	}
	return nil
}
