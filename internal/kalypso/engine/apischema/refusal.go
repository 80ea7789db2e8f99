// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// refusing returns a schema that refuses every object; nil if refusal is empty.
func refusing(refusal, by string) *Schema {
	if refusal == "" {
		return nil
	}
	return &Schema{by: by, refusal: refusal}
}

// definitionRefusal says that a CustomResourceDefinition does not serve a version.
func definitionRefusal(d *manifest.CustomResourceDefinition, apiVersion, version string) string {
	does := "does not have"
	var served []string
	for _, v := range d.Versions {
		if v.Name == version {
			does = "does not serve"
		}
		if v.IsServed {
			served = append(served, v.Name)
		}
	}
	refusal := fmt.Sprintf("the version %s, which its CustomResourceDefinition %s", apiVersion, does)
	if len(served) > 0 {
		refusal += fmt.Sprintf(" (it serves %s)", strings.Join(served, ", "))
	}
	return refusal
}

// group are the kinds of one of Kubernetes' own groups, by version.
type group map[string][]string

// groups are Kubernetes' own groups, by name.
var groups = sync.OnceValue(func() map[string]group {
	all := map[string]group{}
	for key := range kubernetes().Kinds {
		slash := strings.LastIndex(key, "/")
		name, version := cutVersion(key[:slash])
		if all[name] == nil {
			all[name] = group{}
		}
		all[name][version] = append(all[name][version], key[slash+1:])
	}
	for _, g := range all {
		for _, kinds := range g {
			slices.Sort(kinds)
		}
	}
	return all
})

// stable matches the versions that Kubernetes never removes. preliminary matches versions
// that an older cluster may serve although this package does not know them.
var (
	stable      = regexp.MustCompile(`^v[1-9][0-9]*$`)
	preliminary = regexp.MustCompile(`^v[1-9][0-9]*(alpha|beta)[1-9][0-9]*$`)
)

// kubernetesRefusal says that a group of Kubernetes itself does not have this version, or
// that the version does not have this kind. It returns "" if a cluster may have the kind,
// for a List, and for all other groups.
func kubernetesRefusal(apiVersion, kind string) string {
	name, version := cutVersion(apiVersion)
	g, known := groups()[name]
	if !known || apiVersion == "" || kind == "" || isList(kind) || preliminary.MatchString(version) {
		return ""
	}
	if kinds, known := g[version]; known {
		return fmt.Sprintf("the kind %s, which %s of Kubernetes %s does not have%s", kind, apiVersion, KubernetesVersion(),
			g.meant(name, kind, kinds))
	}
	if g.isPreliminary() {
		return ""
	}
	return fmt.Sprintf("the version %s, which Kubernetes %s does not have%s", apiVersion, KubernetesVersion(), g.meant(name, kind, nil))
}

// isPreliminary reports whether a group has no stable version: a newer Kubernetes may add
// one.
func (g group) isPreliminary() bool {
	for version := range g {
		if stable.MatchString(version) {
			return false
		}
	}
	return true
}

// meant returns the version of the group that has the kind, or else the nearest kind.
func (g group) meant(name, kind string, kinds []string) string {
	var having []string
	for version, kinds := range g {
		if slices.Contains(kinds, kind) {
			having = append(having, strings.TrimPrefix(name+"/"+version, "/"))
		}
	}
	if len(having) > 0 {
		slices.Sort(having)
		return fmt.Sprintf(" (%s has this kind)", having[0])
	}
	return wording.Hint(kind, kinds)
}
