// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"testing"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// An unknown state is not a success.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, names := range []states{gitHubStates, giteaStates, gitLabStates, azureStates} {
		for _, state := range []string{"pending", "", "SUCCESS", "excellent"} {
			if got := names.read(state); got != Pending {
				t.Errorf("the state %q is %s", state, got)
			}
		}
	}
	for _, test := range []struct {
		status  string
		mayFail bool
		want    StatusState
	}{
		{"success", false, Success}, {"skipped", false, Success}, {"failed", false, Failure}, {"failed", true, Success},
		{"canceled", false, Failure}, {"canceled", true, Success}, {"manual", false, Pending}, {"manual", true, Success},
		{"running", true, Pending}, {"scheduled", true, Pending},
	} {
		if got := gitLabState(&gitlab.CommitStatus{Status: test.status, AllowFailure: test.mayFail}); got != test.want {
			t.Errorf("a job that is %s, and may fail: %t, is %s, want %s", test.status, test.mayFail, got, test.want)
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
