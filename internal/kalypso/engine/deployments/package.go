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

// maxReasons is how many reasons a message shows for the unreadable parts of a package.
const maxReasons = 20

// IsPackage reports whether a folder with files of these names is a package.
func IsPackage(files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		stem := stemOf(name)
		return stem == reconcilerFile || stem == namespaceFile || stem == platformConfigFile
	})
}

func stemOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// IsReadable reports whether Read reads a file with this name.
func IsReadable(file string) bool {
	switch path.Ext(file) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// Read returns the content of a package from its files, by their names. It leaves the place
// and the id of the package empty. Unreadable lists first the parts that the caller could
// not read (unread), then those that Read could not read. The fields of these parts are
// empty. No credential shows: Read skips Kubernetes Secrets, and writes a digest for each
// likely credential in values.
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

// CompareFiles sorts the names of files of a package. The files that make a folder a package
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

type packageReader struct {
	Package
	objects []object
	// shell is the file with the platform configuration as a script; empty without a script.
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
		r.lost(name, "more than %d objects in all files", maxObjects)
	default:
		r.objects = append(r.objects, objects...)
	}
}

// everything is the parts that are partial if a whole file could not be read.
var everything = Partial{Workload: true, Sources: true, Values: true}

// lost records why a whole file could not be read.
func (r *packageReader) lost(file, format string, args ...any) {
	r.unreadable(file, format, args...)
	r.Partial = everything
}

// unreadable records why a part of a file could not be read.
func (r *packageReader) unreadable(file, format string, args ...any) {
	r.Unreadable = append(r.Unreadable, file+": "+fmt.Sprintf(format, args...))
}

// of returns the objects of a kind, first those in files with this stem.
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

// namespace reads the name and the labels of the first Namespace. The version of a
// DeploymentDescriptor replaces the version here.
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

const versionLabel = "app.kubernetes.io/version"

// values reads the ConfigMaps with platform values, found by their file or otherwise by
// their name. If one ConfigMap cannot be read, all values are unknown, because missing
// values would count as a difference.
func (r *packageReader) values() {
	configs := slices.DeleteFunc(r.of("", "ConfigMap", platformConfigFile),
		func(o object) bool { return stemOf(o.file) != platformConfigFile })
	if len(configs) == 0 {
		configs = slices.DeleteFunc(r.of("", "ConfigMap", ""), func(o object) bool { return o.name != platformConfigFile })
	}
	if len(configs) == 0 && r.shell != "" {
		r.unreadable(r.shell, "the file is not a ConfigMap")
	}
	several, known := map[string]bool{}, true
	for _, o := range configs {
		data, err := textsOf(o.at("data"))
		if err == nil && len(r.Values)+len(data) > maxValues {
			err = fmt.Errorf("more than %d values in all ConfigMaps", maxValues)
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
		r.unreadable(file, "no object of a known kind names a source; the file contains %s",
			wording.First(slices.Sorted(maps.Keys(kinds)), wording.MaxListed))
	}
}

// hubGroup is the API group of Kalypso's Observability Hub.
const hubGroup = "hub.kalypso.io"

// Version is the version of a workload that some manifests belong to.
type Version struct{ Version, Build, Commit string }

// versionIn returns the version in the DeploymentDescriptors among objects, and whether any exists.
// Errors: descriptors contradict each other.
func versionIn(objects []object) (found Version, ok bool, err error) {
	for _, o := range objects {
		if !o.is(hubGroup, "DeploymentDescriptor") {
			continue
		}
		if line := odd(o.node, "spec", "workloadVersion"); line != "" {
			return Version{}, false, fmt.Errorf("%s: the DeploymentDescriptor has no readable workloadVersion%s", o.file, line)
		}
		said := func(field string) string { return credential.Redact(o.text("spec", "workloadVersion", field)) }
		v := Version{said("version"), said("build"), said("commit")}
		if ok && v != found {
			return Version{}, false, fmt.Errorf("%s: DeploymentDescriptors name different versions", o.file)
		}
		found, ok = v, true
	}
	return found, ok, nil
}
