// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// startAPIServer starts etcd, the API server and the controllers that empty namespaces
// which are deleted, and gather the rules of the role edit.
func (c *Cluster) startAPIServer() error {
	secret := rand.Text()
	certificate, err := c.certify()
	if err != nil {
		return err
	}
	c.client = newClient("https://"+c.addresses.api, secret, certificate)
	if err := c.configure(secret); err != nil {
		return err
	}
	store, peers := "https://"+c.addresses.etcd, "https://"+c.addresses.peers
	public, private := c.path("etcd.crt"), c.path("etcd.key")
	if err := c.run(store+"/health", "etcd",
		"--data-dir="+c.path("data"), "--log-level=error", "--unsafe-no-fsync",
		"--listen-client-urls="+store, "--advertise-client-urls="+store,
		"--cert-file="+public, "--key-file="+private, "--trusted-ca-file="+public, "--client-cert-auth",
		"--peer-cert-file="+public, "--peer-key-file="+private, "--peer-trusted-ca-file="+public, "--peer-client-cert-auth",
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(c.addresses.api)
	if err != nil {
		return err
	}
	if err := c.run(c.client.server+"/readyz", "kube-apiserver",
		"--etcd-servers="+store, "--etcd-cafile="+public, "--etcd-certfile="+public, "--etcd-keyfile="+private,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
		"--cert-dir="+c.path("certificates"), "--token-auth-file="+c.path("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-key-file="+c.path("accounts.key"), "--service-account-signing-key-file="+c.path("accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection", "--endpoint-reconciler-type=none"); err != nil {
		return err
	}
	return c.run(c.client.server+"/readyz", "kube-controller-manager",
		"--kubeconfig="+c.path("kubeconfig"), "--controllers=namespace-controller,clusterrole-aggregation-controller", "--leader-elect=false",
		"--secure-port=0")
}

// certify writes the certificate with which etcd and those who may talk to it know each
// other, its own authority, and returns it.
func (c *Cluster) certify() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "etcd"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	for name, block := range map[string]*pem.Block{
		"etcd.crt": {Type: "CERTIFICATE", Bytes: signed}, "etcd.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(c.path(name), pem.EncodeToMemory(block), 0o600); err != nil {
			return tls.Certificate{}, err
		}
	}
	return tls.LoadX509KeyPair(c.path("etcd.crt"), c.path("etcd.key"))
}

// configure writes the key of service accounts, the administrator's token and the
// configuration with which programs reach the API server.
func (c *Cluster) configure(secret string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"accounts.key": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		"tokens.csv":   secret + `,admin,1,"system:masters"` + "\n",
		"kubeconfig": strings.Join([]string{
			"apiVersion: v1", "kind: Config", "current-context: it",
			fmt.Sprintf("clusters: [{name: it, cluster: {server: %q, insecure-skip-tls-verify: true}}]", c.client.server),
			fmt.Sprintf("users: [{name: it, user: {token: %q}}]", secret),
			"contexts: [{name: it, context: {cluster: it, user: it}}]",
		}, "\n"),
	} {
		if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
