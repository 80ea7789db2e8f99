// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// client talks to an API server as its administrator.
type client struct {
	server, token string
	http          *http.Client
}

// newClient makes a client that shows a certificate to a server that asks: etcd does.
func newClient(server, token string, certificate tls.Certificate) client {
	config := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}} // the server's is its own
	transport := &http.Transport{TLSClientConfig: config}
	return client{server, token, &http.Client{Transport: transport}}
}

// errMissing is the error of a request for what does not exist.
var errMissing = errors.New("there is no such object")

// do sends a request, and decodes the answer into a value unless that is nil.
func (c client) do(ctx context.Context, method, path string, header http.Header, body string, into any) error {
	response, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: %s %s: %s", errMissing, method, path, text)
	case response.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

func (c client) send(ctx context.Context, method, path string, header http.Header, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		request.Header = header
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	return c.http.Do(request)
}

// collection is the path of all objects of a kind, in a namespace if the kind has
// namespaces and one is given.
func (c client) collection(ctx context.Context, apiVersion, kind, namespace string) (string, error) {
	root := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		root = "/api/" + apiVersion
	}
	var known struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
		}
	}
	if err := c.do(ctx, http.MethodGet, root, nil, "", &known); err != nil {
		return "", err
	}
	for _, r := range known.Resources {
		switch {
		case r.Kind != kind || strings.Contains(r.Name, "/"):
		case r.Namespaced && namespace != "":
			return path.Join(root, "namespaces", namespace, r.Name), nil
		default:
			return path.Join(root, r.Name), nil
		}
	}
	return "", fmt.Errorf("%w: %s %s", errMissing, apiVersion, kind)
}

// apply applies one object, or a subresource of it, as kubectl apply --server-side does, with further options.
func (c client) apply(ctx context.Context, object *unstructured.Unstructured, subresource string, options url.Values) error {
	all, err := c.collection(ctx, object.GetAPIVersion(), object.GetKind(), object.GetNamespace())
	if err != nil {
		return err
	}
	body, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/apply-patch+yaml"}}
	query := url.Values{"fieldManager": {"test"}, "force": {"true"}, "fieldValidation": {"Strict"}}
	maps.Copy(query, options)
	return c.do(ctx, http.MethodPatch, path.Join(all, object.GetName(), subresource)+"?"+query.Encode(), header, string(body), nil)
}

// Apply applies manifests as kubectl apply --server-side does. It waits for kinds that
// are not served yet.
func (c *Cluster) Apply(t testing.TB, manifests string) {
	t.Helper()
	for document := range bytes.SplitSeq([]byte(manifests), []byte("\n---")) {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if object.Object == nil {
			continue // a comment
		}
		if err := c.try(t, &object, nil); err != nil {
			t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
}

// SetState applies fields of an object, and its status, as a controller of the cluster does.
func (c *Cluster) SetState(t testing.TB, manifest string) {
	t.Helper()
	var object unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(manifest), &object.Object); err != nil {
		t.Fatal(err)
	}
	by := url.Values{"fieldManager": {"controller"}}
	if err := errors.Join(c.client.apply(t.Context(), &object, "", by), c.client.apply(t.Context(), &object, "status", by)); err != nil {
		t.Fatal(err)
	}
}

// DryRun is what the API server says of an object that is to be applied, as kubectl apply
// --server-side --dry-run=server --validate=strict asks it; nothing if it would take it.
func (c *Cluster) DryRun(t testing.TB, manifest string) error {
	t.Helper()
	var object unstructured.Unstructured
	if err := yaml.UnmarshalStrict([]byte(manifest), &object.Object); err != nil {
		return err
	}
	return c.try(t, &object, url.Values{"dryRun": {"All"}})
}

// try applies an object with options, and waits for a kind that is not served yet.
func (c *Cluster) try(t testing.TB, object *unstructured.Unstructured, options url.Values) error {
	err := c.client.apply(t.Context(), object, "", options)
	for tries := 0; errors.Is(err, errMissing) && tries < 100; tries++ {
		time.Sleep(100 * time.Millisecond)
		err = c.client.apply(t.Context(), object, "", options)
	}
	return err
}

// Refusal returns what the API server says against creating an object in the namespace
// default, as kubectl create --dry-run=server --validate=strict does; empty if it would.
func (c *Cluster) Refusal(t testing.TB, manifest string) string {
	t.Helper()
	var object unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(manifest), &object.Object); err != nil {
		t.Fatalf("%v\n%s", err, manifest)
	}
	all, err := c.client.collection(t.Context(), object.GetAPIVersion(), object.GetKind(), "default")
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"dryRun": {"All"}, "fieldValidation": {"Strict"}}
	if err := c.client.do(t.Context(), http.MethodPost, all+"?"+query.Encode(), http.Header{"Content-Type": {"application/json"}},
		string(body), nil); err != nil {
		return err.Error()
	}
	return ""
}
