// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import "time"

// Bounds of a source, so that one source holds nobody else up.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
	// maxEntries is how many names are looked at to find the files.
	maxEntries = 1_000_000
	// maxPath is how long a path may get, and so how deep folders may nest.
	maxPath = 4096
	// maxIgnoreBytes is how much all ignore files may hold together, and maxMatches their patterns times
	// the files. A hundred patterns for 20,000 files are half of it.
	maxIgnoreBytes = 8 << 10
	maxMatches     = 4_000_000
)

// Bounds of a source of another team.
const (
	// maxTargets is how many deployment targets a file may have.
	maxTargets = 1000
	// sourceTime is how long its server may take for one reading.
	sourceTime = 30 * time.Second
)

// maxNamed problems of a file are in its note, and objects or places in a message.
const maxNamed = 10
