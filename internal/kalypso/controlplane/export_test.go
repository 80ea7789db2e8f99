// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import "time"

// SetFirstByte replaces the time that a server of another team may stay silent.
func (l *Loader) SetFirstByte(limit time.Duration) { l.firstByte = limit }
