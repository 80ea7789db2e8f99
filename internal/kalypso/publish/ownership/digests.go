// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// KeyOf returns the key of a path in digests: the folder's name for folders of the location,
// and the path itself for all other paths.
func KeyOf(loc git.Location, path string) string {
	if engine.IsOwnedFile(path) {
		return path
	}
	if below, ok := strings.CutPrefix(path, loc.Join("")+"/"); ok {
		return below
	}
	return path
}

// AddDigests adds the digests of the packages at a path, if the path has packages.
func AddDigests(d engine.Digests, loc git.Location, detail engine.Detail, path string, found *git.Found) {
	key := KeyOf(loc, path)
	if IsRecord(path) || IsEmptied(found) {
		return // a path without packages
	}
	if found.Mode == tree.ModeDir {
		d.AddFolder(detail, key, found.ID, found.Entries)
		return
	}
	d[key] = found.ID.Short()
}

// DigestsOf returns the digests of the found content.
func DigestsOf(found map[string]*git.Found, loc git.Location, detail engine.Detail) engine.Digests {
	d := engine.Digests{}
	for path, f := range found {
		AddDigests(d, loc, detail, path, f)
	}
	return d
}

// KeysOf returns the names of folders of a location, sorted.
func KeysOf(loc git.Location, paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = KeyOf(loc, path)
	}
	return wording.Sorted(names)
}

// NamedPackages returns the packages of an inventory. If the inventory knows only cluster
// types, they are the packages that were protected at the last apply.
func (inv *Inventory) NamedPackages() engine.Digests {
	if inv.Detail != engine.DetailClusterType {
		return inv.Packages
	}
	noted := engine.Digests{}
	for _, key := range inv.Guard.Protected {
		noted[key] = "?"
	}
	return noted
}

// ClusterTypes returns the digests of the location's content by cluster type, and those of
// owned files.
func (inv *Inventory) ClusterTypes() engine.Digests {
	d := engine.Digests{}
	for path, object := range inv.Owned {
		if !object.ID.IsZero() {
			d[KeyOf(inv.Location, path)] = object.ID.Short()
		}
	}
	return d
}
