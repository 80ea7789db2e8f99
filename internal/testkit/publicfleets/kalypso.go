// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// kalypso translates Kalypso's own control plane: its main branch, the branch of an environment, and the
// repository of an application. It expects the packages and the configuration that Kalypso itself has written
// to the GitOps repository.
func kalypso(s *sample, checkouts []fs.FS) error {
	const inputs = 4
	if len(checkouts) != inputs {
		return fmt.Errorf("there are %d folders, instead of %d", len(checkouts), inputs)
	}
	registration := ""
	for _, checkout := range checkouts[:inputs-1] {
		if err := s.eachObject(checkout, func(o object) error {
			kind, _ := o["kind"].(string)
			metadata, _ := o["metadata"].(object)
			switch kind {
			case "WorkloadRegistration":
				registration = s.word(fmt.Sprint(metadata["name"]))
			case "Workload": // Flux brings it, for the registration
				o = s.renamed(o, "").(object) //nolint:errcheck,forcetypeassert // it stays an object
				labels, _ := metadata["labels"].(object)
				labels["kustomize.toolkit.fluxcd.io/name"] = "dev-" + registration
				return s.addObject(o)
			}
			if o["apiVersion"] != "scheduler.kalypso.io/v1alpha1" && kind != "ConfigMap" {
				return nil
			}
			if spec, _ := o["spec"].(object); kind == "Template" {
				spec["manifests"] = []any{manifestLike(spec["manifests"])}
			}
			return s.addObject(s.renamed(o, "").(object)) //nolint:errcheck,forcetypeassert // it stays an object
		}); err != nil {
			return err
		}
	}
	want := map[string]any{}
	written := checkouts[inputs-1]
	readmes, err := fs.Glob(written, "*/README.md")
	if err != nil {
		return err
	}
	for _, readme := range readmes {
		want[s.word(path.Dir(readme))] = object{}
	}
	configs, err := fs.Glob(written, "*/*/*config.yaml")
	if err != nil {
		return err
	}
	for _, file := range configs {
		var o struct{ Data object }
		if err := read(written, file, &o); err != nil {
			return err
		}
		clusterType, target, _ := strings.Cut(path.Dir(file), "/")
		workload, name, _ := strings.Cut(target, "-")
		want[s.word(clusterType)] = object{s.word(workload) + "-" + s.word(name): s.renamed(o.Data, "data")}
	}
	s.want = want
	return nil
}

// eachObject calls a function with the objects of a checkout, in the order of their files.
func (s *sample) eachObject(checkout fs.FS, do func(object) error) error {
	return fs.WalkDir(checkout, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".yaml" || strings.HasPrefix(file, ".github") {
			return err
		}
		var o object
		if err := read(checkout, file, &o); err != nil {
			return err
		}
		return do(o)
	})
}

// kept are the fields whose texts have a meaning in Kalypso.
var kept = []string{"apiVersion", "kind", "type", "manifests", "environment"}

// renamed replaces the texts in a value of a field.
func (s *sample) renamed(value any, field string) any {
	switch value := value.(type) {
	case string:
		switch {
		case slices.Contains(kept, field) && !strings.Contains(value, "://"):
			return value
		case field == "path" && value != ".":
			return "./" + s.name("folder", value)
		case field == "commit":
			return strings.Repeat("0123456789", 4) //nolint:mnd // a commit id has 40 digits
		case field == "path":
			return value
		}
		return s.word(value)
	case []any:
		for i := range value {
			value[i] = s.renamed(value[i], field)
		}
	case object:
		maps.DeleteFunc(value, func(_ string, v any) bool { return v == nil })
		for _, key := range slices.Sorted(maps.Keys(value)) {
			value[key] = s.renamed(value[key], key)
		}
	}
	return value
}

// word replaces a text. The environments keep their names.
func (s *sample) word(text string) string {
	switch {
	case text == "dev" || text == "stage" || text == "main":
		return text
	case strings.Contains(text, "://"):
		return "https://git.example/" + s.name("repo", text)
	}
	return s.name("name", text)
}

// expression is an expression of a template.
var expression = regexp.MustCompile(`{{-?\s*(.*?)\s*-?}}`)

// manifestLike returns a manifest that uses the expressions of some manifests, and none of their text.
func manifestLike(manifests any) string {
	text := fmt.Sprint(manifests)
	annotations, data := "", ""
	for i, found := range expression.FindAllStringSubmatch(text, -1) {
		if strings.Contains(found[1], ".ConfigData") {
			data += "data:\n{{ " + found[1] + " }}\n"
		} else {
			annotations += fmt.Sprintf("    value-%02d: \"{{ %s }}\"\n", i+1, found[1])
		}
	}
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"{{ .DeploymentTargetName }}\"\n  annotations:\n" + annotations + data
}
