// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The channels of a side band: data, and what is for people.
const (
	bandOfData  = 1
	bandOfWords = 2
)

// The services of smart HTTP.
const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

// serve answers a request of smart HTTP, in version 0 of the protocol. It locks nothing
// while it reads and writes, since a client may be slow.
func (r *Repo) serve(w http.ResponseWriter, request *http.Request) {
	service := request.URL.Query().Get("service")
	switch request.Method + " " + request.URL.Path {
	case "GET /info/refs":
		if service != uploadPack && service != receivePack {
			http.Error(w, "only smart HTTP is served", http.StatusForbidden)
			return
		}
		answer(w, service+"-advertisement", r.advertise(service))
	case "POST /" + uploadPack, "POST /" + receivePack:
		body, err := bodyOf(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		service = strings.TrimPrefix(request.URL.Path, "/")
		carryOut := map[string]func([]byte) ([]byte, error){uploadPack: r.upload, receivePack: r.receive}[service]
		said, err := carryOut(body)
		if err != nil {
			said = errorLine(err)
		}
		answer(w, service+"-result", said)
	default:
		http.NotFound(w, request)
	}
}

func answer(w http.ResponseWriter, kind string, said []byte) {
	w.Header().Set("Content-Type", "application/x-"+kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(said) // a client that has gone away misses it
}

// errorLine is how a server says an error instead of what was asked for.
func errorLine(err error) []byte {
	var out bytes.Buffer
	_ = pktline.NewEncoder(&out).Encodef("ERR %s", err) // a buffer takes everything
	return out.Bytes()
}

// bodyOf reads a request, which git compresses where it is long.
func bodyOf(request *http.Request) ([]byte, error) {
	body := io.Reader(request.Body)
	if request.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unzipped
	}
	return io.ReadAll(body)
}

// advertise lists the references.
func (r *Repo) advertise(service string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := packp.NewAdvRefs()
	list.Prefix = [][]byte{[]byte("# service=" + service), pktline.Flush}
	for branch, commit := range r.all() {
		list.References["refs/heads/"+branch] = commit
	}
	head, ok := r.branches[defaultBranch]
	if ok && service == uploadPack {
		list.Head = &head
	}
	list.Capabilities = capability.NewList()
	_ = list.Capabilities.Decode([]byte(r.capabilities(service, ok))) // what is written here can be read
	var out bytes.Buffer
	_ = list.Encode(&out) // a buffer takes everything
	return out.Bytes()
}

func (r *Repo) capabilities(service string, hasHead bool) string {
	const common = " object-format=sha1 agent=git/gitmem"
	if service == receivePack {
		return "report-status delete-refs side-band-64k quiet ofs-delta" + common
	}
	offered := "multi_ack side-band-64k ofs-delta shallow no-progress multi_ack_detailed"
	if !r.tipsOnly {
		offered += " allow-tip-sha1-in-want allow-reachable-sha1-in-want"
	}
	if hasHead {
		offered += " symref=HEAD:refs/heads/" + defaultBranch
	}
	if !r.unfiltered {
		offered += " filter"
	}
	return offered + common
}

// packOf writes objects as a pack without deltas.
func packOf(objects []*object) []byte {
	var pack gittest.Pack
	for _, o := range objects {
		pack.AddPacked(int(o.kind), int64(len(o.data)), nil, o.packed())
	}
	return pack.Bytes()
}

// advertisesTip reports whether a commit is listed.
func (r *Repo) advertisesTip(id plumbing.Hash) bool {
	for _, commit := range r.branches {
		if commit == id {
			return true
		}
	}
	return false
}
