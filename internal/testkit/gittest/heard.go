// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// heard is what clients sent to a server.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) note(r *http.Request, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	user, password, _ := r.BasicAuth()
	fmt.Fprintf(&h.text, "%s %s\n%v\nlogin %s:%s\n%s\n", r.Method, r.URL, r.Header, user, password, body)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}
