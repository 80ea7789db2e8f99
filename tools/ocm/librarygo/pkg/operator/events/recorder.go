// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package events names what nothing is told to here.
package events

// Recorder is told of events.
type Recorder interface{}
