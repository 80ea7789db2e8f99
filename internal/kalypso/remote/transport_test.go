// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestNewTransport(t *testing.T) {
	t.Parallel()
	server := gittest.ServeHTTP(t, gittest.NewBare(t), gittest.WithTLS())
	get := func(bundle string) error {
		transport, err := remote.NewTransport(bundle)
		if err != nil {
			t.Fatal(err)
		}
		defer transport.CloseIdleConnections()
		response, err := (&http.Client{Transport: transport}).Get(server.URL())
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	if err := get(server.CABundle()); err != nil {
		t.Errorf("with the bundle: %v", err)
	}
	if e := remote.Connection("host", get("")); e == nil || e.Kind != remote.KindTLS {
		t.Errorf("without a bundle: %v", e)
	}
	if _, err := remote.NewTransport("ca.pem"); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("with a name for a bundle: %v", err)
	}
}
