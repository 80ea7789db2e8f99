// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// reader reads for one run, also repositories on this machine.
func reader(t testing.TB, credentials ...git.Credential) deployed.Reader {
	t.Helper()
	return deployed.Reader{Reader: recordtest.Reader(t, credentials...), Forges: forge.NewClient(forge.Options{})}
}
