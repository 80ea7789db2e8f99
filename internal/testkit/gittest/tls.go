// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
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

// serveCertificate serves HTTPS with a certificate for a host, which is valid until a time. It returns the address, and the certificate as
// PEM. No request comes to an end.
func serveCertificate(t testing.TB, host string, until time.Time) (address, certificate string) {
	t.Helper()
	signer := newEd25519(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, NotBefore: until.Add(-24 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true, DNSNames: []string{host}, IPAddresses: []net.IP{net.ParseIP(host)},
	}
	if template.IPAddresses[0] == nil {
		template.IPAddresses = nil
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came through") }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: signer}}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// BadCertificate is a certificate that nobody accepts.
type BadCertificate struct {
	Name, Host string
	Until      time.Time
	// IsKnown is true if the client has it as an authority. Words are in the error.
	IsKnown bool
	Words   string
}

// BadCertificates are certificates of 127.0.0.1 that nobody accepts.
var BadCertificates = []BadCertificate{
	{Name: "expired", Host: "127.0.0.1", Until: time.Now().Add(-time.Hour), IsKnown: true, Words: "the clock of this machine"},
	{Name: "of another host", Host: "git.example.com", Until: time.Now().Add(time.Hour), IsKnown: true,
		Words: "the name of the host that is in the certificate"},
	{Name: "of an unknown authority", Host: "127.0.0.1", Until: time.Now().Add(time.Hour), Words: "ca_bundle"},
}

// Serve serves the certificate, and returns the address, and the authorities that a client knows.
func (c BadCertificate) Serve(t testing.TB) (address, authorities string) {
	t.Helper()
	address, authorities = serveCertificate(t, c.Host, c.Until)
	if !c.IsKnown {
		_, authorities = serveCertificate(t, c.Host, c.Until)
	}
	return address, authorities
}
