// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// saying is a server over HTTP that lists these references, and answers so.
type saying struct{ references, answer []byte }

func (s saying) RoundTrip(request *http.Request) (*http.Response, error) {
	body := s.answer
	if strings.HasSuffix(request.URL.Path, "/info/refs") {
		body = s.references
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: request}, nil
}

func (s saying) repo(t testing.TB) *repo {
	t.Helper()
	c, err := NewClient(Options{MaxFetch: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.repository(t.Context(), "http://git.example/repo.git")
	if err != nil {
		t.Fatal(err)
	}
	r.access = &access{http: newHTTP(s, nil)}
	return r
}

// inProse checks that an error is one that is explained, in words that fit a message.
func inProse(t testing.TB, err error) {
	t.Helper()
	var e *remote.Error
	switch {
	case err == nil || errors.Is(err, remote.ErrMoved):
	case !errors.As(err, &e) || e.Kind == 0 || e.Message == "":
		t.Errorf("%T is not explained: %v", err, err)
	case strings.ContainsAny(e.Message, "\x00\x1b\r") || len(e.Message) > 4*wording.MaxWords:
		t.Errorf("the message does not fit: %q", e.Message)
	}
}

func FuzzReferences(f *testing.F) {
	_, id := gittest.Commit(nil)
	for _, list := range []string{
		gittest.Listed(id, "dev", "side-band-64k filter object-format=sha1"),
		gittest.Listed(id+strings.Repeat("0", 24), "dev", "object-format=sha256"),
		gittest.Packet(strings.Repeat("0", 40)+" capabilities^{}\x00report-status\n") + gittest.Flush,
		gittest.Packet("ERR access denied\x1b[31m"), gittest.Flush, "", "<html>", "ffff",
	} {
		for _, service := range []string{"upload", "receive"} {
			f.Add([]byte(gittest.Packet("# service=git-"+service+"-pack\n") + gittest.Flush + list))
		}
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, references []byte) {
		r := saying{references: references}.repo(t)
		_, err := r.newReader(t.Context())
		inProse(t, err)
		inProse(t, r.push(t.Context(), command{branch: "dev", from: tree.ID{1}}, newPack(nil)))
	})
}

func FuzzFetch(f *testing.F) {
	data, commit := somePack(f)
	packets := func(channel byte, data []byte) []byte {
		var out bytes.Buffer
		gittest.InPackets(channel, data)(&out)
		return out.Bytes()
	}
	nak := []byte(gittest.Packet("NAK\n"))
	for _, answer := range [][]byte{
		bytes.Join([][]byte{nak, packets(1, data), []byte(gittest.Flush)}, nil),
		bytes.Join([][]byte{nak, packets(2, []byte("progress")), packets(1, data)}, nil),
		bytes.Join([][]byte{nak, packets(3, []byte("access denied\x1b[31m"))}, nil),
		[]byte(gittest.Packet("shallow "+commit.String()) + gittest.Flush), nak, nil, []byte(gittest.Packet("ERR not our ref")),
	} {
		f.Add(answer, "side-band-64k shallow filter")
		f.Add(answer, "side-band-64k")
		f.Add(bytes.Join([][]byte{nak, data}, nil), "")
	}
	f.Fuzz(func(t *testing.T, answer []byte, capabilities string) {
		if strings.ContainsAny(capabilities, "\x00\n") || len(capabilities) > 1000 {
			return
		}
		references := gittest.Packet("# service=git-upload-pack\n") + gittest.Flush + gittest.Listed(commit.String(), "dev", capabilities)
		r := saying{[]byte(references), answer}.repo(t)
		read, err := r.newReader(t.Context())
		if err != nil {
			inProse(t, err)
			return
		}
		c, err := read.commit(t.Context(), commit, allTrees)
		inProse(t, err)
		if err == nil {
			inProse(t, read.everything(t.Context(), c, []string{"."}))
		}
		_, err = read.blobs(t.Context(), tree.File("", []byte("s")).ID)
		inProse(t, err)
	})
}

func FuzzReport(f *testing.F) {
	report := gittest.Packet("unpack ok\n") + gittest.Packet("ok refs/heads/dev\n") + gittest.Flush
	refused := gittest.Packet("unpack ok\n") + gittest.Packet("ng refs/heads/dev pre-receive hook declined\x1b[31m\n") + gittest.Flush
	for _, answer := range []string{report, refused, gittest.Packet("unpack index-pack abnormal exit\n") + gittest.Flush, "", gittest.Flush} {
		var banded bytes.Buffer
		gittest.InPackets(2, []byte("no, no\x1b[31m\n"))(&banded)
		gittest.InPackets(1, []byte(answer))(&banded)
		f.Add([]byte(answer), false)
		f.Add(banded.Bytes(), true)
	}
	_, id := gittest.Commit(nil)
	f.Fuzz(func(t *testing.T, answer []byte, banded bool) {
		capabilities := "report-status delete-refs"
		if banded {
			capabilities += " side-band-64k"
		}
		references := gittest.Packet("# service=git-receive-pack\n") + gittest.Flush + gittest.Listed(id, "dev", capabilities)
		r := saying{[]byte(references), answer}.repo(t)
		to, err := r.open(t.Context(), transport.ReceivePackServiceName)
		if err != nil {
			t.Fatal(err)
		}
		defer to.close()
		err = to.send(context.WithoutCancel(t.Context()), command{branch: "dev", from: to.branch("dev"), to: tree.ID{1}}, newPack(nil))
		inProse(t, err)
		if err == nil && !bytes.Contains(answer, []byte("unpack ok")) {
			t.Errorf("%q is taken for a success", answer)
		}
	})
}
