// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// answering serves answers of a status, an encoding and a size that the path says.
func answering(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		status, _ := strconv.Atoi(parts[1])
		size, _ := strconv.Atoi(parts[3])
		var to io.Writer = w
		if parts[2] == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer func() { _ = z.Close() }()
			to = z
		}
		w.WriteHeader(status)
		_, _ = to.Write(bytes.Repeat([]byte("x"), size))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestBound(t *testing.T) {
	t.Parallel()
	url := answering(t)
	client := &http.Client{Transport: remote.Bound(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for name, test := range map[string]struct {
		path string
		want int
		kind remote.ErrorKind
		says string
	}{
		"all that is allowed":                 {"/200//1000", 1000, 0, ""},
		"more than allowed":                   {"/200//1025", 0, remote.KindTooLarge, "somebody sends more than 1 KiB as an answer"},
		"gzip":                                {"/200/gzip/1000", 1000, 0, ""},
		"more than allowed, unpacked":         {"/200/gzip/100000", 0, remote.KindTooLarge, "somebody sends more than 1 KiB as an answer"},
		"an error":                            {"/500//1000", 1000, 0, ""},
		"an error that is long":               {"/404//1000000", 64 << 10, 0, ""},
		"a redirect that is long":             {"/302//1000000", 64 << 10, 0, ""},
		"no content where there is none":      {"/204//0", 0, 0, ""},
		"an error where all that is too much": {"/500//2000", 2000, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			allowance := remote.NewAllowance("somebody", 1<<10)
			request, err := http.NewRequestWithContext(allowance.With(t.Context()), http.MethodGet, url+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if test.kind == 0 && (err != nil || len(got) != test.want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if test.kind != 0 && (!remote.Is(err, test.kind) || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

// Each answer has the limit.
func TestAllowance(t *testing.T) {
	t.Parallel()
	a, other := remote.NewAllowance("somebody", 2<<20), errors.New("other")
	if err := a.Take(10); err != nil {
		t.Error(err)
	}
	a.Begin()
	if err := a.Take(2 << 20); err != nil || a.Explain(nil) != nil || !errors.Is(a.Explain(other), other) {
		t.Errorf("%v, %v", err, a.Explain(other))
	}
	if err := a.Take(1); !remote.Is(err, remote.KindTooLarge) ||
		!strings.Contains(err.Error(), "somebody sends more than 2 MiB as an answer") {
		t.Errorf("one byte too much: %v", err)
	}
	if !remote.Is(a.Explain(other), remote.KindTooLarge) || a.Explain(nil) != nil {
		t.Errorf("afterwards: %v", a.Explain(other))
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, done := remote.Within(t.Context(), 30*time.Second)
		defer done()
		<-ctx.Done()
		if got := remote.Ended(ctx, "host").Error(); !strings.HasPrefix(got, "host did not answer within 30s.") {
			t.Error(got)
		}
	})
}
