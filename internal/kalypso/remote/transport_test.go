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
		transport, err := remote.NewTransport(remote.TLS{CABundle: bundle})
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
	if _, err := remote.NewTransport(remote.TLS{CABundle: "ca.pem"}); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("with a name for a bundle: %v", err)
	}
}

// The transport shows the certificate to a server that asks for one. Without a certificate,
// the error says so.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	certificate, key := gittest.NewClientCertificate(t)
	other, otherKey := gittest.NewClientCertificate(t)
	server := gittest.ServeHTTP(t, gittest.NewBare(t), gittest.WithClientCertificate(certificate))
	get := func(texts remote.TLS) error {
		texts.CABundle = server.CABundle()
		transport, err := remote.NewTransport(texts)
		if err != nil {
			return err
		}
		defer transport.CloseIdleConnections()
		response, err := (&http.Client{Transport: transport}).Get(server.URL())
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	if err := get(remote.TLS{ClientCertificate: certificate, ClientKey: key}); err != nil {
		t.Errorf("with the certificate: %v", err)
	}
	if err := get(remote.TLS{}); err == nil {
		t.Error("without a certificate there is an answer")
	} else if e := remote.Connection("host", err); e == nil || e.Kind != remote.KindTLS || !strings.Contains(e.Message, "client_certificate") {
		t.Errorf("without a certificate: %v", err)
	}
	for name, test := range map[string]struct {
		texts remote.TLS
		says  string
	}{
		"no key":         {remote.TLS{ClientCertificate: certificate}, "not a valid pair"},
		"no certificate": {remote.TLS{ClientKey: key}, "not a valid pair"},
		"no pair":        {remote.TLS{ClientCertificate: other, ClientKey: key}, "not a valid pair"},
		"swapped":        {remote.TLS{ClientCertificate: otherKey, ClientKey: other}, "not a valid pair"},
		"no PEM":         {remote.TLS{ClientCertificate: "client.pem", ClientKey: "secret.pem"}, "not a valid pair"},
	} {
		err := get(test.texts)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret.pem") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
