// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import "testing"

// An unknown state is not a success.
func TestStates(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]StatusState{
		"success": Success, "skipped": Success, "failure": Failure, "error": Failure, "warning": Failure,
		"pending": Pending, "": Pending, "SUCCESS": Pending, "excellent": Pending,
	} {
		if got := statusState(state); got != want {
			t.Errorf("the state %q is %s, want %s", state, got, want)
		}
	}
	for _, test := range []struct {
		status, conclusion string
		want               StatusState
	}{
		{"completed", "success", Success}, {"completed", "neutral", Success}, {"completed", "skipped", Success},
		{"completed", "failure", Failure}, {"completed", "timed_out", Failure}, {"completed", "cancelled", Failure},
		{"completed", "action_required", Failure}, {"completed", "startup_failure", Failure},
		{"completed", "stale", Pending}, {"completed", "", Pending}, {"completed", "excellent", Pending},
		{"queued", "", Pending}, {"in_progress", "", Pending}, {"waiting", "success", Pending}, {"", "success", Pending},
	} {
		if got := checkState(test.status, test.conclusion); got != test.want {
			t.Errorf("a check run that is %q with %q is %s, want %s", test.status, test.conclusion, got, test.want)
		}
	}
}
