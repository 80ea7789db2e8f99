// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// A server has a time until it sends something, and one for everything. The time between two pieces of
// work does not count.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		heard bool
		works []time.Duration // how long each piece of work takes
		want  string          // of the last one
	}{
		"silent, and done early":   {false, []time.Duration{9 * time.Second}, ""},
		"silent":                   {false, []time.Duration{11 * time.Second}, "host sent nothing within 10s."},
		"slow":                     {true, []time.Duration{29 * time.Second}, ""},
		"too slow":                 {true, []time.Duration{31 * time.Second}, "host took more than 30s."},
		"slow twice":               {true, []time.Duration{14 * time.Second, 14 * time.Second}, ""},
		"slow twice, and too slow": {true, []time.Duration{20 * time.Second, 11 * time.Second}, "host took more than 30s."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				patience := &remote.Patience{FirstByte: 10 * time.Second, All: 30 * time.Second}
				ctx, got := patience.With(t.Context()), ""
				for _, takes := range test.works {
					time.Sleep(time.Minute)
					work, done := remote.Work(ctx)
					if test.heard {
						remote.Heard(work)
					}
					time.Sleep(takes)
					got = ""
					if work.Err() != nil {
						got = remote.Ended(work, "host").Error()
					}
					done()
				}
				if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
	work, done := remote.Work(t.Context())
	remote.Heard(work)
	done()
	if work.Err() != nil {
		t.Error("work without a patience has ended")
	}
}
