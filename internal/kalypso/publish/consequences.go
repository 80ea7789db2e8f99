// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// compared returns the change with the files that it changes, and with what that does to clusters. The branch was
// read with the files that differ.
func (c Change) compared() Change {
	same, was, now, folders := map[string]tree.Entry{}, map[string]tree.Entry{}, map[string]tree.Entry{}, map[string]*tree.Dir{}
	for _, key := range slices.Concat(c.Wanted.Content.Keys(), c.Decision.Removed) {
		at := record.PathOf(c.Wanted.Location, key)
		edit, isWritten := c.Decision.Edits[at]
		if !isWritten {
			continue
		}
		if now[at], folders[key] = edit, edit.Dir; !git.Writes(edit) {
			now[at], folders[key] = tree.Entry{}, nil
		}
		if c.Seen.Content[key].Mode != "" {
			same[at] = c.Wanted.Content[key]
		}
	}
	for _, d := range c.Seen.Differences {
		for above := d.Path; above != "."; above = path.Dir(above) {
			if _, isOurs := now[above]; isOurs {
				was[d.Path] = d.Found
			}
		}
	}
	none, root := tree.FromEntries(nil), c.Wanted.Location.Join("")
	c.Files = diff.Trees(none.With(same).With(was), none.With(now))
	for i, file := range c.Files {
		key := strings.TrimPrefix(file.Path, strings.TrimPrefix(root+"/", "/"))
		clusterType, _, _ := strings.Cut(key, "/")
		_, isOurs := folders[clusterType]
		c.Files[i].Beside = !isOurs || !engine.IsPackage(key)
	}
	c.Consequences, c.Unread = consequence.Compare(consequence.Change{Files: c.Files, Root: root, Folders: folders, Template: c.template})
	return c
}

// Consequences returns what clusters do if one fleet takes the place of another, as findings. The folder of a cluster
// type that has left the fleet is emptied, as by default.
func Consequences(before, after *engine.Result) []findings.Finding {
	old, now, folders := []tree.Entry{}, []tree.Entry{}, maps.Clone(after.Folders)
	for name, folder := range before.Folders {
		old = append(old, tree.Subdir(name, folder))
		if folders[name] == nil {
			folders[name] = tree.FromEntries(nil)
		}
	}
	for name, folder := range folders {
		now = append(now, tree.Subdir(name, folder))
	}
	found, _ := consequence.Compare(consequence.Change{Files: diff.Trees(tree.FromEntries(old), tree.FromEntries(now)),
		Folders: folders, Template: Change{Result: after}.template})
	return consequence.Findings(found)
}

// template names the template that renders a file; empty for the built-in one, and if the cluster
// type has left the fleet.
func (c Change) template(clusterType, file string) string {
	if c.Result == nil {
		return ""
	}
	ct, found := c.Result.Fleet.ClusterType(clusterType)
	if !found {
		return ""
	}
	return findings.TemplateOf(ct, file)
}

// deleting returns the packages whose data clusters delete, sorted.
func (c Change) deleting() (keys []string) {
	for _, one := range c.Consequences {
		if one.Word == consequence.Deletes {
			keys = append(keys, one.ClusterType+"/"+one.Target)
		}
	}
	return wording.Sorted(keys)
}
