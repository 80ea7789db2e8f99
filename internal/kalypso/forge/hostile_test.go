// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/peakmem"
)

// Limits for any answer of a hostile forge: a time that suffices on a slow machine, and
// memory.
const (
	hostileTime   = 5 * time.Minute
	hostileMemory = 512 << 20
)

// Whatever a forge answers, it is soon not listened to any more, and holds little memory
// until then.
func TestHostileForges(t *testing.T) { //nolint:paralleltest // it measures what memory the process takes.
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 100 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	for name, test := range map[string]struct { //nolint:paralleltest // see above.
		status int
		header map[string]string
		say    func(w io.Writer)
		kind   remote.ErrorKind
		words  string
	}{
		"values without an end": {say: gittest.Then(gittest.Says("[1"), gittest.SaysForEver(",1")), kind: remote.KindTooLarge,
			words: "more than 200000 values"},
		"objects without an end": {say: gittest.Then(gittest.Says("[{}"), gittest.SaysForEver(`,{"title":"\",[{"}`)),
			kind: remote.KindTooLarge, words: "more than 200000 values"},
		"a text without an end": {say: gittest.Then(gittest.Says(`[{"body":"`), gittest.SaysForEver("[x,")), kind: remote.KindTooLarge,
			words: "larger than 64 MiB"},
		"white space without an end": {say: gittest.SaysForEver(" "), kind: remote.KindTooLarge, words: "larger than 64 MiB"},
		"a list without an end": {header: map[string]string{"Link": `<https://forge.example/?page=2>; rel="next"`},
			say: gittest.Says("[]"), kind: remote.KindTooLarge, words: "more than 256 MiB as its answers"},
		"large pages without an end": {header: map[string]string{"Link": `<https://forge.example/?page=2>; rel="next"`},
			say: gittest.Says(`[{"body":"` + strings.Repeat("x", 1<<20) + `"}]`), kind: remote.KindTooLarge,
			words: "more than 256 MiB as its answers"},
		"a gzip bomb": {header: map[string]string{"Content-Encoding": "gzip"},
			say: func(w io.Writer) { _, _ = w.Write(packed.Bytes()) }, kind: remote.KindServer, words: "Content-Encoding: gzip"},
		"an error as a gzip bomb": {status: http.StatusTeapot, header: map[string]string{"Content-Encoding": "gzip"},
			say: func(w io.Writer) { _, _ = w.Write(packed.Bytes()) }, kind: remote.KindRefused, words: "418"},
		"an error without an end": {status: http.StatusTeapot, say: gittest.SaysForEver("no, "), kind: remote.KindRefused, words: "no, no, "},
		"an error's list, endless": {status: http.StatusTeapot, say: gittest.Then(gittest.Says(`{"message":"m","errors":["a"`),
			gittest.SaysForEver(`,"b"`)), kind: remote.KindRefused, words: "418"},
		"an error of the wrong types": {status: http.StatusTeapot, say: gittest.Says(`{"message":7,"errors":{"a":[[]]}}`),
			kind: remote.KindRefused, words: "418"},
		"a list of the wrong types": {say: gittest.Says(`[{"number":"x","head":[]}]`), kind: remote.KindServer,
			words: "is not valid"},
		"redirects without an end": {status: http.StatusFound, header: map[string]string{"Location": "/again"}, say: gittest.Says(""),
			kind: remote.KindServer, words: "without end"},
		"a text where a list belongs": {say: gittest.Says(`"text"`), kind: remote.KindServer, words: "is not valid"},
		"a backslash before a quote": {say: gittest.Then(gittest.Says(`[{"body":"\\"}`), gittest.SaysForEver(`,{}`)),
			kind: remote.KindTooLarge, words: "more than 200000 values"},
	} {
		for _, kind := range []forge.Software{forge.GitHub, forge.Gitea} {
			if large := strings.HasPrefix(name, "large pages"); large && kind != forge.GitHub {
				continue // answers are bounded together by what both share
			}
			t.Run(name+", "+kind.String(), func(t *testing.T) {
				var asked atomic.Int32
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					asked.Add(1)
					for key, value := range test.header {
						w.Header().Set(key, value)
					}
					if test.status != 0 {
						w.WriteHeader(test.status)
					}
					test.say(w)
				}))
				t.Cleanup(server.Close)
				r, err := forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.URL, Kind: kind,
					Token: "secret"}}}).Repository(t.Context(), server.URL+"/octo/gitops")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
				defer cancel()
				start := time.Now()
				memory := peakmem.Measure(func() { _, err = r.FindByHead(ctx, "main", "kalypso/dev/1") })
				t.Logf("%d MiB, %s, %d requests: %v", memory>>20, time.Since(start).Round(time.Millisecond), asked.Load(), err)
				if !remote.Is(err, test.kind) || !strings.Contains(err.Error(), test.words) {
					t.Errorf("got %v, want an error of kind %d with %q", err, test.kind, test.words)
				}
				if memory > hostileMemory {
					t.Errorf("it took %d MiB", memory>>20)
				}
			})
		}
	}
}
