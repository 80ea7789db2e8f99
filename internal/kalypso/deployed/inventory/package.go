// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

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
// and the id of the package empty. Unreadable lists first the parts that the caller could not
// read (unread), then those that Read could not read. If a file or the Namespace could not be read,
// only the workload, the workspace and the namespace are known. No credential shows: Read skips Kubernetes
// Secrets, and writes a digest for each likely credential in values.
func Read(files map[string][]byte, unread ...string) Package {
	r := packageReader{Package: Package{Unreadable: slices.Clip(unread)}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r.file(name, files[name])
	}
	r.namespace()
	if len(r.Unreadable) == 0 {
		r.sources()
		r.values()
		r.version()
	}
	return r.Package
}

type packageReader struct {
	Package
	objects []object
	// shell is the file with the platform configuration as a script; empty without a script.
	shell string
}

func (r *packageReader) file(name string, content []byte) {
	if !IsReadable(name) {
		if stemOf(name) == platformConfigFile {
			r.shell = name
		}
		return
	}
	objects, err := objectsOf(name, content)
	if err != nil {
		r.unreadable(name, "%s", err)
	}
	r.objects = append(r.objects, objects...)
}

// unreadable records why a part of a file could not be read.
func (r *packageReader) unreadable(file, format string, args ...any) {
	r.Unreadable = append(r.Unreadable, file+": "+fmt.Sprintf(format, args...))
}

// of returns the objects of a kind, first those in files with this stem.
func (r *packageReader) of(group, kind, stem string) []object {
	all := slices.DeleteFunc(slices.Clone(r.objects), func(o object) bool { return !o.is(group, kind) })
	slices.SortStableFunc(all, func(a, b object) int {
		switch first := stemOf(a.file) == stem; {
		case first == (stemOf(b.file) == stem):
			return 0
		case first:
			return -1
		}
		return 1
	})
	return all
}

func (r *packageReader) namespace() {
	all := r.of("", "Namespace", namespaceFile)
	if len(all) == 0 {
		return
	}
	r.Namespace = all[0].name
	r.Workload, r.Workspace = all[0].text("metadata", "labels", "workload"), all[0].text("metadata", "labels", "workspace")
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
	if len(configs) == 0 {
		return
	}
	values, known := map[string]string{}, true
	for _, o := range configs {
		data, err := textsOf(o.at("data"))
		if err != nil {
			r.unreadable(o.file, "the data of the ConfigMap: %s", err)
			known = false
		}
		for _, key := range slices.Sorted(maps.Keys(data)) {
			value := credential.Shown(key, data[key])
			if before, twice := values[key]; twice && before != value {
				r.unreadable(o.file, "several ConfigMaps have the key %s", key)
				known = false
			}
			values[key] = value
		}
	}
	if known {
		r.Values = values
	}
}

func (r *packageReader) sources() {
	if r.Sources = sourcesOf(r.objects); len(r.Sources) > 0 {
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

// version reads the version in the DeploymentDescriptors or, without one, in the label of the
// Namespace. Descriptors that contradict each other are unreadable.
func (r *packageReader) version() {
	if all := r.of("", "Namespace", namespaceFile); len(all) > 0 {
		r.Version = credential.Redact(all[0].text("metadata", "labels", versionLabel))
	}
	for i, o := range r.of(hubGroup, "DeploymentDescriptor", "") {
		said := func(field string) string { return credential.Redact(o.text("spec", "workloadVersion", field)) }
		version, build, commit := said("version"), said("build"), said("commit")
		if i > 0 && (version != r.Version || build != r.Build || commit != r.Commit) {
			r.unreadable(o.file, "DeploymentDescriptors name different versions")
			r.Version, r.Build, r.Commit = "", "", ""
			return
		}
		r.Version, r.Build, r.Commit = version, build, commit
	}
}
