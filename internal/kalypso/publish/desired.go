// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Desired is what somebody wants to stand at a location.
type Desired struct {
	Location git.Location
	// Paths are the files and folders that have to stand there, completely, by their
	// paths from the repository's root.
	Paths map[string]tree.Entry
	// Leave are paths that are left to others, whoever they belonged to.
	Leave []string
	// Exclusive wants nothing else there but folders that start with a dot.
	Exclusive bool
	// Propose has changes proposed by a pull request.
	Propose bool
}

// desired returns what the settings want, of what their fleet renders.
func (s *Settings) desired(loc git.Location, result *engine.Result) Desired {
	d := Desired{Location: loc, Paths: rendered(loc, result), Exclusive: s.Exclusive, Propose: s.Request != nil}
	if s.Fleet.PromotedCommit != nil && *s.Fleet.PromotedCommit == "" {
		d.Leave = append(d.Leave, engine.PromotedCommitFile)
	}
	return d
}

// check says what cannot stand there: a folder with an owned file in it, which
// would be two owners of one file.
func (d Desired) check() []Message {
	var wrong []Message
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, file := range engine.OwnedFiles {
			if _, owned := d.Paths[file]; owned && strings.HasPrefix(file, path+"/") {
				wrong = append(wrong, Message{Setting: "path", Summary: "A folder would hold the promoted commit's file", Detail: fmt.Sprintf(
					"The folder %s of a cluster type belongs to this resource as a whole, and the file %s lies in it. Write below another path, rename the cluster type, or leave the file alone with promoted_commit = \"\".", path, file)})
			}
		}
	}
	return wrong
}

// rendered returns what a result puts into a location, by paths from the
// repository's root: the cluster types' folders, and the promoted commit's file.
func rendered(loc git.Location, result *engine.Result) map[string]tree.Entry {
	paths := make(map[string]tree.Entry, len(result.Folders)+1)
	for name, dir := range result.Folders {
		paths[loc.Join(name)] = tree.Subdir(name, dir)
	}
	for path, content := range result.OwnedFiles {
		paths[path] = tree.File(path, content)
	}
	return paths
}
