// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Patience limits how long the server of one source may take, whatever time the operation has. The
// time in which nobody asks the server does not count, such as that in a queue.
type Patience struct {
	// FirstByte limits the time until the server sends anything, and All the time of all pieces of
	// work together.
	FirstByte, All time.Duration

	heard atomic.Bool
	used  time.Duration // by earlier pieces of work
}

type patienceKey struct{}

// With returns a context in which work has these limits. The pieces of work come one after the other.
func (p *Patience) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, p)
}

// impatience is the cause of the end of a context whose Patience is over. It says what the server did.
type impatience string

func (i impatience) Error() string { return "the server " + string(i) }

// Work begins a piece of work, whose context ends with the Patience of ctx, if it has one. The caller
// calls done at the end.
func Work(ctx context.Context) (limited context.Context, done func()) {
	p, ok := ctx.Value(patienceKey{}).(*Patience)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	begin := time.Now()
	first := time.AfterFunc(p.FirstByte, func() {
		if !p.heard.Load() {
			cancel(impatience(fmt.Sprintf("sent nothing within %s", p.FirstByte)))
		}
	})
	all := time.AfterFunc(p.All-p.used, func() { cancel(impatience(fmt.Sprintf("took more than %s", p.All))) })
	return ctx, func() {
		first.Stop()
		all.Stop()
		cancel(nil)
		p.used += time.Since(begin)
	}
}

// Heard notes that the server of the work has sent something.
func Heard(ctx context.Context) {
	if p, ok := ctx.Value(patienceKey{}).(*Patience); ok {
		p.heard.Store(true)
	}
}
