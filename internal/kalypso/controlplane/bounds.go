// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import "time"

// Limits of one source.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
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
