// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"strings"
)

// startAPIServer starts etcd, the API server and the controllers that empty namespaces
// which are deleted, and gather the rules of the role edit.
func (c *Cluster) startAPIServer() error {
	secret := rand.Text()
	c.client = newClient("https://"+c.addresses.api, secret)
	if err := c.configure(secret); err != nil {
		return err
	}
	store, peers := "http://"+c.addresses.etcd, "http://"+c.addresses.peers
	if err := c.run(store+"/health", "etcd",
		"--data-dir="+c.path("data"), "--log-level=error", "--unsafe-no-fsync",
		"--listen-client-urls="+store, "--advertise-client-urls="+store,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(c.addresses.api)
	if err != nil {
		return err
	}
	if err := c.run(c.client.server+"/readyz", "kube-apiserver",
		"--etcd-servers="+store, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
		"--cert-dir="+c.path("certificates"), "--token-auth-file="+c.path("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-key-file="+c.path("accounts.key"), "--service-account-signing-key-file="+c.path("accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection", "--endpoint-reconciler-type=none"); err != nil {
		return err
	}
	return c.run(c.client.server+"/readyz", "kube-controller-manager",
		"--kubeconfig="+c.path("kubeconfig"), "--controllers=namespace-controller,clusterrole-aggregation-controller", "--leader-elect=false", "--secure-port=0")
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
