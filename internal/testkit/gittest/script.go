// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Script is a git server that says what it likes: as the list of its references, and in
// answer to what it is asked for after that, a fetch or a push.
type Script struct {
	References, Answer func(w io.Writer)
	// Aside, if not nil, is said over SSH on the error channel.
	Aside func(w io.Writer)
}

// WithScript has a server follow a script.
func WithScript(s Script) HTTPOption {
	return WithHook(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			s.Answer(w)
			return true
		}
		_, _ = io.WriteString(w, Packet("# service="+r.URL.Query().Get("service")+"\n")+Flush)
		s.References(w)
		return true
	})
}

// follow plays a script over SSH. The answer comes when the client says something, and
// the channel stays open until the client has said all.
func (s Script) follow(channel ssh.Channel, stderr io.Writer) {
	if s.Aside != nil {
		go s.Aside(stderr)
	}
	s.References(channel)
	if n, _ := channel.Read(make([]byte, 1)); n == 0 {
		return
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		_, _ = io.Copy(io.Discard, channel)
	}()
	s.Answer(channel)
	_ = channel.CloseWrite()
	<-said
}

// Flush is the packet that ends a list.
const Flush = "0000"

// Packet makes a packet of git's protocol.
func Packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+len(Flush), text) }

// Says returns what says a text once.
func Says(text string) func(w io.Writer) {
	return func(w io.Writer) { _, _ = io.WriteString(w, text) }
}

// SaysForEver returns what says a text until nobody listens any more.
func SaysForEver(text string) func(w io.Writer) {
	text = strings.Repeat(text, 1+1<<15/len(text))
	return func(w io.Writer) {
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
}

// Then returns what says one thing after the other.
func Then(all ...func(w io.Writer)) func(w io.Writer) {
	return func(w io.Writer) {
		for _, say := range all {
			say(w)
		}
	}
}

// Listed is a list of references with one branch, and capabilities.
func Listed(commit, branch, capabilities string) string {
	return Packet(commit+" refs/heads/"+branch+"\x00"+capabilities+"\n") + Flush
}
