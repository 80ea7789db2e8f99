// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package events has an empty Recorder: the tests record no events.
package events

// Recorder records no events.
type Recorder interface{}
