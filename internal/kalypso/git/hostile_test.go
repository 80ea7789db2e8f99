// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/peakmem"
)

// Limits for any answer of a hostile server: a time that suffices on a slow machine with the
// race detector, and memory.
const (
	hostileTime   = 5 * time.Minute
	hostileMemory = 768 << 20
	// hostileFetch is how much one fetch may bring, so that packs without an end come to one
	// soon.
	hostileFetch = 4 << 20
)

// The capabilities of scripted servers.
const (
	fetches = "side-band-64k no-progress"
	pushes  = "report-status side-band-64k delete-refs"
)

var nak = gittest.Packet("NAK\n")

// a foreign commit and its objects.
var (
	hostileFile              = []byte("content")
	hostileTree              = tree.FromEntries([]tree.Entry{tree.File("file", hostileFile)})
	hostileCommit, hostileID = gittest.Commit(hostileTree.ID[:])
)

// hostile is a server that means us no good, and what is to come of it.
type hostile struct {
	script gittest.Script
	// capabilities and answer make a script that lists one branch.
	capabilities string
	answer       func(w io.Writer)
	// do is what we want of it: look, unless said otherwise.
	do    func(ctx context.Context, c *git.Client, dev git.Branch) error
	kind  remote.ErrorKind
	words string
	// only is the protocol that it speaks; empty for http and ssh. hook is for http alone.
	only string
	hook func(w http.ResponseWriter, r *http.Request) bool
}

// look reads all trees of the branch.
func look(ctx context.Context, c *git.Client, dev git.Branch) error {
	_, err := head(ctx, c, dev)
	return err
}

// open reads a file of the branch as a control plane does.
func open(ctx context.Context, c *git.Client, dev git.Branch) error {
	snapshot, err := c.Snapshots().Open(ctx, git.Revision{Repo: dev.Repo, Branch: dev.Name}, ".")
	if err != nil {
		return err
	}
	_, err = snapshot.Blobs(ctx, []tree.ID{tree.File("", hostileFile).ID})
	return err
}

// push writes to a branch that is not there yet.
func push(ctx context.Context, c *git.Client, dev git.Branch) error {
	dev.Name = "new"
	_, err := c.Apply(ctx, dev, job("push", edits{"file": file("mine")}))
	return err
}

// listBegins is a list of references that goes on.
func listBegins(capabilities string) func(w io.Writer) {
	return gittest.Says(strings.TrimSuffix(gittest.Listed(hostileID, "dev", capabilities), gittest.Flush))
}

// manyReferences have long names: go-git takes its time for each of them.
var manyReferences = gittest.SaysForEver(gittest.Packet(hostileID + " refs/pull/" + strings.Repeat("1", 1000) + "/head\n"))

// packed answers with a pack, in the packets of a side band.
func packed(pack []byte) func(w io.Writer) {
	return gittest.Then(gittest.Says(nak), gittest.InPackets(1, pack), gittest.Says(gittest.Flush))
}

// whole is a pack with the commit and its tree, and what else is added.
func whole(add func(p *gittest.Pack)) []byte {
	var p gittest.Pack
	p.Add(gittest.KindCommit, nil, hostileCommit)
	p.Add(gittest.KindTree, nil, hostileTree.Encode())
	if add != nil {
		add(&p)
	}
	return p.Bytes()
}

// hostiles makes the servers, which takes a while.
func hostiles() map[string]hostile {
	return map[string]hostile{
		"references without an end": {
			script: gittest.Script{References: gittest.Then(listBegins(fetches), manyReferences)},
			kind:   remote.KindTooLarge, words: "more than 68 MiB as an answer",
		},
		"progress without an end": {
			capabilities: fetches, answer: gittest.Then(gittest.Says(nak), gittest.SaysForEver(gittest.Packet("\x02counting objects\r"))),
			only: "http", kind: remote.KindTooLarge, words: "answer, which is not",
		},
		"an error channel without an end": {
			script: gittest.Script{References: func(io.Writer) {}, Aside: gittest.Then(gittest.SaysForEver("remote: busy\n"))},
			only:   "ssh", kind: remote.KindTooLarge, words: "more than 68 MiB as an answer",
		},
		"a pack that says it holds more than there is": {
			capabilities: fetches, answer: packed((&gittest.Pack{}).Begin(1<<32 - 1)),
			only: "http", kind: remote.KindNetwork, words: "the pack cannot be",
		},
		"a pack without an end": {
			capabilities: fetches, answer: gittest.Then(gittest.Says(nak), gittest.InPackets(1, (&gittest.Pack{}).Begin(1<<20)), func(w io.Writer) {
				var p gittest.Pack
				p.Add(gittest.KindBlob, nil, noise(60_000, 1))
				gittest.SaysForEver(gittest.Packet("\x01" + string(p.Begin(0)[12:])))(w)
			}),
			only: "http", kind: remote.KindTooLarge, words: "max_fetch_mib",
		},
		"another pack than asked for": {
			capabilities: fetches, answer: packed(func() []byte {
				var p gittest.Pack
				p.Add(gittest.KindBlob, nil, hostileCommit)
				p.Add(gittest.KindTree, nil, []byte("other"))
				return p.Bytes()
			}()),
			only: "http", kind: remote.KindServer, words: "did not send the object " + hostileID,
		},
		"a folder that does not have its declared size": {
			capabilities: fetches, answer: packed(whole(func(p *gittest.Pack) {
				p.AddPacked(gittest.KindTree, 100, nil, gittest.Deflate([]byte("short")))
			})),
			only: "http", kind: remote.KindServer, words: "the pack cannot be",
		},
		"a pack that was changed on its way": {
			capabilities: fetches, answer: packed(append(whole(nil)[:len(whole(nil))-1], 'x')),
			only: "http", kind: remote.KindServer, words: "run git fsck",
		},
		"a report without an end": {
			capabilities: pushes, answer: gittest.Then(gittest.InPackets(1, []byte(gittest.Packet("unpack ok\n"))),
				gittest.SaysForEver(gittest.Packet("\x01"+gittest.Packet("ok refs/heads/new\n")))), do: push,
			only: "http", kind: remote.KindTooLarge, words: "more than 68 MiB as an answer",
		},
		"a pack as a gzip bomb": {
			hook: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, gittest.Packet("# service=git-upload-pack\n")+gittest.Flush+gittest.Listed(hostileID, "dev", fetches))
					return true
				}
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(gzipBomb())
				return true
			},
			kind: remote.KindServer,
		},
		"an error without an end": {
			hook: respond(http.StatusUnauthorized, "", gittest.SaysForEver("no, ")),
			only: "http", kind: remote.KindAuthentication, words: "url_prefix",
		},
	}
}

