// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/transport"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
	"golang.org/x/net/proxy"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// hostKeys is a known_hosts database.
type hostKeys interface {
	HostKeyCallback() ssh.HostKeyCallback
	HostKeyAlgorithms(hostWithPort string) []string
}

// keyNames are the names of a private key, its password, and the environment variable of the
// password, in errors.
type keyNames struct{ key, password, variable string }

var accessNames = keyNames{"ssh_private_key", "ssh_private_key_password", "KALYPSO_SSH_PRIVATE_KEY_PASSWORD"}

func (n keyNames) encrypted() error {
	return fmt.Errorf("%s is encrypted. Set %s, or %s for the key from environment variables", n.key, n.password, n.variable)
}

func (n keyNames) wrongPassword() error {
	return fmt.Errorf("%s cannot be decrypted with %s", n.key, n.password)
}

// parseKey reads a private key. Its errors contain no part of the key.
func parseKey(text, password string, names keyNames) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey([]byte(text))
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return signer, nil
	case !errors.As(err, &locked):
		return nil, fmt.Errorf("%s is not a valid private key. Pass the content of the PEM file, with its line breaks, not the file's name "+
			"and not the public key", names.key)
	case password == "":
		return nil, names.encrypted()
	}
	if signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(text), []byte(password)); err != nil {
		return nil, names.wrongPassword()
	}
	return signer, nil
}

// parseKnownHosts reads the lines of a known_hosts file. The library only reads files.
func parseKnownHosts(text string) (hostKeys, error) {
	folder, err := os.MkdirTemp("", "known_hosts")
	file := filepath.Join(folder, "known_hosts")
	if err == nil {
		defer func() { _ = os.RemoveAll(folder) }()
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("ssh_known_hosts needs a temporary file: %w", err)
	}
	db, err := gitssh.NewKnownHostsDb(file)
	if err != nil {
		cause := strings.ReplaceAll(err.Error(), file, "line ")
		return nil, fmt.Errorf("ssh_known_hosts cannot be read. Pass the lines of a known_hosts file. Cause: %s", cause)
	}
	return db, nil
}

// auth returns the authentication for the endpoint. Host keys are always checked against
// known_hosts.
func (a *access) auth(ep *transport.Endpoint) (transport.AuthMethod, error) {
	ep.Host = strings.Trim(ep.Host, "[]")
	if ep.User == "" {
		ep.User = gitssh.DefaultUsername
	}
	known := a.known
	if known == nil {
		db, err := gitssh.NewKnownHostsDb()
		if err != nil {
			return nil, remote.Errorf(remote.KindHostKey, "there is no known_hosts file to check the host key of %s against. Set "+
				"ssh_known_hosts of the credential (or KALYPSO_SSH_KNOWN_HOSTS) to the output of \"ssh-keyscan %s\", after comparing the "+
				"fingerprints with those that the host publishes", ep.Host, ep.Host)
		}
		known = db
	}
	check := known.HostKeyCallback()
	auth := &gitssh.PublicKeysCallback{User: ep.User, Callback: func() ([]ssh.Signer, error) { return []ssh.Signer{a.key}, nil }}
	if a.key == nil {
		agent, err := gitssh.NewSSHAgentAuth(ep.User)
		if err != nil {
			return nil, errNoKey
		}
		auth = agent
	}
	// A server may have more keys than known_hosts, and Go would choose an unknown one.
	auth.HostKeyAlgorithms = known.HostKeyAlgorithms(sshAddress(ep))
	auth.HostKeyCallback = func(hostname string, remote net.Addr, key ssh.PublicKey) error {
		return hostKeyError(hostname, key, check(hostname, remote, key))
	}
	return auth, nil
}

// errNoKey says that there is no key for the authentication.
var errNoKey = errors.New("there is no key, and no SSH agent")

// sshAddress is the host and port that go-git will connect to: the user's ssh_config may map a
// host to another name.
func sshAddress(ep *transport.Endpoint) string {
	host, port := ep.Host, strconv.Itoa(cmp.Or(ep.Port, gitssh.DefaultPort))
	if name := gitssh.DefaultSSHConfig.Get(ep.Host, "Hostname"); name != "" {
		host, port = name, cmp.Or(gitssh.DefaultSSHConfig.Get(ep.Host, "Port"), port)
	}
	return net.JoinHostPort(host, port)
}

// hostKeyError names the key that a host showed, and how to accept the key.
func hostKeyError(hostname string, key ssh.PublicKey, err error) error {
	if err == nil {
		return nil
	}
	host := knownhosts.Normalize(hostname)
	fingerprint := ssh.FingerprintSHA256(key)
	line := knownhosts.Line([]string{hostname}, key)
	var mismatch *knownhosts.KeyError
	text := fmt.Sprintf("the host key %s of %s is not accepted: %v", fingerprint, host, err)
	switch {
	case errors.As(err, &mismatch) && len(mismatch.Want) == 0:
		text = fmt.Sprintf("the host key of %s is not known. The host shows the %s key %s. Compare this fingerprint with the one that the "+
			"host's operator publishes; if they are the same, add this line to ssh_known_hosts:\n%s", host, key.Type(), fingerprint, line)
	case mismatch != nil:
		text = fmt.Sprintf("the host key of %s is not the one in known_hosts: the host shows the %s key %s. Somebody may be listening in, or "+
			"the host has a new key. Ask its operator; if the new key is right, replace the line in ssh_known_hosts with:\n%s",
			host, key.Type(), fingerprint, line)
	}
	return &remote.Error{Kind: remote.KindHostKey, Cause: err, Message: text}
}

// go-git's SSH reads references and the server's error channel without a limit, and its handshake ignores the context. The only
// way to its connection is a proxy, chosen by the scheme of its URL. Our proxy dials directly, as go-git does without a proxy.
const boundedScheme = "kalypso-bounded"

// dialer makes one connection, through the proxy from environment variables (ALL_PROXY), if set.
type dialer func(network, address string) (net.Conn, error)

// Dial makes the connection.
func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// DialContext makes the connection. The dialer has a context of its own.
func (d dialer) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	return d(network, address)
}

// dialers has the dialers of connections that are being opened, by their number in the proxy's URL.
var (
	dialers    sync.Map
	lastDialer atomic.Uint64
)

func init() {
	proxy.RegisterDialerType(boundedScheme, func(u *url.URL, _ proxy.Dialer) (proxy.Dialer, error) {
		found, _ := dialers.Load(u.Host)
		return found.(dialer), nil //nolint:errcheck,forcetypeassert // dialBounded has stored it.
	})
}

// dialBounded makes the connection to an SSH endpoint use up an allowance, and ends it if ctx ends. The caller calls
// done after the session is open.
func dialBounded(ctx context.Context, ep *transport.Endpoint, allowance *remote.Allowance) (done func()) {
	number := strconv.FormatUint(lastDialer.Add(1), 10)
	stop := func() bool { return true }
	dialers.Store(number, dialer(func(network, address string) (net.Conn, error) {
		conn, err := proxy.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		return boundedConn{conn, allowance.Reader(conn)}, nil
	}))
	ep.Proxy.URL = boundedScheme + "://" + number
	return func() {
		dialers.Delete(number)
		stop()
	}
}

type boundedConn struct {
	net.Conn
	bounded io.Reader
}

func (c boundedConn) Read(p []byte) (int, error) { return c.bounded.Read(p) }
