// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
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
		d.Leave = append(d.Leave, engine.TrackingFile)
	}
	return d
}

// rendered returns what a result puts into a location, by paths from the
// repository's root: the cluster types' folders, and the promoted commit's file.
func rendered(loc git.Location, result *engine.Result) map[string]tree.Entry {
	paths := make(map[string]tree.Entry, len(result.Folders)+1)
	for name, dir := range result.Folders {
		paths[loc.Join(name)] = tree.Subdir(name, dir)
	}
	if result.Tracking != nil {
		paths[engine.TrackingFile] = tree.File(engine.TrackingFile, result.Tracking)
	}
	return paths
}
