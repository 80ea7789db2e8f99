// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// The plan of a new resource warns about everything for which its apply would fail. The
// warnings do not change the planned values.
func TestLook(t *testing.T) {
	t.Parallel()
	plain, _ := (&instance{server: newServer(t)}).plan(t, newServer(t).settings(both("green")))
	for name, test := range map[string]struct {
		prepare func(t *testing.T, s server) server
		want    []string
		words   string
	}{
		"nothing": {func(_ *testing.T, s server) server { return s }, nil, ""},
		"a repository that is not there": {func(t *testing.T, s server) server {
			return server{repo: s.repo, url: "file://" + filepath.Join(t.TempDir(), "gone.git"), computed: s.computed, waits: s.waits}
		}, []string{"The GitOps repository cannot be read"}, "The apply will need the repository"},
		"another instance's folder": {func(t *testing.T, s server) server {
			(&instance{server: s}).apply(t, s.settings(fleet("blue", "large")))
			return s
		}, []string{"Folders are taken over"}, "add a moved block"},
		"a folder of nobody": {func(t *testing.T, s server) server {
			s.edit(t, "prod", map[string]string{"small/theirs": "theirs"})
			return s
		}, []string{"Other files are in the way"}, "already has folder small"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := test.prepare(t, newServer(t))
			plan, m := (&instance{server: s}).plan(t, s.settings(both("green")))
			succeeded(t, m)
			warnsOf(t, m, test.want...)
			says(t, m.Warnings, test.words)
			if diff := cmp.Diff(plain.Packages, plan.Packages); diff != "" || plan.Summary != plain.Summary {
				t.Errorf("the plan depends on what is there: %s\n%s", plan.Summary, diff)
			}
		})
	}
}

// A plan that takes folders over shows the changes in them, and does not show all of them
// as new. The planned values are the same.
func TestLookAtWhatIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edits   map[string]string
		summary string
		diff    string
	}{
		"as it is to be": {nil, "+0 ~0 -0 packages in 0 cluster types, compared with the present content", ""},
		"edited": {
			map[string]string{"large/web-live/reconciler.yaml": "edited: true\n", "small/stray": "x"},
			"+0 ~1 -1 packages in 2 cluster types, compared with the present content", `(?s)deleted file mode 100644.*-edited: true\n`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			(&instance{server: s}).apply(t, s.settings(both("blue")))
			if test.edits != nil {
				s.edit(t, "prod", test.edits)
			}
			renamed := &instance{server: s}
			plan, m := renamed.plan(t, s.settings(both("blue")))
			succeeded(t, m)
			changes(t, plan, "+2 ~0 -0 packages in 2 cluster types")
			if !regexp.MustCompile(test.diff).MatchString(plan.Diff) || strings.Contains(plan.Diff, "new file") ||
				(plan.Diff == "") != (test.diff == "") {
				t.Errorf("the plan shows\n%s", plan.Diff)
			}
			says(t, m.Warnings, test.summary)
			succeeded(t, renamed.carryOut(t, s.settings(both("blue")), plan))
			s.holds(t, "prod", fleetFiles...)
		})
	}
}

// An apply does not overwrite a change that somebody makes after the plan, whether another
// record lists the folder or only our own does.
func TestWhatIsTakenOverHasNotChanged(t *testing.T) {
	t.Parallel()
	edited := map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"}
	for name, begin := range map[string]func(i *instance, s server) *instance{
		"another record": func(_ *instance, s server) *instance { return &instance{server: s} },
		"our own record": func(i *instance, s server) *instance {
			i.apply(t, s.settings(part(both("blue"), "large")))
			return i
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(part(both("blue"), "large small")))
			i = begin(i, s)
			wants := s.settings(part(both("green"), "large small"))
			i.refresh(t)
			plan, m := i.plan(t, wants)
			succeeded(t, m)
			s.edit(t, "prod", edited)
			m = i.carryOut(t, wants, plan)
			says(t, m.Errors, "The plan has not shown that this apply would take over", "small", "Plan again")
			s.contains(t, "small/web-live/reconciler.yaml", "edited: true\n")
			i.apply(t, wants)
			if now := s.repo.Files(t, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(now, "green") {
				t.Errorf("the next apply leaves %q", now)
			}
			i.standsStill(t, wants)
		})
	}
}

// If one operation warns twice under one title, this is one warning, because Terraform
// would show only the first.
func TestAbout(t *testing.T) {
	t.Parallel()
	m := message.Messages{Warnings: []message.Message{{Summary: "a", Detail: "one"}, {Summary: "b"}, {Summary: "a", Detail: "two"}}}
	want := []message.Message{{Summary: "a: prod", Detail: "one\n\ntwo"}, {Summary: "b: prod"}}
	if diff := cmp.Diff(want, m.About("prod", "").Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
