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

// Allowance limits how many bytes one server may send as one answer. Many goroutines may use it
// at the same time, because a connection is read ahead.
type Allowance struct {
	name  string // of the server
	bytes int64

	mu    sync.Mutex
	taken int64
	spent error
}

// NewAllowance lets a server send this number of bytes as an answer. The name of the server is for messages.
func NewAllowance(name string, bytes int64) *Allowance { return &Allowance{name: name, bytes: bytes} }

// Begin begins another answer.
func (a *Allowance) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = 0
}

// Take counts bytes that the server has sent. Errors: KindTooLarge if the server has sent more
// than allowed, also in all later calls.
func (a *Allowance) Take(n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken += int64(n); a.taken > a.bytes && a.spent == nil {
		a.spent = &Error{Kind: KindTooLarge, Message: fmt.Sprintf(
			"%s sends more than %s as an answer, which is not read. Check that the URL is right, and ask the server's operators", a.name,
			Size(a.bytes))}
	}
	return a.spent
}

// Taken returns how many bytes of the present answer the server has sent.
func (a *Allowance) Taken() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.taken
}

// Explain returns the error of Take if that error is the reason for err, because libraries
// drop the error of a reader, or keep only its text.
func (a *Allowance) Explain(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && a.spent != nil {
		return a.spent
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
// request's context, or to 64 MiB. It reads only the beginning of an unsuccessful answer.
// Answers must come without encoding: an encoded answer may unpack to any size, and is an
// error. A nil transport stands for net/http's default.
func Bound(way http.RoundTripper) http.RoundTripper {
	if way == nil {
		way = http.DefaultTransport
	}
	return bounded{way}
}

type bounded struct{ way http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Accept-Encoding", "identity") // also keeps net/http from unpacking by itself
	response, err := b.way.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	Heard(request.Context())
	encoded := slices.ContainsFunc(response.Header.Values("Content-Encoding"), func(v string) bool { return v != "" && v != "identity" })
	switch failed := response.StatusCode >= http.StatusMultipleChoices; {
	case failed && encoded: // the status suffices
		_ = response.Body.Close()
		response.Body = http.NoBody
	case failed:
		response.Body = body{io.LimitReader(response.Body, maxErrorBody), response.Body}
	case encoded:
		_ = response.Body.Close()
		return nil, &Error{Kind: KindServer, Message: fmt.Sprintf(
			"%s sends a compressed answer (Content-Encoding: %s), although the request forbids compression. The answer could unpack to any "+
				"size, so it was not read. Ask the operators of the server, or of a proxy before it, to send uncompressed answers",
			request.URL.Host, Words(response.Header.Get("Content-Encoding")))}
	default:
		response.Body = body{b.allowance(request).Reader(response.Body), response.Body}
	}
	return response, nil
}

func (b bounded) allowance(request *http.Request) *Allowance {
	if a, ok := request.Context().Value(allowanceKey{}).(*Allowance); ok {
		return a
	}
	return NewAllowance(request.URL.Host, maxAnswer)
}

// body limits how much of an answer's body is read.
type body struct {
	io.Reader
	io.Closer
}
