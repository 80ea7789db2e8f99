// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// An upgrade alone changes nothing. If the new version renders other files, the plan names the
// version as the reason, unless the fleet or the branch has changed too.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	blue := s.settings(both("blue"))
	i.apply(t, blue)
	i.version = "2.0.0"
	i.standsStill(t, blue)
	const reason = "Version 2.0.0 of the provider renders these files differently from version test"
	plan, m := i.plan(t, s.settings(both("green")))
	if succeeded(t, m); !plan.Differs || strings.Contains(fmt.Sprint(m.Warnings), reason) {
		t.Errorf("a changed fleet is the reason of a change: %+v", m.Warnings)
	}
	i.renders = func(in engine.Input) engine.Input {
		in.Manifests = both("green").Manifests
		return in
	}
	plan, m = i.plan(t, blue)
	if succeeded(t, m); !plan.Differs || !strings.Contains(fmt.Sprint(m.Warnings), reason) {
		t.Errorf("the version is not named: %+v", m.Warnings)
	}
	i.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited: true\n"})
	_, m = i.plan(t, blue)
	if succeeded(t, m); strings.Contains(fmt.Sprint(m.Warnings), reason) {
		t.Errorf("an edit may be the reason of a change: %+v", m.Warnings)
	}
}
