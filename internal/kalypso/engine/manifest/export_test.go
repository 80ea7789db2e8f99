// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// Kinds are all kinds, so that tests miss none.
var Kinds = func() []Kind {
	var all []Kind
	for _, k := range Table {
		all = append(all, k.Kind)
	}
	return all
}()
