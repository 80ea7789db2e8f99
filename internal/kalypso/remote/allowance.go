// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
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

// Reader reads from r what the allowance has room for.
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

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

const (
	// maxAnswer is how large an answer may be that no Allowance is for.
	maxAnswer = 64 << 20
	// maxErrorBody is how much is read of an answer without success: it has only a
	// message.
	maxErrorBody = 64 << 10
)

// Bound returns an HTTP transport on which no server sends more than it may: by the
// Allowance of a request's context, else 64 MiB. Of an answer without success, it reads
// only the beginning. Answers come without decoding: an answer in another encoding than
// requested may unpack to any size, and is an error. Each answer counts for so many bytes more
// than it has. A nil transport is that of net/http.
func Bound(way http.RoundTripper, each int) http.RoundTripper {
	if way == nil {
		way = http.DefaultTransport
	}
	return bounded{way, each}
}

type bounded struct {
	way  http.RoundTripper
	each int
}

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Accept-Encoding", "identity") // also keeps net/http from unpacking by itself
	response, err := b.way.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	encoded := slices.ContainsFunc(response.Header.Values("Content-Encoding"), func(v string) bool { return v != "" && v != "identity" })
	switch failed := response.StatusCode >= http.StatusMultipleChoices; {
	case failed && encoded: // the status says enough
		_ = response.Body.Close()
		response.Body = http.NoBody
	case failed:
		response.Body = body{io.LimitReader(response.Body, maxErrorBody), response.Body}
	case encoded:
		_ = response.Body.Close()
		return nil, &Error{Kind: KindServer, Message: fmt.Sprintf(
			"%s sends its answer compressed (Content-Encoding: %s), although it was asked not to. It is not unpacked, since it could become "+
				"too large. Ask those who run the server, or a proxy before it, to send answers as they are",
			request.URL.Host, Words(response.Header.Get("Content-Encoding")))}
	default:
		allowance := b.allowance(request)
		_ = allowance.Take(b.each) // the first read has its error
		response.Body = body{allowance.Reader(response.Body), response.Body}
	}
	return response, nil
}

func (b bounded) allowance(request *http.Request) *Allowance {
	if a, ok := request.Context().Value(allowanceKey{}).(*Allowance); ok {
		return a
	}
	a := NewAllowance(request.URL.Host)
	a.Allow("an answer", maxAnswer)
	return a
}

// body is the part of an answer's body that is read.
type body struct {
	io.Reader
	io.Closer
}
