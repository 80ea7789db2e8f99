// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package v1helpers puts errors together.
package v1helpers

import "errors"

// NewMultiLineAggregate puts errors together, one a line; nil if there is none.
func NewMultiLineAggregate(all []error) error { return errors.Join(all...) }
