// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import "time"

// Limits of one source.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
	// maxEntries is how many names are looked at to find the files.
	maxEntries = 1_000_000
	// maxPath is how many bytes a path may have. It limits the depth of folders too.
	maxPath = 4096
	// maxIgnoreBytes is how many bytes all ignore files may have together. maxMatches limits the number
	// of their patterns times the number of files: 200 patterns for 20,000 files.
	maxIgnoreBytes = 8 << 10
	maxMatches     = 4_000_000
)

// Limits of a source of another team.
const (
	// maxTargets is how many deployment targets the files of a registration may have together.
	maxTargets = 1000
	// sourceTime is how long its server may take for one reading.
	sourceTime = 30 * time.Second
)

// maxNamed is how many problems a note has, and how many objects or documents a message lists.
const maxNamed = 10
