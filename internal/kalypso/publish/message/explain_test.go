// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"errors"
	"fmt"
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
		"unsigned": {said(remote.KindUnsigned, "unsigned"), "Unsigned. Set commit_signing in the provider, and add its key to the account at " +
			"the forge."},
		"no auto-merge":  {said(remote.KindNoAutoMerge, "turn it on"), "Turn it on. Or remove auto_merge."},
		"no such method": {said(remote.KindNoMethod, "allow it"), "Allow it. Or set another auto_merge."},
		"no drafts":      {said(remote.KindNoDraft, "no drafts"), "No drafts. With draft = false, new requests are ready for review."},
		"in another error": {fmt.Errorf("request 3: %w", said(remote.KindNoDraft, "no drafts")), "Request 3: no drafts. With draft = false, " +
			"new requests are ready for review."},
		"the server's words": {
			said(remote.KindProtected, "refused\nThe server said:\nGH006"),
			"Refused\nThe server said:\nGH006.\nTo propose the change as a pull request, add a pull_request block. Or let the user of the " +
				"credential push to the branch.",
		},
		"several": {
			errors.Join(said(remote.KindRefused, "one"), errors.Join(said(remote.KindNoMethod, "two"), said(remote.KindNoDraft, "three"))),
			"One.\nTwo. Or set another auto_merge.\nThree. With draft = false, new requests are ready for review.",
		},
		"several of a kind": {
			errors.Join(said(remote.KindUnsigned, "one"), said(remote.KindNoDraft, "two"), said(remote.KindUnsigned, "three")),
			"One.\nTwo. With draft = false, new requests are ready for review.\nThree. Set commit_signing in the provider, and add its " +
				"key to the account at the forge.",
		},
	} {
		if diff := cmp.Diff(test.want, message.Explain(git.Location{}, test.err, false, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
