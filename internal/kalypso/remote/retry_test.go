// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func TestRetry(t *testing.T) {
	t.Parallel()
	fault := &remote.Error{Message: "fault", Passing: true}
	limited := &remote.Error{Message: "limited", Passing: true, After: 7 * time.Second}
	final := errors.New("final")
	repeat := func(err error, n int) (all []error) {
		for range n {
			all = append(all, err)
		}
		return all
	}
	for name, test := range map[string]struct {
		answers  []error // then success
		attempts int
		want     error
	}{
		"success":                      {nil, 1, nil},
		"final":                        {[]error{final}, 1, final},
		"a few faults":                 {repeat(fault, 4), 5, nil},
		"too many faults":              {repeat(fault, 5), 5, fault},
		"moves have no limit":          {repeat(remote.ErrMoved, 50), 51, nil},
		"a move forgives faults":       {append(append(repeat(fault, 4), remote.ErrMoved), repeat(fault, 4)...), 10, nil},
		"a limit that says when":       {repeat(limited, 20), 21, nil},
		"a fault, and a final failure": {[]error{fault, final}, 2, final},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attempts, slept := 0, []time.Duration{}
			again := remote.Retry{Backoff: wait.Backoff{Duration: time.Millisecond}, Sleep: func(_ context.Context, d time.Duration) bool {
				slept = append(slept, d)
				return true
			}}
			err := again.Do(t.Context(), nil, func() error {
				attempts++
				if attempts > len(test.answers) {
					return nil
				}
				return test.answers[attempts-1]
			})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || attempts != test.attempts {
				t.Errorf("error %v after %d attempts", err, attempts)
			}
			for i, d := range slept {
				if errors.Is(test.answers[i], limited) != (d == limited.After) {
					t.Errorf("slept %v", slept)
				}
			}
		})
	}
}

// If the time is up before the next attempt, no attempt follows.
func TestRetryUntilDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	attempts := 0
	limited := &remote.Error{Message: "limited", Passing: true, After: time.Hour}
	err := remote.Retry{}.Do(ctx, nil, func() error {
		attempts++
		return limited
	})
	if attempts != 1 || !errors.Is(err, limited) {
		t.Errorf("%d attempts, error %v", attempts, err)
	}
}
