// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"context"
	"errors"
	"hash/maphash"
)

// maxWork is how many sources a decision compares or copies at most. Three environments with 200
// GitOps commits and 300 sources each need a fifth of it. Only environments that follow very
// different sources can need all of it.
const maxWork = 10_000_000

// errTooMuch ends a decision that compares too many sources.
var errTooMuch = errors.New("too many combinations of sources")

// work counts how many sources a decision has compared or copied, and how many it may. check ends
// the decision.
type work struct {
	ctx        context.Context
	done, most int
}

// check returns an error if the decision has to end.
func (w *work) check() error {
	if w.done > w.most {
		return errTooMuch
	}
	return w.ctx.Err()
}

// digest identifies the names of sources, and sources with their commits.
type digest struct{ names, all uint64 }

// seed makes digests that nobody can foresee.
var seed = maphash.MakeSeed()

// digestOf does not depend on the order of sources.
func digestOf(sources Sources) digest {
	var d digest
	var h maphash.Hash
	h.SetSeed(seed)
	for name, commit := range sources {
		h.Reset()
		_, _ = h.WriteString(name)
		d.names += h.Sum64()
		_, _ = h.WriteString("\n" + commit)
		d.all += h.Sum64()
	}
	return d
}

// agree is one.agree(other), and counts.
func (w *work) agree(one, other Sources) bool {
	done, agreed := one.compare(other)
	w.done += done + 1
	return agreed
}
