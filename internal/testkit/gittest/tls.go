// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// NewClientCertificate makes a certificate that is signed by itself, with its key, as
// PEM.
func NewClientCertificate(t testing.TB) (certificate, key string) {
	t.Helper()
	signer := newEd25519(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", private)
}

// demanding returns the settings of a server whose clients have to show a certificate;
// nil if that is empty.
func demanding(t testing.TB, certificate string) *tls.Config {
	t.Helper()
	if certificate == "" {
		return nil
	}
	known := x509.NewCertPool()
	if !known.AppendCertsFromPEM([]byte(certificate)) {
		t.Fatal("the client's certificate is not valid")
	}
	// With a newer version a client without one finds out only when it is cut off.
	return &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known, MinVersion: tls.VersionTLS12,
		MaxVersion: tls.VersionTLS12}
}
