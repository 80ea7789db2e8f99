// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// Fault is something that goes wrong with requests to come.
type Fault struct {
	// Request is the beginning of "METHOD /path", the path as on the wire without
	// /api/v3: "POST /repos/octo/gitops/pulls". Empty is any.
	Request string
	// Times is how often it happens; 0 is always.
	Times int
	// Status and Body answer the request, which is not carried out.
	Status int
	Body   string
	Header map[string]string
	// Lost cuts the connection instead of answering, after the request was
	// carried out.
	Lost bool
	// Then is called before the answer, or before the connection is cut.
	Then func()

	happened int
}

// Fail makes something go wrong from now on.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Recover has nothing go wrong any more.
func (s *Server) Recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// faulty answers a request that a fault is for.
func (s *Server) faulty(w http.ResponseWriter, r *http.Request) bool {
	fault := s.fault(r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v3"))
	switch {
	case fault == nil:
		return false
	case fault.Lost:
		s.api(httptest.NewRecorder(), r)
		if fault.Then != nil {
			fault.Then()
		}
		panic(http.ErrAbortHandler)
	}
	if fault.Then != nil {
		fault.Then()
	}
	for name, value := range fault.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(fault.Status)
	_, _ = w.Write([]byte(fault.Body)) // who has gone away misses it
	return true
}

func (s *Server) fault(request string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range s.faults {
		if !strings.HasPrefix(request, fault.Request) || fault.Times > 0 && fault.happened == fault.Times {
			continue
		}
		fault.happened++
		if !fault.Lost {
			s.log = append(s.log, request)
		}
		return fault
	}
	return nil
}
