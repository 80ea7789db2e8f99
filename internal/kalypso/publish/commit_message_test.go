// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// jenkins is the environment of a run of that number.
func jenkins(number string) map[string]string {
	return map[string]string{"JENKINS_URL": "https://ci.example.com/", "BUILD_URL": "https://ci.example.com/job/fleet/" + number + "/"}
}

// trailers are those of a branch's commit, as git reads them.
func (s server) trailers(t testing.TB, branch string) string {
	t.Helper()
	parse := gittest.Command(t.Context(), "interpret-trailers", "--parse")
	parse.Stdin = strings.NewReader(s.repo.Message(t, branch))
	out, err := parse.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The message of a commit describes the change. Git finds in it the environment, the
// source commit and the run.
func TestCommitMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.variables = jenkins("7")
	i := &instance{server: s}
	i.apply(t, s.settings(promoting(both("blue"), promoted)))
	want := `prod: +2 ~0 -0 packages in 2 cluster types

Written by a test.

Kalypso-Environment: prod
Kalypso-Promoted-Commit: ` + promoted + `
Kalypso-Run: https://ci.example.com/job/fleet/7/
`
	if diff := cmp.Diff(want, strings.TrimRight(s.repo.Message(t, "prod"), "\n")+"\n"); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	_, trailers, _ := strings.Cut(want, "a test.\n\n")
	if diff := cmp.Diff(trailers, s.trailers(t, "prod")); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
	i.variables = nil
	succeeded(t, i.destroy(t))
	if diff := cmp.Diff("Kalypso-Environment: prod\n", s.trailers(t, "prod")); diff != "" {
		t.Errorf("trailers of the removal (-want +got):\n%s", diff)
	}
}

// A text that somebody else can influence makes no line of its own.
func TestCommitMessage_hostile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		promoted string
		build    string
		want     string
	}{
		"a commit with a line break":  {promoted + "\nKalypso-Run: https://evil.example", "", ""},
		"a commit that is a sentence": {"Kalypso-Environment: dev", "", ""},
		"an abbreviated commit":       {"0a1b2c3", "", "Kalypso-Promoted-Commit: 0a1b2c3\n"},
		"a run with a line break": {promoted, "https://ci.example.com/\nKalypso-Environment: dev", "Kalypso-Promoted-Commit: " + promoted +
			"\n"},
		"a run with a password": {promoted, "https://me:secret@ci.example.com/7", "Kalypso-Promoted-Commit: " + promoted +
			"\nKalypso-Run: https://ci.example.com/7\n"},
		"a run that is not a web page": {promoted, "file:///etc/passwd", "Kalypso-Promoted-Commit: " + promoted + "\n"},
		"a run with a carriage return": {promoted, "https://ci.example.com/\rx", "Kalypso-Promoted-Commit: " + promoted + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.variables = map[string]string{"JENKINS_URL": "x", "BUILD_URL": test.build}
			i := &instance{server: s}
			i.apply(t, s.settings(promoting(both("blue"), test.promoted)))
			if diff := cmp.Diff("Kalypso-Environment: prod\n"+test.want, s.trailers(t, "prod")); diff != "" {
				t.Errorf("trailers (-want +got):\n%s", diff)
			}
		})
	}
}

// A trailer does not take an environment of several lines.
func TestCommitMessage_lines(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	in := promoting(both("blue"), promoted)
	in.Environment = "dev\n\nKalypso-Run: https://evil.example"
	settings := s.settings(in)
	settings.Limits.AllowEmpty = true
	(&instance{server: s}).apply(t, settings)
	if diff := cmp.Diff("Kalypso-Promoted-Commit: "+promoted+"\n", s.trailers(t, "prod")); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
}

// If another run repeats an apply, it continues with the commits that the first one has
// pushed.
func TestCommitMessage_repeated(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("red"))
	s.merge(t, "merge")
	i.variables = jenkins("7")
	plan, m := i.plan(t, s.proposing("blue"))
	succeeded(t, m)
	s.github.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/pulls", Times: 1, Status: http.StatusForbidden})
	if m := i.carryOut(t, s.proposing("blue"), plan); !m.Failed() {
		t.Fatal("the apply did not fail")
	}
	i.variables = jenkins("8")
	i.apply(t, s.proposing("blue"))
	head := s.only(t).Head
	want := "Kalypso-Environment: prod\nKalypso-Run: https://ci.example.com/job/fleet/7/\n"
	if diff := cmp.Diff(want, s.trailers(t, head)); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
	branches := s.repo.Branches(t)
	maps.DeleteFunc(branches, func(name, _ string) bool { return !strings.HasPrefix(name, "kalypso/") })
	if len(branches) != 1 {
		t.Errorf("branches %q", branches)
	}
}

// A squashed request has the trailers too.
func TestCommitMessage_squashed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.variables = jenkins("7")
	i := &instance{server: s}
	settings := s.requesting(promoting(both("blue"), promoted), request.Settings{Title: "Please merge", AutoMerge: "squash"})
	i.apply(t, settings)
	if log := s.repo.Log(t, "prod"); log[0] != "Please merge" || len(log) != 2 {
		t.Errorf("log %q", log)
	}
	want := "Kalypso-Environment: prod\nKalypso-Promoted-Commit: " + promoted + "\nKalypso-Run: https://ci.example.com/job/fleet/7/\n"
	if diff := cmp.Diff(want, s.trailers(t, "prod")); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
}
