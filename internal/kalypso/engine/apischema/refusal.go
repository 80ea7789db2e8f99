// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// group are the kinds of an API group, by version.
type group map[string][]string

// withoutSchema are kinds of Flux that have no schema here.
var withoutSchema = []string{
	"source.toolkit.fluxcd.io/v1/Bucket", "source.toolkit.fluxcd.io/v1/ExternalArtifact", "source.toolkit.fluxcd.io/v1/HelmChart",
	"source.toolkit.fluxcd.io/v1/HelmRepository", "source.toolkit.fluxcd.io/v1/OCIRepository", "helm.toolkit.fluxcd.io/v2/HelmRelease",
}

// sharedGroup is the group of Argo CD, which other projects share.
const sharedGroup = "argoproj.io"

// formerGroup is a group that Kubernetes has divided among other groups.
const formerGroup = "extensions"

// groupOf returns the group of Kubernetes that has a kind; empty for the core's and unknown kinds.
func groupOf(kind string) string {
	for name, g := range groups() {
		if isKubernetes(name+"/") && slices.Contains(g["v1"], kind) {
			return name
		}
	}
	return ""
}

// groups are the known groups, by name.
var groups = sync.OnceValue(func() map[string]group {
	all := map[string]group{}
	add := func(kind string) {
		slash := strings.LastIndex(kind, "/")
		name, version := cutVersion(kind[:slash])
		if all[name] == nil {
			all[name] = group{}
		}
		all[name][version] = append(all[name][version], kind[slash+1:])
		slices.Sort(all[name][version])
	}
	for kind := range builtin().Kinds {
		add(kind)
	}
	for _, kind := range withoutSchema {
		add(kind)
	}
	return all
})

// stable matches the versions that Kubernetes never removes.
var (
	stable      = regexp.MustCompile(`^v[1-9][0-9]*$`)
	preliminary = regexp.MustCompile(`^v[1-9][0-9]*(alpha|beta)[1-9][0-9]*$`)
)

// refusal says that a known group does not have a version, or that the version does not have a
// kind. It is empty if a cluster may have the kind, for a List, and for all other groups.
func refusal(apiVersion, kind string) Fault {
	name, version := cutVersion(apiVersion)
	if name == formerGroup && version != "" {
		name = groupOf(kind)
	}
	g, known := groups()[name]
	if !known || apiVersion == "" || kind == "" || isList(kind) || name == sharedGroup {
		return Fault{}
	}
	owner := ""
	if isKubernetes(apiVersion) {
		owner = " of Kubernetes " + KubernetesVersion()
	}
	isPreliminary := preliminary.MatchString(version)
	kinds, isVersion := g[version]
	switch {
	case slices.Contains(kinds, kind):
		return Fault{}
	case owner != "" && isPreliminary: // older clusters had it
	case isVersion:
		return Fault{What: fmt.Sprintf("the kind %s, which %s%s does not have%s", kind, apiVersion, owner, g.meant(name, kind, kinds))}
	case owner != "":
		if !slices.ContainsFunc(slices.Collect(maps.Keys(g)), stable.MatchString) {
			return Fault{} // a newer Kubernetes may add one
		}
		return Fault{What: fmt.Sprintf("the version %s, which Kubernetes %s does not have%s", apiVersion, KubernetesVersion(),
			g.meant(name, kind, nil))}
	}
	// Kubernetes and Flux no longer serve preliminary versions of kinds that have a stable version. Any
	// other version may be newer.
	meant := g.meant(name, kind, nil)
	if meant == "" || !isPreliminary {
		return Fault{}
	}
	return Fault{IsRemoved: true, What: fmt.Sprintf("the version %s, which newer releases no longer serve%s", apiVersion, meant)}
}

// meant returns the version of the group that has the kind, the newest stable one first, or else the
// nearest kind.
func (g group) meant(name, kind string, kinds []string) string {
	var having []string
	for version, kinds := range g {
		if slices.Contains(kinds, kind) {
			having = append(having, strings.TrimPrefix(name+"/"+version, "/"))
		}
	}
	if len(having) > 0 {
		slices.Sort(having)
		best := having[0]
		for _, apiVersion := range having {
			if _, version := cutVersion(apiVersion); stable.MatchString(version) {
				best = apiVersion
			}
		}
		return fmt.Sprintf(" (%s has this kind)", best)
	}
	return wording.Hint(kind, kinds)
}
