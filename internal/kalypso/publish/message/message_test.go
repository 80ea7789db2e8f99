// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"

	"github.com/google/go-cmp/cmp"
)

// Sources that cannot be read for the same reason are one message, with the advice once.
func TestTold(t *testing.T) {
	t.Parallel()
	unread := func(name, why string) problem.Problem {
		repo := "https://git.example/" + name
		return problem.Problem{Summary: "A source cannot be read", Subject: "WorkloadRegistration/" + name, Where: repo + "#main:.",
			Detail: repo + why}
	}
	got := message.Told([]problem.Problem{unread("a", " needs a token."), unread("b", " is gone."), unread("c", " needs a token.")})
	want := []message.Message{
		{Summary: "A source cannot be read", Detail: "WorkloadRegistration/a (https://git.example/a#main:.): " +
			"https://git.example/a needs a token.\n\n" +
			"The same problem is in 1 more: WorkloadRegistration/c (https://git.example/c#main:.)."},
		{Summary: "A source cannot be read", Detail: "WorkloadRegistration/b (https://git.example/b#main:.): " +
			"https://git.example/b is gone."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
