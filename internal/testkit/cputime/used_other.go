// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package cputime

import "time"

// Used returns zero: benchmarks run on unix.
func Used() time.Duration { return 0 }
