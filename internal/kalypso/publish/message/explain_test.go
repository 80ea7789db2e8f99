// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// What a server does not do is told with the setting that goes another way.
func TestExplainNamesSettings(t *testing.T) {
	t.Parallel()
	said := func(kind remote.ErrorKind, words string) error { return &remote.Error{Kind: kind, Message: words} }
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"nothing to set": {said(remote.KindRefused, "it refuses"), "It refuses."},
		"no start": {said(remote.KindStartNotFound, "no start"), "No start. Correct create_branch_from, or leave it out to start a " +
			"branch without history."},
		"no base": {said(remote.KindBaseNotFound, "no base"), "No base. A pull request needs a base branch: create the " +
			"branch first, or set create_branch_from."},
		"no auto-merge":  {said(remote.KindNoAutoMerge, "turn it on"), "Turn it on. Or remove auto_merge."},
		"no such method": {said(remote.KindNoMethod, "allow it"), "Allow it. Or set another auto_merge."},
		"no drafts":      {said(remote.KindNoDraft, "no drafts"), "No drafts. With draft = false, new requests are ready for review."},
		"in another error": {fmt.Errorf("request 3: %w", said(remote.KindNoDraft, "no drafts")), "Request 3: no drafts. With draft = false, " +
			"new requests are ready for review."},
		"the server's words": {
			said(remote.KindNoDraft, "refused\nThe server said:\nno drafts"),
			"Refused\nThe server said:\nno drafts.\nWith draft = false, new requests are ready for review.",
		},
		"several": {
			errors.Join(said(remote.KindRefused, "one"), errors.Join(said(remote.KindNoMethod, "two"), said(remote.KindNoDraft, "three"))),
			"One.\nTwo. Or set another auto_merge.\nThree. With draft = false, new requests are ready for review.",
		},
		"several of a kind": {
			errors.Join(said(remote.KindNoMethod, "one"), said(remote.KindNoDraft, "two"), said(remote.KindNoMethod, "three")),
			"One.\nTwo. With draft = false, new requests are ready for review.\nThree. Or set another auto_merge.",
		},
	} {
		if diff := cmp.Diff(test.want, message.Explain(git.Location{}, test.err, false, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A destroy that cannot write any more says how to end without it.
func TestGoneForGood(t *testing.T) {
	t.Parallel()
	for kind, want := range map[remote.ErrorKind]string{
		remote.KindNotFound: "If the repository was deleted", remote.KindArchived: "To leave the repository as it is",
	} {
		text := message.Sentence(message.GoneForGood(&remote.Error{Kind: kind, Message: "it refuses"}))
		if !strings.Contains(text, want) || !strings.Contains(text, "terraform state rm") {
			t.Error(text)
		}
	}
}
