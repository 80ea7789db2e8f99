// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"fmt"
	"io"
	"net/http"
	"slices"
)

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
		response.Body = body{allowance.reader(response.Body), response.Body}
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
