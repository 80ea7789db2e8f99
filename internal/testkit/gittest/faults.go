// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// Fault is something that goes wrong with a request to come: the connection is cut
// instead of an answer.
type Fault struct {
	// Request is the beginning of "METHOD /path", the path from the repository's own:
	// "POST /git-receive-pack". Empty is any.
	Request string
	// After lets so many such requests pass first.
	After int
	// Lost carries the request out before the connection is cut.
	Lost bool
	// Then is called before the connection is cut.
	Then func()
}

// Fail makes something go wrong with one request from now on.
func (s *HTTPServer) Fail(f Fault) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = append(s.faults, &f)
}

// Log returns the requests so far, as Fault names them.
func (s *HTTPServer) Log() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.log)
}

// note notes a request, and returns what it is called.
func (s *HTTPServer) note(r *http.Request) string {
	request := r.Method + " " + strings.TrimPrefix(r.URL.RequestURI(), "/"+s.name)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.log = append(s.log, request)
	return request
}

// fault returns what goes wrong with a request; nil for nothing.
func (s *HTTPServer) fault(request string) *Fault {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i, fault := range s.faults {
		if !strings.HasPrefix(request, fault.Request) {
			continue
		}
		if fault.After--; fault.After < 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
			return fault
		}
	}
	return nil
}

// cut has the fault happen to a request.
func (f *Fault) cut(carryOut http.Handler, r *http.Request) {
	if f.Lost {
		carryOut.ServeHTTP(httptest.NewRecorder(), r)
	}
	if f.Then != nil {
		f.Then()
	}
	panic(http.ErrAbortHandler)
}
