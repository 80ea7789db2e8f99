// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// The names of the files of a package, without their endings (docs/guides/semantics.md,
// section 5).
const (
	reconcilerFile     = "reconciler"
	namespaceFile      = "namespace"
	platformConfigFile = "platform-config"
)

// maxListed is how many names a sentence lists. maxReasons is how many reasons a message
// shows for unreadable parts of a package.
const (
	maxListed  = 3
	maxReasons = 20
)

// IsPackage reports whether a folder with files of these names is a package.
func IsPackage(files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		stem := stemOf(name)
		return stem == reconcilerFile || stem == namespaceFile || stem == platformConfigFile
	})
}

func stemOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// IsReadable reports whether a file of that name is one that Read reads.
func IsReadable(file string) bool {
	switch path.Ext(file) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// Read returns the content of a package from its files, by their names. It leaves the
// place and the id of the package empty. Unreadable lists the parts that Read could not
// read, after those that its caller could not read (unread), and the fields of these parts
// are empty. No credential shows: Read skips Secrets, and writes a digest for each likely
// credential in values.
func Read(files map[string][]byte, unread ...string) Package {
	r := packageReader{Package: Package{Unreadable: slices.Clip(unread)}}
	if len(unread) > 0 {
		r.Partial = everything
	}
	for _, name := range slices.SortedFunc(maps.Keys(files), CompareFiles) {
		r.file(name, files[name])
	}
	r.namespace()
	r.sources()
	r.values()
	r.descriptor()
	if more := len(r.Unreadable) - maxReasons; more > 0 {
		r.Unreadable = append(r.Unreadable[:maxReasons], fmt.Sprintf("and %d more", more))
	}
	return r.Package
}

// CompareFiles orders the names of files of a package: those that packages are known by
// come first.
func CompareFiles(a, b string) int {
	switch first := IsPackage([]string{a}); {
	case first == IsPackage([]string{b}):
		return strings.Compare(a, b)
	case first:
		return -1
	}
	return 1
}

// packageReader reads the objects of one package.
type packageReader struct {
	Package
	objects []object
	// shell is the file with the platform configuration as a script; empty for none.
	shell string
}

// file adds the objects of a file.
func (r *packageReader) file(name string, content []byte) {
	if !IsReadable(name) {
		if stemOf(name) == platformConfigFile {
			r.shell = name
		}
		return
	}
	switch objects, err := objectsOf(name, content); {
	case err != nil:
		r.lost(name, "%s", err)
	case len(r.objects)+len(objects) > maxObjects:
		r.lost(name, "more than %d objects, with those of other files", maxObjects)
	default:
		r.objects = append(r.objects, objects...)
	}
}

// everything is all the parts that are partial if a whole file could not be read.
var everything = Partial{Workload: true, Sources: true, Values: true}

// lost notes why nothing of a file could be read.
func (r *packageReader) lost(file, format string, args ...any) {
	r.unreadable(file, format, args...)
	r.Partial = everything
}

// unreadable notes why something of a file could not be read.
func (r *packageReader) unreadable(file, format string, args ...any) {
	r.Unreadable = append(r.Unreadable, file+": "+fmt.Sprintf(format, args...))
}

// of returns the objects of a kind, those in files of that name first.
func (r *packageReader) of(group, kind, stem string) []object {
	var first, others []object
	for _, o := range r.objects {
		switch {
		case !o.is(group, kind):
		case stemOf(o.file) == stem:
			first = append(first, o)
		default:
			others = append(others, o)
		}
	}
	return append(first, others...)
}

// namespace reads the labels of the first Namespace. A DeploymentDescriptor goes before its
// version.
func (r *packageReader) namespace() {
	all := r.of("", "Namespace", namespaceFile)
	if len(all) == 0 {
		return
	}
	if line := odd(all[0].node, "metadata", "labels"); line != "" {
		r.unreadable(all[0].file, "the Namespace has labels that are not valid%s", line)
		r.Partial.Workload = true
	}
	r.Namespace = all[0].name
	r.Workload, r.Workspace = all[0].text("metadata", "labels", "workload"), all[0].text("metadata", "labels", "workspace")
	r.Version = credential.Redact(all[0].text("metadata", "labels", versionLabel))
}

// versionLabel is Kubernetes' own label for the version of an application.
const versionLabel = "app.kubernetes.io/version"

// values reads the ConfigMaps with platform values: those of the file for them, or else
// those with the name for them. If one of them cannot be read, nothing is known, because
// the missing values would count as a difference.
func (r *packageReader) values() {
	configs := slices.DeleteFunc(r.of("", "ConfigMap", platformConfigFile),
		func(o object) bool { return stemOf(o.file) != platformConfigFile })
	if len(configs) == 0 {
		configs = slices.DeleteFunc(r.of("", "ConfigMap", ""), func(o object) bool { return o.name != platformConfigFile })
	}
	if len(configs) == 0 && r.shell != "" {
		r.unreadable(r.shell, "no ConfigMap, but a file of another type")
	}
	several, known := map[string]bool{}, true
	for _, o := range configs {
		data, err := textsOf(o.at("data"))
		if err == nil && len(r.Values)+len(data) > maxValues {
			err = fmt.Errorf("more than %d values, with those of others", maxValues)
		}
		if err != nil {
			r.unreadable(o.file, "the data of the ConfigMap: %s", err)
			known = false
			continue
		}
		if r.Values == nil {
			r.Values = make(map[string]string, len(data))
		}
		for _, key := range slices.Sorted(maps.Keys(data)) {
			if _, twice := r.Values[key]; twice {
				r.unreadable(o.file, "several ConfigMaps have the key %s", key)
				several[key], r.Partial.Values = true, true
			}
			r.Values[key] = credential.Shown(key, data[key])
		}
	}
	maps.DeleteFunc(r.Values, func(key, _ string) bool { return several[key] })
	if !known {
		r.Values = nil
	}
}

// descriptor reads the version of a DeploymentDescriptor.
func (r *packageReader) descriptor() {
	version, ok, err := versionIn(r.objects)
	if err != nil {
		r.Unreadable = append(r.Unreadable, err.Error())
	}
	if ok {
		r.Version, r.Build, r.Commit = version.Version, version.Build, version.Commit
	}
}

// sources reads the sources that reconcilers fetch.
func (r *packageReader) sources() {
	found, errs := sourcesOf(r.objects)
	for _, err := range errs {
		r.Unreadable = append(r.Unreadable, err.Error())
	}
	r.Sources = found
	r.Partial.Sources = r.Partial.Sources || len(errs) > 0
	if len(found) > 0 || len(errs) > 0 {
		return
	}
	kinds := map[string]bool{}
	file := ""
	for _, o := range r.objects {
		if stemOf(o.file) == reconcilerFile && o.kind != "" {
			file, kinds[o.kind] = o.file, true
		}
	}
	if file != "" {
		r.unreadable(file, "no object of a kind that names a source is known in it, but %s",
			wording.First(slices.Sorted(maps.Keys(kinds)), maxListed))
	}
}
