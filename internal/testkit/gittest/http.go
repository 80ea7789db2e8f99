// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// HTTPServer serves a repository over smart HTTP.
type HTTPServer struct {
	server   *httptest.Server
	name     string
	options  httpOptions
	requests atomic.Int64
	received atomic.Int64
	sent     atomic.Int64
	heard    heard

	mutex  sync.Mutex
	log    []string
	faults []*Fault
}

type httpOptions struct {
	writer, reader login
	tls            bool
	client         string // the certificate that clients have to show
	record         bool
	hook           func(w http.ResponseWriter, r *http.Request) (handled bool)
}

type login struct{ user, password string }

// HTTPOption changes what ServeHTTP does.
type HTTPOption func(*httpOptions)

// WithLogin asks everybody for that user and password.
func WithLogin(user, password string) HTTPOption {
	return func(o *httpOptions) { o.writer = login{user, password} }
}

// WithReadOnlyLogin lets another user read, and forbids that one to push.
func WithReadOnlyLogin(user, password string) HTTPOption {
	return func(o *httpOptions) { o.reader = login{user, password} }
}

// WithTLS serves HTTPS with a certificate that nobody trusts; see CABundle.
func WithTLS() HTTPOption { return func(o *httpOptions) { o.tls = true } }

// WithClientCertificate serves HTTPS as WithTLS does, to clients that show the
// certificate, which is PEM text; see NewClientCertificate.
func WithClientCertificate(certificate string) HTTPOption {
	return func(o *httpOptions) { o.tls, o.client = true, certificate }
}

// WithRecord keeps what clients send; see Heard.
func WithRecord() HTTPOption { return func(o *httpOptions) { o.record = true } }

// WithHook calls a function before each request, which may answer it itself:
// faults, delays, commits in between. It may be called at the same time by several requests.
func WithHook(hook func(w http.ResponseWriter, r *http.Request) (handled bool)) HTTPOption {
	return func(o *httpOptions) { o.hook = hook }
}

// httpBackend returns the path of git's program for smart HTTP. The command git would
// start it with a process of its own for each request.
var httpBackend = sync.OnceValues(func() (string, error) {
	folder, err := Command(context.Background(), "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(folder)), "git-http-backend"), err
})

// Handler returns what answers requests below "/name", by git's own http-backend.
func (r *Repo) Handler(t testing.TB) (name string, handler http.Handler) {
	t.Helper()
	program, err := httpBackend()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(r.path), &cgi.Handler{
		Path:   program,
		Env:    append(Env(), "GIT_PROJECT_ROOT="+filepath.Dir(r.path), "GIT_HTTP_EXPORT_ALL=1"),
		Stderr: io.Discard,
		Logger: log.New(io.Discard, "", 0), // clients that go away are what some tests are about
	}
}

// ServeHTTP serves a repository on a port of its own.
func ServeHTTP(t testing.TB, repo Served, options ...HTTPOption) *HTTPServer {
	t.Helper()
	name, backend := repo.Handler(t)
	s := &HTTPServer{name: name}
	for _, option := range options {
		option(&s.options)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, backend) })
	s.server = httptest.NewUnstartedServer(handler)
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that trust nobody are what some tests are about
	if s.options.tls {
		s.server.EnableHTTP2 = true
		s.server.TLS = demanding(t, s.options.client)
		s.server.StartTLS()
	} else {
		s.server.Start()
	}
	t.Cleanup(s.server.Close)
	return s
}

// URL is the repository's URL.
func (s *HTTPServer) URL() string { return s.server.URL + "/" + url.PathEscape(s.name) }

// CABundle is the certificate to trust, as PEM; empty without TLS.
func (s *HTTPServer) CABundle() string {
	if !s.options.tls {
		return ""
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw}))
}

// Requests is how many requests there were.
func (s *HTTPServer) Requests() int64 { return s.requests.Load() }

// Heard returns everything that clients sent: lines of requests, headers, logins in
// clear, and bodies.
func (s *HTTPServer) Heard() string { return s.heard.String() }

// Sent is how many bytes of answers the server sent: what a client fetched.
func (s *HTTPServer) Sent() int64 { return s.sent.Load() }

// Received is how many bytes of requests the server got: what a client pushed.
func (s *HTTPServer) Received() int64 { return s.received.Load() }

func (s *HTTPServer) serve(w http.ResponseWriter, r *http.Request, backend http.Handler) {
	s.requests.Add(1)
	// CGI knows no chunked bodies, which the git command line sends.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "unreadable request", http.StatusBadRequest)
		return
	}
	s.received.Add(int64(len(body)))
	if s.options.record {
		s.heard.note(r, body)
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil

	w = &countingWriter{ResponseWriter: w, count: &s.sent}
	request := s.note(r)
	if s.options.hook != nil && s.options.hook(w, r) {
		return
	}
	if !s.allowed(w, r) {
		return
	}
	if fault := s.fault(request); fault != nil {
		fault.cut(backend, r)
	}
	backend.ServeHTTP(w, r)
}

// allowed checks the login and answers the request where it is not enough.
func (s *HTTPServer) allowed(w http.ResponseWriter, r *http.Request) bool {
	if s.options.writer == (login{}) {
		return true
	}
	user, password, given := r.BasicAuth()
	as := login{user, password}
	switch {
	case as == s.options.writer:
		return true
	case given && as == s.options.reader:
		if !strings.Contains(r.URL.String(), "git-receive-pack") {
			return true
		}
		http.Error(w, "you may only read", http.StatusForbidden)
	default:
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "<html>please log in</html>", http.StatusUnauthorized)
	}
	return false
}

type countingWriter struct {
	http.ResponseWriter
	count *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.count.Add(int64(n))
	return n, err
}
