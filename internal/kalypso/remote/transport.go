// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
)

// TLS configures HTTPS, with PEM texts that may be empty: the certificates to trust beside
// those of the system, and the certificate and key for a server that asks for a client
// certificate.
type TLS struct{ CABundle, ClientCertificate, ClientKey string }

// NewTransport returns a transport that uses the proxy from environment variables. Errors
// begin with the name of the wrong text, and contain no part of the text.
func NewTransport(texts TLS) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // nothing replaces it.
	if texts == (TLS{}) {
		return transport, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if texts.CABundle != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool() // the system has no certificates
		}
		if !pool.AppendCertsFromPEM([]byte(texts.CABundle)) {
			return nil, errors.New(`ca_bundle: the text has no certificate ("-----BEGIN CERTIFICATE-----"). Pass the content of the PEM file, ` +
				`not the file's name`)
		}
		config.RootCAs = pool
	}
	var err error
	config.Certificates, err = texts.clientCertificates()
	transport.TLSClientConfig = config
	return transport, err
}

// clientCertificates returns the certificate with its key; nil if both are empty.
func (t TLS) clientCertificates() ([]tls.Certificate, error) {
	if t.ClientCertificate == "" && t.ClientKey == "" {
		return nil, nil
	}
	pair, err := tls.X509KeyPair([]byte(t.ClientCertificate), []byte(t.ClientKey))
	if err != nil {
		return nil, fmt.Errorf("client_certificate: the certificate and client_key are not a valid pair: %w. Pass the content of both PEM "+
			"files, the key without a password", err)
	}
	return []tls.Certificate{pair}, nil
}
