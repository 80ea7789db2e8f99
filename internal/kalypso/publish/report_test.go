// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// change returns the text of the warning that shows the planned change.
func change(t *testing.T, m message.Messages) string {
	t.Helper()
	for _, w := range m.Warnings {
		if strings.HasPrefix(w.Summary, message.PlannedChange) {
			return w.Detail
		}
	}
	t.Fatalf("no change is planned: %+v", m)
	return ""
}

// The body of a request and the warning of its plan have the same lines, at a destroy too.
func TestRequestHasTheReportOfThePlan(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r := s.resource()
	for _, family := range []string{"blue", "green"} {
		plan, m := r.plan(t, s.proposing(family))
		want := regexp.MustCompile(`(?m)^ `).ReplaceAllString(change(t, m), "")
		succeeded(t, r.carryOut(t, s.proposing(family), plan))
		pull := s.only(t)
		got := strings.ReplaceAll(strings.ReplaceAll(pull.Body, "```diff\n", ""), "```\n", "")
		if diff := cmp.Diff(want+"\n", got); diff != "" {
			t.Errorf("%s (-plan +request):\n%s", family, diff)
		}
		s.github.Merge(t, pull.Number, "merge")
		r.status(t, publish.InSync)
	}
	r.was.OnDestroy = "delete"
	succeeded(t, r.destroy(t))
	body := s.only(t).Body
	if !strings.Contains(body, "\n- web-live on large, small\n") || !strings.Contains(body, "\n- large/web-live (3 files)\n") {
		t.Errorf("the body at a destroy is\n%s", body)
	}
}

// A preview against the merge base, in a repository of its own, has the code of the real plan.
func TestCodeOfPreview(t *testing.T) {
	t.Parallel()
	none, err := limits.ParseAmount("0")
	if err != nil {
		t.Fatal(err)
	}
	code := func(s *server, path string) string {
		r := s.resource()
		at := func(family string) publish.Settings {
			settings := s.settings(with(both(family), batch))
			settings.Path, settings.Limits.MaxChanged = given(path), none
			return settings
		}
		r.apply(t, at("blue"))
		_, m := r.plan(t, at("green"))
		return codeOf(t, m)
	}
	hub, local := newGitHub(t), newServer(t)
	if preview, actual := code(local, "."), code(hub, "fleet/prod"); preview != actual {
		t.Errorf("the code of the preview is %s, that of the plan %s", preview, actual)
	}
}
