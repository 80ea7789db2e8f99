// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// moving is a history of n GitOps commits with one commit and many sources, one of which moves each
// time. The GitOps commits of the newest failing ones fail.
func moving(n, sources, failing int, prefix string) Branch {
	return Branch{
		History: func(i int) (GitOpsCommit, bool, error) {
			if i >= n {
				return GitOpsCommit{}, false, nil
			}
			all := Sources{}
			for k := range sources {
				all[fmt.Sprint(prefix, k)] = fmt.Sprint((n - i + sources - k) / sources)
			}
			return GitOpsCommit{ID: fmt.Sprint(i), Carried: map[string]Release{"": {Commit: "c", Sources: all}}}, true, nil
		},
		Reports: func(id string) ([]Report, error) {
			var i int
			_, _ = fmt.Sscan(id, &i)
			if i < failing {
				return []Report{{Context: "flux", Outcome: Failure}}, nil
			}
			return []Report{{Context: "flux", Outcome: Success}}, nil
		},
	}
}

// deciderOf decides on a promotion after environments, which are called 0, 1 and so on.
func deciderOf(t *testing.T, target History, after ...Branch) *decider {
	t.Helper()
	r, f := Rules{Environment: "prod", After: map[string]Gate{}}, Facts{Source: only("c"), Target: Branch{History: target},
		After: map[string]Branch{}}
	for i, b := range after {
		f.After[fmt.Sprint(i)] = b
		r.After[fmt.Sprint(i)] = Gate{Checks: []Check{{Context: "flux"}}}
	}
	return newDecider(t.Context(), r, f, time.Time{})
}

// Environments that follow the same sources need little work, also if their newest releases fail.
func TestWork(t *testing.T) {
	t.Parallel()
	d := deciderOf(t, moving(60, 100, 0, "a").History, moving(100, 100, 20, "a"), moving(100, 100, 20, "a"))
	result, err := d.decide(times{})
	if err != nil || result.Decision != Promote || len(result.Candidates) != 21 {
		t.Fatalf("%s with %d candidates, error %v: %s", result.Decision, len(result.Candidates), err, result.Reason)
	}
	if d.line.work.done > 200_000 {
		t.Errorf("compared %d sources", d.line.work.done)
	}
}

// If a decision may not do all the work, it is the same, or nothing newer is chosen.
func TestTooMuchWork(t *testing.T) {
	t.Parallel()
	decide := func(most int) (Result, int) {
		d := deciderOf(t, moving(3, 4, 0, "a").History, moving(9, 4, 2, "a"), moving(9, 3, 2, "b"), moving(9, 3, 2, "c"))
		d.line.work.most = most
		result, err := d.decide(times{})
		if err != nil {
			t.Fatal(err)
		}
		return result, d.line.work.done
	}
	want, all := decide(maxWork)
	if want.Decision != Promote {
		t.Fatal(want.Reason)
	}
	head, _, _ := moving(3, 4, 0, "a").History(0)
	for most := range all {
		got, _ := decide(most)
		if got.Decision == Promote && got.Reason == want.Reason {
			continue
		}
		if got.Decision != UpToDate || got.Commit != "c" || !maps.Equal(got.Sources, head.Carried[""].Sources) ||
			!strings.Contains(got.Reason, "so many combinations of sources") {
			t.Fatalf("with %d of %d: %s %v: %s", most, all, got.Decision, got.Sources, got.Reason)
		}
	}
}

// The releases of a commit are the same as without digests.
func TestReleases(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 18))
	for range 2_000 {
		var plain []Sources
		found := releases{last: map[digest]int{}}
		for range r.IntN(12) {
			sources := Sources{}
			for _, name := range []string{"a", "b", "c"} {
				if r.IntN(3) > 0 {
					sources[name] = fmt.Sprint(r.IntN(3))
				}
			}
			want := len(plain) - 1
			for want >= 0 && !plain[want].agree(sources) {
				want--
			}
			if want < 0 {
				want = len(plain)
				plain = append(plain, nil)
			}
			plain[want] = plain[want].and(sources)
			if got := found.add(sources, &work{}); got != want {
				t.Fatalf("%v is %d, want %d of %v", sources, got, want, plain)
			}
		}
	}
}
