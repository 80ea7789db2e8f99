// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import "time"

// SetSourceTime replaces the time that a server of another team has.
func (l *Loader) SetSourceTime(limit time.Duration) { l.sourceTime = limit }
