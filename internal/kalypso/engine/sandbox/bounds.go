// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "time"

// The bounds of templates. The platform team writes templates, so the bounds stop mistakes.
const (
	// MaxTime is how long rendering one package may take.
	MaxTime = 10 * time.Second
	// maxOutput is how many bytes the output of one package may have, counting each rendering.
	maxOutput = 16 << 20
)
