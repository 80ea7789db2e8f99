// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/net/proxy"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// go-git's SSH reads references and the server's error channel without a bound. The only
// way to its connection is a proxy, chosen by the scheme of its URL. Our proxy dials
// directly, as go-git does without a proxy, and bounds what it receives.
const boundedScheme = "kalypso-bounded"

// dialers has the allowances of connections that are being made, by their number in
// the proxy's URL.
var (
	dialers    sync.Map
	lastDialer atomic.Uint64
)

func init() {
	proxy.RegisterDialerType(boundedScheme, func(u *url.URL, _ proxy.Dialer) (proxy.Dialer, error) {
		allowance, ok := dialers.Load(u.Host)
		if !ok {
			return nil, errors.New("the connection was given up")
		}
		return boundedDialer{allowance.(*remote.Allowance)}, nil //nolint:errcheck,forcetypeassert // nothing else is stored.
	})
}

// dialBounded has the connection to an SSH endpoint use up an allowance. The caller
// calls done once it is made.
func dialBounded(ep *transport.Endpoint, allowance *remote.Allowance) (done func()) {
	number := strconv.FormatUint(lastDialer.Add(1), 10)
	dialers.Store(number, allowance)
	ep.Proxy.URL = boundedScheme + "://" + number
	return func() { dialers.Delete(number) }
}

type boundedDialer struct{ allowance *remote.Allowance }

func (d boundedDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialContext dials through the proxy of the environment (ALL_PROXY), if any.
func (d boundedDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := proxy.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return boundedConn{conn, d.allowance}, nil
}

type boundedConn struct {
	net.Conn
	allowance *remote.Allowance
}

func (c boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if spent := c.allowance.Take(n); spent != nil {
		return 0, spent
	}
	return n, err
}
