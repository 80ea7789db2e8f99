// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Detail says how finely digests tell a repository's content apart.
type Detail string

// The levels of detail.
const (
	// DetailPackage has a digest for every entry of a cluster type's folder:
	// <cluster type>/<deployment target>, and <cluster type>/README.md.
	DetailPackage Detail = "package"
	// DetailClusterType has one digest for each cluster type, for very large fleets.
	DetailClusterType Detail = "cluster_type"
)

// Digests name the content of our part of a repository: a key for each part, a
// short digest for its content. Comparing two of them is comparing repositories.
type Digests map[string]string

// AddFolder adds the digests of a cluster type's folder.
func (d Digests) AddFolder(detail Detail, name string, id tree.ID, entries []tree.Entry) {
	if detail == DetailClusterType {
		d[name] = id.Short()
		return
	}
	for _, e := range entries {
		digest := e.ID.Short()
		if e.Mode != tree.ModeDir && e.Mode != tree.ModeFile {
			digest = string(e.Mode) + ":" + digest // we write no such entries, so it has to differ
		}
		d[name+"/"+e.Name] = digest
	}
}

// Packages returns the digests of packages, without those of other files.
func (d Digests) Packages() Digests { return d.only(IsPackage) }

// Below returns the digests of the folders of some cluster types, and Beside returns the others.
func (d Digests) Below(folders []string) Digests {
	return d.only(func(key string) bool { return slices.Contains(folders, top(key)) })
}

// Beside is the rest of Below.
func (d Digests) Beside(folders []string) Digests {
	return d.only(func(key string) bool { return !slices.Contains(folders, top(key)) })
}

func (d Digests) only(fits func(key string) bool) Digests {
	some := maps.Clone(d)
	maps.DeleteFunc(some, func(key, _ string) bool { return !fits(key) })
	return some
}

func top(key string) string {
	name, _, _ := strings.Cut(key, "/")
	return name
}

// Differing returns the keys that lead from these digests to others, sorted.
func (d Digests) Differing(to Digests) []string {
	all := Digests{}
	maps.Copy(all, d)
	maps.Copy(all, to)
	maps.DeleteFunc(all, func(key, _ string) bool { return d[key] == to[key] })
	return slices.Sorted(maps.Keys(all))
}

// Summary returns one line that says how these digests differ from others: "+2 ~1 -0
// packages in 2 cluster types". It counts files beside the packages only if nothing else
// changes.
func (d Digests) Summary(to Digests, detail Detail) string {
	var packages, others counts
	clusterTypes := map[string]bool{}
	for _, key := range d.Differing(to) {
		n := &others
		if IsPackage(key) {
			n = &packages
			clusterTypes[top(key)] = true
		}
		_, existed := d[key]
		_, stays := to[key]
		switch {
		case !existed:
			n.added++
		case !stays:
			n.removed++
		default:
			n.changed++
		}
	}
	switch {
	case packages == counts{} && others != counts{}:
		return "no package changes; " + others.String() + " other files"
	case detail == DetailClusterType:
		return packages.String() + " cluster types"
	}
	return fmt.Sprintf("%s packages in %s", packages, wording.Count(len(clusterTypes), "cluster type"))
}

// IsPackage reports whether a key is that of a package, and not that of a cluster
// type's README.md or of a file beside the folders.
func IsPackage(key string) bool {
	return !strings.HasPrefix(key, "./") && key != PromotedCommitFile && !strings.HasSuffix(key, "/"+ReadmeFile)
}

type counts struct{ added, changed, removed int }

func (c counts) String() string { return fmt.Sprintf("+%d ~%d -%d", c.added, c.changed, c.removed) }