// respond answers every request over HTTP so.
func respond(status int, encoding string, say func(w io.Writer)) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if encoding != "" {
			w.Header().Set("Content-Encoding", encoding)
		}
		w.WriteHeader(status)
		say(w)
		return true
	}
}

// gzipBomb is 100 MiB of zeros, packed.
var gzipBomb = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // fails for unknown levels only
	for range 100 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	return out.Bytes()
})

// Whatever a server sends, it is soon not listened to any more, and holds little memory
// until then.
func TestHostileServers(t *testing.T) { //nolint:paralleltest // it measures what memory the process takes.
	for name, h := range hostiles() { //nolint:paralleltest // see above.
		for _, protocol := range []string{"http", "ssh"} {
			if h.only != "" && h.only != protocol || h.hook != nil && protocol != "http" {
				continue
			}
			t.Run(name+", "+protocol, func(t *testing.T) {
				c, dev := h.serve(t, protocol)
				do := h.do
				if do == nil {
					do = look
				}
				ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
				defer cancel()
				var err error
				start := time.Now()
				memory := peakmem.Measure(func() { err = do(ctx, c, dev) })
				t.Logf("%d MiB, %s: %v", memory>>20, time.Since(start).Round(time.Millisecond), err)
				wantKind(t, err, h.kind, h.words, "127.0.0.1:")
				if memory > hostileMemory {
					t.Errorf("it took %d MiB", memory>>20)
				}
			})
		}
	}
}

// serve starts the server.
func (h hostile) serve(t *testing.T, protocol string) (*git.Client, git.Branch) {
	t.Helper()
	script := h.script
	if script.References == nil {
		script.References = gittest.Says(gittest.Listed(hostileID, "dev", h.capabilities))
	}
	if script.Answer == nil {
		script.Answer = h.answer
	}
	repo := gittest.NewBare(t)
	if protocol == "http" {
		option := gittest.WithScript(script)
		if h.hook != nil {
			option = gittest.WithHook(h.hook)
		}
		return h.client(t), git.Branch{Repo: gittest.ServeHTTP(t, repo, option).URL(), Name: "dev"}
	}
	server := gittest.ServeSSH(t, repo, gittest.WithSSHScript(script))
	credential := git.Credential{URLPrefix: server.URL(), SSHPrivateKey: server.PrivateKey(t, ""), SSHKnownHosts: server.KnownHosts()}
	return h.client(t, credential), git.Branch{Repo: server.URL(), Name: "dev"}
}

func (h hostile) client(t *testing.T, credentials ...git.Credential) *git.Client {
	t.Helper()
	c, err := git.NewClient(git.Options{Credentials: credentials, MaxFetch: hostileFetch, Backoff: wait.Backoff{Duration: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Scripts say what they are made for: without a fault, they are read.
func TestScriptedServer(t *testing.T) {
	t.Parallel()
	id, err := hex.DecodeString(hostileID)
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"http", "ssh"} {
		h := hostile{capabilities: fetches, answer: packed(whole(func(p *gittest.Pack) { p.Add(gittest.KindBlob, nil, hostileFile) }))}
		c, dev := h.serve(t, protocol)
		if err := open(t.Context(), c, dev); err != nil {
			t.Errorf("%s: %v", protocol, err)
		}
		state, err := c.Read(t.Context(), dev, git.Query{Paths: map[string]tree.Entry{"file": {Mode: tree.ModeFile}}})
		if err != nil || state.Head != tree.ID(id) || state.ID("file") != tree.File("", hostileFile).ID {
			t.Errorf("%s: %v, %v", protocol, state, err)
		}
	}
}
