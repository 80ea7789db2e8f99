// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package history reads the past and the present of the branches of environments:
//   - GitOps commits, by any author, with the commit of the control plane that each carried;
//   - the commits of that control plane, and the health that was reported on either;
//   - what runs where: the packages that those branches have now, what has changed them,
//     their health, and the present state of their sources.
//
// It reads no further than a caller asks, and never writes.
package history

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// How far histories are read, unless somebody says otherwise: DefaultSource commits of a
// source, DefaultGitOps of an environment's branch, and Most of either.
const (
	DefaultSource = 2000
	DefaultGitOps = 200
	Most          = 20_000
)

// Reader reads histories for one run.
type Reader struct {
	Snapshots *git.Snapshots
	Forges    *forge.Client
}

// How much is read of a history at first, if its beginning may be all that matters,
// and how many times as much whenever that is used up.
const (
	firstRead = 20
	growth    = 10
)

// lazily returns what hands out the elements of a history one by one. read returns the
// newest of them, so many: fewer if there are no more.
func lazily[T any](first, most int, read func(n int) ([]T, error)) func(i int) (T, bool, error) {
	var all []T
	asked := 0
	return func(i int) (T, bool, error) {
		var none T
		for len(all) <= i && len(all) == asked && asked < most {
			more := min(max(first, asked*growth), most)
			read, err := read(more)
			if err != nil {
				return none, false, err
			}
			all, asked = read, more
		}
		if len(all) <= i {
			return none, false, nil
		}
		return all[i], true, nil
	}
}
