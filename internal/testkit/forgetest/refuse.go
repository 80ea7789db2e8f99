// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forgetest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// complaints takes what a test would fail with.
type complaints struct {
	testing.TB
	mu   sync.Mutex
	list []string
}

// Errorf keeps a complaint.
func (c *complaints) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// Case is a call that a forge would not understand: its method, path and body, and what the complaint
// says.
type Case [4]string

// Double is a double of a forge.
type Double interface {
	Address() string
	AddToken(login string, write bool) string
}

// Refuses tests that a double fails the test of each call, and answers it with 400.
func Refuses[D Double](t *testing.T, start func(t testing.TB) D, authorize func(r *http.Request, token string), cases map[string]Case) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method, path, body, says := test[0], test[1], test[2], test[3]
			c := &complaints{TB: t}
			s := start(c)
			request, err := http.NewRequestWithContext(t.Context(), method, s.Address()+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			authorize(request, s.AddToken("writer", true))
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close() // the status is what counts
			if len(c.list) != 1 || !strings.Contains(c.list[0], says) || response.StatusCode != http.StatusBadRequest {
				t.Errorf("status %d, complaints %q", response.StatusCode, c.list)
			}
		})
	}
}
