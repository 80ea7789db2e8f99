// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Allowance is how much one server may say, from one step of a conversation to the
// next. It may be used by many goroutines at once: a connection is read ahead.
type Allowance struct {
	name string // whom we talk to

	mu    sync.Mutex
	what  string
	bytes int64
	taken int64
	spent error
}

// NewAllowance makes an allowance for a server, which messages call name. Nothing is
// allowed yet.
func NewAllowance(name string) *Allowance { return &Allowance{name: name} }

// Allow lets the server send that many bytes from now on; what is said to be too
// much otherwise: "the list of its references".
func (a *Allowance) Allow(what string, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.what, a.bytes, a.taken = what, bytes, 0
}

// Take counts bytes that the server has sent. Errors: KindTooLarge where they are
// more than allowed, and ever after.
func (a *Allowance) Take(n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken += int64(n); a.taken > a.bytes && a.spent == nil {
		a.spent = &Error{Kind: KindTooLarge, Message: fmt.Sprintf(
			"%s sends more than %s as %s, which is not read. Check that the URL is right, and ask those who run the server", a.name,
			Size(a.bytes), a.what)}
	}
	return a.spent
}

// Taken returns how many bytes the server has sent since it was last allowed some.
func (a *Allowance) Taken() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.taken
}

// Explain returns why the server was not listened to any more, if that is what
// came of err: libraries drop the error of a reader, or only keep its text.
func (a *Allowance) Explain(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && a.spent != nil {
		return a.spent
	}
	return err
}

// reader reads from r what the allowance has room for.
func (a *Allowance) reader(r io.Reader) io.Reader { return &allowedReader{r, a} }

type allowedReader struct {
	r         io.Reader
	allowance *Allowance
}

func (r *allowedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if spent := r.allowance.Take(n); spent != nil {
		return 0, spent
	}
	return n, err
}

type allowanceKey struct{}

// With returns a context in which answers over HTTP use up the allowance.
func (a *Allowance) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, allowanceKey{}, a)
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
