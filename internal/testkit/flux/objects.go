// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Kind is a kind of objects with its apiVersion.
type Kind struct{ APIVersion, Kind string }

// Kinds that tests look at.
var (
	Namespaces     = Kind{"v1", "Namespace"}
	ConfigMaps     = Kind{"v1", "ConfigMap"}
	Accounts       = Kind{"v1", "ServiceAccount"}
	ClusterRoles   = Kind{"rbac.authorization.k8s.io/v1", "ClusterRole"}
	Bindings       = Kind{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"}
	Kustomizations = Kind{"kustomize.toolkit.fluxcd.io/v1", "Kustomization"}
	GitRepos       = Kind{"source.toolkit.fluxcd.io/v1", "GitRepository"}
	Alerts         = Kind{"notification.toolkit.fluxcd.io/v1beta3", "Alert"}
	Receivers      = Kind{"notification.toolkit.fluxcd.io/v1", "Receiver"}
)

// Get returns an object; nil if there is none. A namespace is empty for what is in none.
func (c *Cluster) Get(t testing.TB, kind Kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	all, err := c.client.collection(t.Context(), kind.APIVersion, kind.Kind, namespace)
	if err != nil {
		t.Fatal(err)
	}
	var object unstructured.Unstructured
	switch err := c.client.do(t.Context(), http.MethodGet, path.Join(all, name), nil, "", &object.Object); {
	case errors.Is(err, errMissing):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return &object
}

// Text is a text in an object, which may be nil; empty if there is none.
func Text(object *unstructured.Unstructured, fields ...string) string {
	if object == nil {
		return ""
	}
	text, _, _ := unstructured.NestedString(object.Object, fields...) // empty if it is not a text
	return text
}

// List returns all objects of a kind, in all namespaces.
func (c *Cluster) List(t testing.TB, kind Kind) []unstructured.Unstructured {
	t.Helper()
	list, err := c.list(t.Context(), kind)
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func (c *Cluster) list(ctx context.Context, kind Kind) (*unstructured.UnstructuredList, error) {
	all, err := c.client.collection(ctx, kind.APIVersion, kind.Kind, "")
	if err != nil {
		return nil, err
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []map[string]any
	}
	if err := c.client.do(ctx, http.MethodGet, all, nil, "", &list); err != nil {
		return nil, err
	}
	result := &unstructured.UnstructuredList{}
	result.SetResourceVersion(list.Metadata.ResourceVersion)
	for _, item := range list.Items {
		result.Items = append(result.Items, unstructured.Unstructured{Object: item})
	}
	return result, nil
}

// Watch is what has happened to objects since a moment.
type Watch struct {
	mu      sync.Mutex
	deleted []string
	err     error
}

// Watch watches objects of these kinds from now on, until the test ends.
func (c *Cluster) Watch(t testing.TB, kinds ...Kind) *Watch {
	t.Helper()
	w, ctx := &Watch{}, t.Context()
	for _, kind := range kinds {
		list, err := c.list(ctx, kind)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.client.collection(ctx, kind.APIVersion, kind.Kind, "")
		if err != nil {
			t.Fatal(err)
		}
		query := url.Values{"watch": {"1"}, "resourceVersion": {list.GetResourceVersion()}}
		go func() {
			err := w.follow(ctx, c.client, all+"?"+query.Encode())
			w.mu.Lock()
			defer w.mu.Unlock()
			if ctx.Err() == nil {
				w.err = err
			}
		}()
	}
	return w
}

// follow notes what is deleted, or about to be, until the context ends.
func (w *Watch) follow(ctx context.Context, c client, path string) error {
	response, err := c.send(ctx, http.MethodGet, path, nil, "")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	for events := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object unstructured.Unstructured
		}
		if err := events.Decode(&event); err != nil {
			return err
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("%v", event.Object)
		}
		if event.Type == "DELETED" || event.Object.GetDeletionTimestamp() != nil {
			w.note(event.Object)
		}
	}
}

func (w *Watch) note(object unstructured.Unstructured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := fmt.Sprintf("%s %s", object.GetKind(), path.Join(object.GetNamespace(), object.GetName()))
	if !slices.Contains(w.deleted, name) {
		w.deleted = append(w.deleted, name)
	}
}

// Deleted returns what has been deleted, or is about to be, as "Kind namespace/name".
func (w *Watch) Deleted(t testing.TB) []string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		t.Fatal(w.err)
	}
	return slices.Clone(w.deleted)
}
