// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// kustomization is what overlays use of a kustomization.yaml.
type kustomization struct {
	Resources             []string
	PatchesStrategicMerge []string
}

// overlays translates kustomize overlays for single clusters: an overlay becomes a cluster type, a bundle that
// overlays include becomes a workload, a patch becomes configuration of the cluster type, and the object
// that it patches becomes configuration of all. It expects the bundles of each cluster.
func overlays(s *sample, checkouts []fs.FS) error {
	const root = "cluster-scope"
	files, err := fs.Glob(checkouts[0], root+"/overlays/prod/*/*/kustomization.yaml")
	if err != nil {
		return err
	}
	if err := s.addTemplates(); err != nil {
		return err
	}
	bases, err := s.bases(checkouts[0], root+"/base")
	if err != nil {
		return err
	}
	want := map[string][]string{}
	patched := map[string]string{}
	for _, file := range files {
		folder := path.Dir(file)
		region, cluster := path.Base(path.Dir(folder)), path.Base(folder)
		if cluster == "common" {
			continue
		}
		var k kustomization
		if err := read(checkouts[0], file, &k); err != nil {
			return err
		}
		name := s.name("cluster", cluster)
		labels := map[string]string{"region": s.name("region", region)}
		want[name] = []string{}
		for _, resource := range k.Resources {
			if bundle := path.Base(resource); strings.Contains(resource, "/bundles/") {
				labels["bundles.example.com/"+s.name("bundle", bundle)] = "true"
				want[name] = append(want[name], s.name("bundle", bundle)+"-all")
			}
		}
		slices.Sort(want[name])
		if err := s.addClusterType(name, labels); err != nil {
			return err
		}
		data := map[string]string{}
		for _, patch := range k.PatchesStrategicMerge {
			key, text, err := s.fields(checkouts[0], path.Join(folder, patch))
			if err != nil {
				return err
			}
			if data[key] = text; bases[key] != "" {
				patched[key] = bases[key]
			}
		}
		if err := s.addConfig("overlay-of-"+name, map[string]string{"cluster-type": name}, data); err != nil {
			return err
		}
	}
	if err := s.addConfig("base", map[string]string{}, patched); err != nil {
		return err
	}
	s.want = want
	return s.addBundles(want)
}

// addBundles adds a workload and a policy for each bundle.
func (s *sample) addBundles(of map[string][]string) error {
	targets := wordsOf(of)
	for _, target := range targets {
		bundle := strings.TrimSuffix(target, "-all")
		if err := s.add("Workload", bundle, nil, object{"deploymentTargets": []any{object{"name": "all"}}}); err != nil {
			return err
		}
		if err := s.add("SchedulingPolicy", bundle, nil, object{
			"deploymentTargetSelector": object{"labelSelector": object{"matchLabels": object{"workload": bundle}}},
			"clusterTypeSelector": object{"labelSelector": object{"matchExpressions": []any{
				object{"key": "bundles.example.com/" + bundle, "operator": "Exists"}}}},
		}); err != nil {
			return err
		}
	}
	return nil
}

func wordsOf(lists map[string][]string) []string {
	words := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(lists))...)))
	return slices.Compact(words)
}

// bases returns the fields of the objects in a folder.
func (s *sample) bases(checkout fs.FS, folder string) (map[string]string, error) {
	all := map[string]string{}
	err := fs.WalkDir(checkout, folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".yaml" || path.Base(file) == "kustomization.yaml" {
			return err
		}
		if key, text, err := s.fields(checkout, file); err == nil {
			all[key] = text
		}
		return nil
	})
	return all, err
}

// fields returns the key of an object, and its fields other than those of all objects, as YAML. Texts are
// replaced.
func (s *sample) fields(checkout fs.FS, file string) (key, text string, err error) {
	var o object
	if err := read(checkout, file, &o); err != nil {
		return "", "", err
	}
	metadata, _ := o["metadata"].(object)
	key = s.name("object", fmt.Sprint(o["kind"], "/", metadata["name"]))
	for _, field := range []string{"apiVersion", "kind", "metadata"} {
		delete(o, field)
	}
	written, err := yaml.Marshal(s.withoutTexts(o))
	return key, string(written), err
}

// withoutTexts replaces the texts in a value, and keeps a few elements of a list.
func (s *sample) withoutTexts(value any) any {
	const most = 3
	switch value := value.(type) {
	case string:
		return s.name("text", value)
	case []any:
		value = value[:min(len(value), most)]
		for i := range value {
			value[i] = s.withoutTexts(value[i])
		}
		return value
	case object:
		for key := range value {
			value[key] = s.withoutTexts(value[key])
		}
	}
	return value
}
