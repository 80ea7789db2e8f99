// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSHServer serves a repository over SSH, by git's own upload-pack and receive-pack.
type SSHServer struct {
	listener  net.Listener
	path      string
	clientKey crypto.Signer
	hostKeys  []ssh.Signer
	config    *ssh.ServerConfig

	mu     sync.Mutex
	shown  []string
	script *Script
}

// SSHOption changes what ServeSSH does.
type SSHOption func(*SSHServer)

// WithSSHScript has a server follow a script.
func WithSSHScript(script Script) SSHOption { return func(s *SSHServer) { s.script = &script } }

// rsaHostKey is shared by all servers, since making one takes long.
var rsaHostKey = sync.OnceValues(func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// ServeSSH serves a repository on a port of its own, with an ed25519 and an RSA
// host key, to the one client key that PrivateKey gives.
func ServeSSH(t testing.TB, repo *Repo, options ...SSHOption) *SSHServer {
	t.Helper()
	s := &SSHServer{path: repo.path, clientKey: newEd25519(t)}
	for _, option := range options {
		option(s)
	}
	rsaKey, err := rsaHostKey()
	if err != nil {
		t.Fatal(err)
	}
	authorized := signer(t, s.clientKey).PublicKey()
	s.config = &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		s.mu.Lock()
		s.shown = append(s.shown, ssh.FingerprintSHA256(key))
		s.mu.Unlock()
		if string(key.Marshal()) != string(authorized.Marshal()) {
			return nil, errors.New("this key is not authorized")
		}
		return &ssh.Permissions{}, nil
	}}
	for _, key := range []crypto.Signer{newEd25519(t), rsaKey} {
		host := signer(t, key)
		s.hostKeys = append(s.hostKeys, host)
		s.config.AddHostKey(host)
	}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var connections sync.WaitGroup
	connections.Go(func() { s.accept(ctx, &connections) })
	t.Cleanup(func() {
		cancel()
		_ = s.listener.Close()
		connections.Wait()
	})
	return s
}

// URL is the repository's URL.
func (s *SSHServer) URL() string {
	return "ssh://git@" + s.listener.Addr().String() + "/" + url.PathEscape(filepath.Base(s.path))
}

// KnownHosts returns the lines of the host keys of those types ("ssh-ed25519",
// "ssh-rsa") for a known_hosts file; of all types if none is given.
func (s *SSHServer) KnownHosts(types ...string) string {
	var lines strings.Builder
	for _, key := range s.hostKeys {
		public := key.PublicKey()
		if len(types) == 0 || slices.Contains(types, public.Type()) {
			lines.WriteString(knownhosts.Line([]string{s.listener.Addr().String()}, public) + "\n")
		}
	}
	return lines.String()
}

// Fingerprints returns the SHA256 fingerprints of the host keys.
func (s *SSHServer) Fingerprints() []string {
	var all []string
	for _, key := range s.hostKeys {
		all = append(all, ssh.FingerprintSHA256(key.PublicKey()))
	}
	return all
}

// Shown returns the fingerprints of the keys that clients offered.
func (s *SSHServer) Shown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.shown)
}

// ClientFingerprint returns the fingerprint of the key that the server lets in.
func (s *SSHServer) ClientFingerprint(t testing.TB) string {
	t.Helper()
	return ssh.FingerprintSHA256(signer(t, s.clientKey).PublicKey())
}

// PrivateKey is the key that the server lets in, as PEM; encrypted if a
// passphrase is given.
func (s *SSHServer) PrivateKey(t testing.TB, passphrase string) string {
	t.Helper()
	return encodeKey(t, s.clientKey, passphrase)
}

// NewPrivateKey makes a key that no server lets in, as PEM.
func NewPrivateKey(t testing.TB) string {
	t.Helper()
	return encodeKey(t, newEd25519(t), "")
}

// accept serves connections until the listener is closed, and closes them with ctx.
func (s *SSHServer) accept(ctx context.Context, connections *sync.WaitGroup) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		connections.Go(func() {
			defer stop()
			s.serve(conn)
		})
	}
}

func (s *SSHServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

// session runs the one command that a session asks for.
func (s *SSHServer) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	defer func() { _ = channel.Close() }()
	for request := range requests {
		if request.Type != "exec" {
			_ = request.Reply(false, nil)
			continue
		}
		var command struct{ Line string }
		err := ssh.Unmarshal(request.Payload, &command)
		_ = request.Reply(err == nil, nil)
		status := struct{ Code uint32 }{}
		if err != nil || s.execute(channel, command.Line) != nil {
			status.Code = 128
		}
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
		return
	}
}

// execute runs git-upload-pack or git-receive-pack on the repository.
func (s *SSHServer) execute(channel ssh.Channel, line string) error {
	service, path, _ := strings.Cut(line, " ")
	service = strings.TrimPrefix(service, "git-")
	if service != "upload-pack" && service != "receive-pack" {
		return fmt.Errorf("no service %q", service)
	}
	if s.script != nil {
		s.script.follow(channel, channel.Stderr())
		return nil
	}
	path = filepath.Join(filepath.Dir(s.path), filepath.Base(strings.Trim(path, "'")))
	cmd := exec.Command("git", service, path)
	cmd.Env = Env()
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the channel, which may be later than the command
		_, _ = io.Copy(stdin, channel)
		_ = stdin.Close()
	}()
	return cmd.Wait()
}

func newEd25519(t testing.TB) crypto.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signer(t testing.TB, key crypto.Signer) ssh.Signer {
	t.Helper()
	s, err := ssh.NewSignerFromSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encodeKey(t testing.TB, key crypto.Signer, passphrase string) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "test")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "test", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}
