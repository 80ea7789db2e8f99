// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
)

// NewTransport returns a transport that uses the proxy of the environment and
// trusts the certificates of a PEM bundle beside those of the system. The bundle
// may be empty; one without a certificate is an error.
func NewTransport(caBundle string) (*http.Transport, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = base.Clone()
	}
	if caBundle == "" {
		return transport, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without certificates
	}
	if !pool.AppendCertsFromPEM([]byte(caBundle)) {
		return nil, errors.New(`it holds no certificate ("-----BEGIN CERTIFICATE-----"). Pass the content of the PEM file, not its name`)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return transport, nil
}
