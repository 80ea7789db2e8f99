// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package v1helpers joins errors.
package v1helpers

import "errors"

// NewMultiLineAggregate joins errors, one per line. It returns nil for no errors.
func NewMultiLineAggregate(all []error) error { return errors.Join(all...) }
