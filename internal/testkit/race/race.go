// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package race knows whether tests run under the race detector.
package race

// Seeds returns how many of these seeds a property test tries: all without the race detector,
// and a part with it, which takes many times as long and finds races and no further seeds.
// make test plays the long random comparisons without it, too.
func Seeds(all uint64) uint64 { return all / slower }
