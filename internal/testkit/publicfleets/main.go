// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command publicfleets translates checkouts of public repositories into small fleets of Kalypso,
// for tests. It keeps the structure of selectors, overlays and configuration. It replaces names,
// values of labels, URLs and texts, and it copies no template.
//
//	publicfleets selectors <openshift/managed-cluster-config>
//	publicfleets overlays <operate-first/apps>
//	publicfleets kalypso <microsoft/kalypso-control-plane, main> <the same, dev> <microsoft/kalypso-svc-src> <microsoft/kalypso-gitops, dev>
//
// It writes <name>.yaml, and <name>.want.json if the repositories say what the result is.
package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	translators := map[string]func(*sample, []fs.FS) error{"selectors": selectors, "overlays": overlays, "kalypso": kalypso}
	if len(os.Args) < 3 || translators[os.Args[1]] == nil {
		log.Fatal("usage: publicfleets selectors|overlays|kalypso <folder>...")
	}
	var checkouts []fs.FS
	for _, folder := range os.Args[2:] {
		checkouts = append(checkouts, os.DirFS(folder))
	}
	s := &sample{names: map[string]string{}, counts: map[string]int{}}
	if err := translators[os.Args[1]](s, checkouts); err != nil {
		log.Fatal(err)
	}
	if err := s.write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// sample is a fleet that is made, and what is to come out of it.
type sample struct {
	documents []string
	want      any
	// names are the replacements, and counts the replacements of each kind.
	names  map[string]string
	counts map[string]int
}

// object is a YAML object.
type object = map[string]any

// add adds an object of Kalypso.
func (s *sample) add(kind, name string, labels map[string]string, spec object) error {
	metadata := object{"name": name}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	return s.addObject(object{"apiVersion": "scheduler.kalypso.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec})
}

// addConfig adds a platform ConfigMap.
func (s *sample) addConfig(name string, labels, data map[string]string) error {
	labels["platform-config"] = "true"
	return s.addObject(object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name, "labels": labels}, "data": data})
}

// addObject adds an object as JSON, which is YAML of one line.
func (s *sample) addObject(o object) error {
	text, err := json.Marshal(o)
	s.documents = append(s.documents, string(text)+"\n")
	return err
}

// addTemplates adds the templates that the cluster types of a sample use.
func (s *sample) addTemplates() error {
	manifest := func(kind, name string) object {
		return object{"apiVersion": "v1", "kind": kind, "metadata": object{"name": name}}
	}
	if err := s.add("Template", "reconciler", nil, object{"type": "reconciler",
		"manifests": []any{manifest("ConfigMap", "{{ .DeploymentTargetName }}")}}); err != nil {
		return err
	}
	return s.add("Template", "namespace", nil, object{"type": "namespace", "manifests": []any{manifest("Namespace", "{{ .Namespace }}")}})
}

// addClusterType adds a cluster type that uses these templates.
func (s *sample) addClusterType(name string, labels map[string]string) error {
	return s.add("ClusterType", name, labels, object{"reconciler": "reconciler", "namespaceService": "namespace"})
}

// name returns the replacement of a name: the same for the same name of a kind. Words that
// YAML and label selectors use stay.
func (s *sample) name(kind, original string) string {
	if original == "true" || original == "false" || original == "" {
		return original
	}
	key := kind + " " + original
	if s.names[key] == "" {
		s.counts[kind]++
		s.names[key] = fmt.Sprintf("%s-%d", kind, s.counts[kind])
	}
	return s.names[key]
}

func (s *sample) write(name string) error {
	text := "# Written by internal/testkit/publicfleets from a public repository. Names and values are replaced.\n" +
		strings.Join(s.documents, "---\n")
	if err := os.WriteFile(name+".yaml", []byte(text), 0o644); err != nil || s.want == nil {
		return err
	}
	want, err := json.MarshalIndent(s.want, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name+".want.json", append(want, '\n'), 0o644)
}

// read reads a YAML file into a value.
func read(checkout fs.FS, file string, into any) error {
	text, err := fs.ReadFile(checkout, file)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
