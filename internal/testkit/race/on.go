// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build race

package race

// slower is about how many times as long a test takes under the race detector.
const slower = 8
