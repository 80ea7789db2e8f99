// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"

// Trees returns what leads from a directory to another, sorted by path. Either may
// hold files and directories of which only the id is known. Cost: what is equal is
// not looked into.
func Trees(from, to *tree.Dir) []Change { return sorted(appendDirs(nil, "", from, to)) }
