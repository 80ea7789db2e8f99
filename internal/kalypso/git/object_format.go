// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// checkFormat says that a repository has ids of another kind than ours, where that is
// what came of listing its references, else what came of it.
func (r *repo) checkFormat(advertised *packp.AdvRefs, err error) error {
	const sha256 = "sha256"
	var data *packp.ErrUnexpectedData
	switch {
	case err == nil && slices.Contains(advertised.Capabilities.Get(capability.ObjectFormat), sha256):
	case errors.As(err, &data) && bytes.Contains(data.Data, []byte(capability.ObjectFormat.String()+"="+sha256)): // behind an id that is too long
	default:
		return err
	}
	return &remote.Error{Kind: remote.KindRefused, Message: fmt.Sprintf(
		"%s has SHA-256 object ids, which are not supported. Use a repository with SHA-1 ids, as git init makes it without --object-format", r.name)}
}
