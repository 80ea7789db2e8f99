// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

// HoldAtMost has a run hold less than it may.
func (s *Snapshots) HoldAtMost(bytes int64) { s.most = bytes }
