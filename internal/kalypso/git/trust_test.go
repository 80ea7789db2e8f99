// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestNewHTTPTransport(t *testing.T) {
	t.Parallel()
	server := gittest.ServeHTTP(t, gittest.NewBare(t), gittest.WithTLS())
	get := func(bundle string) error {
		transport, err := git.NewHTTPTransport(bundle)
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
	if err := get(""); !git.IsTLS(err) {
		t.Errorf("without a bundle: %v", err)
	}
	if _, err := git.NewHTTPTransport("ca.pem"); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("with a name for a bundle: %v", err)
	}
}
