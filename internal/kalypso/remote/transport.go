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

// TLS is how to speak to servers over HTTPS, as PEM texts that may be empty: the
// certificates to trust beside those of the system, and the certificate to show to a
// server that asks for one, with its key.
type TLS struct{ CABundle, ClientCertificate, ClientKey string }

// NewTransport returns a transport that uses the proxy of the environment. Errors
// begin with the name of the text that is wrong, and hold nothing of it.
func NewTransport(texts TLS) (*http.Transport, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = base.Clone()
	}
	if texts == (TLS{}) {
		return transport, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if texts.CABundle != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool() // a system without certificates
		}
		if !pool.AppendCertsFromPEM([]byte(texts.CABundle)) {
			return nil, errors.New(`ca_bundle: it holds no certificate ("-----BEGIN CERTIFICATE-----"). Pass the content of the PEM file, ` +
				`not its name`)
		}
		config.RootCAs = pool
	}
	certificate, err := texts.clientCertificate()
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	transport.TLSClientConfig = config
	return transport, nil
}

// CheckClient says what is wrong with the client's certificate and key, or nil.
func (t TLS) CheckClient() error {
	_, err := t.clientCertificate()
	return err
}

// clientCertificate returns the certificate with its key; nil if there is none.
func (t TLS) clientCertificate() (*tls.Certificate, error) {
	switch {
	case t.ClientCertificate == "" && t.ClientKey == "":
		return nil, nil
	case t.ClientCertificate == "":
		return nil, errors.New("client_certificate: it is missing beside client_key. Set both, or none")
	case t.ClientKey == "":
		return nil, errors.New("client_key: it is missing beside client_certificate. Set both, or none")
	}
	pair, err := tls.X509KeyPair([]byte(t.ClientCertificate), []byte(t.ClientKey))
	if err != nil {
		return nil, fmt.Errorf("client_certificate: it and client_key are not a usable pair: %w. Pass the content of both PEM files, "+
			"the key without a password", err)
	}
	return &pair, nil
}
