// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

const workload = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, owner: "team-1"}
  annotations:
    note: plain
    lines: some words
      and more
spec:
  replicas: 3
  paused: false
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/web
          resources: {limits: {memory: 100Mi, cpu: 1}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web}
spec:
  interval: 1m
  prune: true
  sourceRef: {kind: GitRepository, name: web}
  patches: [{patch: "a", target: {kind: x}}]
  images: [{name: a, newTag: v1}]
`

// TestVerdicts changes one thing of a text after the other, and each back again: what is
// not read by the library has the verdict that it has there.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	r := output.Reader{Schemas: schemas()}
	found := 0
	for _, change := range [][]string{
		{"name: web\n  labels", "name: \"12\"\n  labels"}, {"name: web\n  labels", "name: 12\n  labels"}, {"name: web\n  labels", "name: true\n  labels"},
		{"app: web,", "app: shop,"}, {"app: web,", "app: 12,"}, {"app: web,", "app: we b,"}, {"app: web,", "app: " + strings.Repeat("w", 64) + ","}, {"app: web,", "other: web,"},
		{`"team-1"`, `"team 1"`}, {`"team-1"`, `""`}, {`"team-1"`, `"12"`}, {`"team-1"`, `"team\u0031"`}, {"note: plain", "note: 1.5"}, {"note: plain", "note: 2001-12-14"}, {"note: plain", "nte: null"},
		{"some words", "12"}, {"and more", "1"}, {"some words\n      and more", "1\n      2"},
		{"replicas: 3", "replicas: 4"}, {"replicas: 3", "replicas: 3.0"}, {"replicas: 3", "replicas: 3.5"}, {"replicas: 3", "replicas: three"}, {"replicas: 3", "replicas: ${n}"}, {"replicas: 3", "replicas: null"},
		{"replicas: 3", "replcas: 3"}, {"paused: false", "paused: no"}, {"paused: false", "paused: never"}, {"paused: false", "paused: 'no'"},
		{"image: registry.example/web", "image: 12"}, {"image: registry.example/web", "image: ~"}, {"image:", "img:"}, {"- name: web", "- nme: web"}, {"- name: web", "- name: null"},
		{"memory: 100Mi", "memory: 200Mi"}, {"memory: 100Mi", "memory: 100Mb"}, {"memory: 100Mi", "gpu: 100Mi"}, {"cpu: 1", "cpu: 1.5"}, {"cpu: 1", "cpu: one"}, {"cpu: 1", "cpu: true"},
		{"interval: 1m", "interval: 2m"}, {"interval: 1m", "interval: 2"}, {"interval: 1m", "interval: soon"}, {"prune: true", "prune: false"}, {"prune: true", "prune: 1"},
		{"kind: GitRepository", "kind: Bucket"}, {"kind: GitRepository", "kind: Git"}, {"newTag: v1", "newTag: 1.10"}, {"newTag: v1", "tag: v1"}, {`patch: "a"`, `patch: "1"`}, {`patch: "a"`, `patch: 1`},
	} {
		changed := strings.Replace(workload, change[0], change[1], 1)
		if changed == workload {
			t.Fatalf("%q does not stand there", change[0])
		}
		for _, text := range []string{workload, changed, changed, workload, strings.ReplaceAll(changed, "web", "shop"), changed} {
			readsAsLibrary(t, &r, text)
		}
		if objects, err := r.Objects([]byte(changed)); err == nil && fmt.Sprint(objects[0].Verdict, objects[1].Verdict) != "<nil> <nil>" {
			found++
		}
	}
	if found < 25 {
		t.Errorf("%d changes are found, so the test proves little", found)
	}
}
