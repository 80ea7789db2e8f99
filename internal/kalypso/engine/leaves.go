// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// Leaves returns the values of an assignment's platform configuration, and which
// ConfigMaps they come from; none where only placing was asked for.
func (r *Result) Leaves(a *placement.Assignment) []composition.Leaf {
	if r.composer == nil {
		return nil
	}
	return r.composer.Compose(a).Leaves()
}
