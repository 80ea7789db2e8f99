// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Allowance limits how many bytes one server may send as one answer. Many goroutines may use it
// at the same time, because a connection is read ahead.
type Allowance struct {
	name  string // of the server
	bytes int64
	taken atomic.Int64
}

// NewAllowance lets a server send this number of bytes as an answer. The name of the server is
// for messages.
func NewAllowance(name string, bytes int64) *Allowance { return &Allowance{name: name, bytes: bytes} }

// Begin begins another answer.
func (a *Allowance) Begin() { a.taken.Store(0) }

// Taken returns how many bytes of the present answer the server has sent.
func (a *Allowance) Taken() int64 { return a.taken.Load() }

// Take counts bytes that the server has sent. Errors: KindTooLarge if the server has sent more
// than allowed.
func (a *Allowance) Take(n int) error {
	if a.taken.Add(int64(n)) <= a.bytes {
		return nil
	}
	return Errorf(KindTooLarge, "%s sends more than %s as an answer, which is not read. Check that the URL is right, and ask the "+
		"server's operators", a.name, Size(a.bytes))
}

// Explain returns the error of Take if that error is the reason for err, because libraries
// drop the error of a reader, or keep only its text.
func (a *Allowance) Explain(err error) error {
	if spent := a.Take(0); err != nil && spent != nil {
		return spent
	}
	return err
}

// Reader returns a reader of r that fails after more bytes than allowed.
func (a *Allowance) Reader(r io.Reader) io.Reader { return &allowedReader{r, a} }

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

// Size formats a number of bytes for people.
func Size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

const (
	// maxAnswer is the limit for an answer without an Allowance.
	maxAnswer = 64 << 20
	// maxErrorBody is how many bytes of an unsuccessful answer are read: it has only a message.
	maxErrorBody = 64 << 10
)

// Bound returns an HTTP transport that limits the answers of servers: by the Allowance of a
// request's context, or to 64 MiB. Bytes count as net/http unpacks them. It reads only the
// beginning of an unsuccessful answer. A nil transport stands for net/http's default.
func Bound(way http.RoundTripper) http.RoundTripper {
	if way == nil {
		way = http.DefaultTransport
	}
	return bounded{way}
}

type bounded struct{ way http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.way.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	reader := io.LimitReader(response.Body, maxErrorBody)
	if response.StatusCode < http.StatusMultipleChoices {
		allowance, given := request.Context().Value(allowanceKey{}).(*Allowance)
		if !given {
			allowance = NewAllowance(request.URL.Host, maxAnswer)
		}
		reader = allowance.Reader(response.Body)
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{reader, response.Body}
	return response, nil
}

// Within returns a context that ends after a time. Then the error of Ended says so.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, late(limit))
}

// late is the cause of the end of a context of Within.
type late time.Duration

func (l late) Error() string { return fmt.Sprintf("did not answer within %s", time.Duration(l)) }
