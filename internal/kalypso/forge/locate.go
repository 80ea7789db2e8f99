// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// site is a repository on a forge, and how to reach it.
type site struct {
	kind   *kind
	config Config
	// root is the address of the forge's pages, without a slash at its end: that of base_url, else
	// of the repository's host.
	root string
	// path is the repository's path below root.
	path []string
	// overSSH says that the repository's URL does not show the folder that the forge is served from.
	overSSH bool
}

// These errors say why a repository has no forge to ask: no forge exists, the forge is
// unknown, or credentials are missing. They are mistakes only if the caller needs a forge.
var (
	ErrNoForge = errors.New("no forge")
	ErrNoToken = errors.New("no token")
)

func noForge(format string, args ...any) error {
	return &remote.Error{Kind: remote.KindRefused, Message: fmt.Sprintf(format, args...), Cause: ErrNoForge}
}

// locate finds the forge of a repository: by the configuration for its URL, or by its host.
func (c *Client) locate(ctx context.Context, repo string) (site, error) {
	address, err := remote.Parse(repo)
	if err != nil {
		return site{}, err
	}
	config, _ := remote.Longest(address, c.forges, func(f Config) remote.Prefix { return remote.ParsePrefix(f.URLPrefix) })
	s := site{config: config, path: strings.Split(address.Name(), "/"), overSSH: address.Protocol == remote.SSH}
	shown := address.String()
	if address.Protocol == remote.File && config.BaseURL == "" {
		return site{}, noForge("%s is a folder, not a forge with pull requests and commit statuses. Use the "+
			"repository's URL on its forge, or do without pull requests and statuses", shown)
	}
	root, err := rootOf(config.BaseURL, address)
	if err != nil {
		return site{}, fmt.Errorf("the forge configuration for %s: %w", shown, err)
	}
	s.root = root.String()
	s.skip(strings.Split(strings.Trim(root.Path, "/"), "/"))
	if s.kind = kindOf(config.Kind, root.Host); s.kind == nil {
		return site{}, noForge("the host of %s does not show its kind of forge. Set its type in a block forge of the provider, with "+
			"the repository's "+
			"url_prefix: %s. On any other server, the "+
			"provider can write branches, so do without pull_request", shown, Described(""))
	}
	if len(s.path) < 2 {
		return site{}, noForge("%s: the URL of a repository on a forge ends in its owner and its name: https://host/owner/name", shown)
	}
	if err := s.checkCredential(shown); err != nil {
		return site{}, err
	}
	if config.FromEnvironment {
		to := remote.URL{Protocol: root.Scheme, Host: root.Hostname()}
		if why := c.trust.Withheld(ctx, address, to); why != "" {
			return site{}, remote.Errorf(remote.KindWithheld, "the forge of %s does not get the credentials KALYPSO_FORGE_*: %s (forge)", shown,
				why)
		}
	}
	return s, nil
}

// rootOf returns the address of the forge's pages.
func rootOf(base string, address remote.URL) (*url.URL, error) {
	if base == "" {
		u := &url.URL{Scheme: remote.HTTPS, Host: address.Address()}
		switch address.Protocol {
		case remote.HTTP:
			u.Scheme = remote.HTTP
		case remote.SSH:
			u.Host = strings.ToLower(address.Host) // the port of SSH is not the port of the web pages
		}
		u.Host = pagesOf(u.Host)
		return u, nil
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != remote.HTTPS && u.Scheme != remote.HTTP:
		return nil, errors.New("base_url is not a web address. Write https://host")
	case u.User != nil:
		return nil, errors.New("base_url has a user or password. Set the token in the attribute token")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New(`base_url has "?" or "#". Write https://host`)
	}
	u.Host, u.Path = pagesOf(strings.ToLower(u.Host)), strings.TrimRight(u.Path, "/")
	for _, k := range kinds {
		u.Path = strings.TrimSuffix(u.Path, k.api)
	}
	return u, nil
}

// skip removes the folder of base_url from the beginning of the repository's path.
func (s *site) skip(folder []string) {
	for _, segment := range folder {
		if len(s.path) == 0 || !strings.EqualFold(s.path[0], segment) {
			return
		}
		s.path = s.path[1:]
	}
}

// checkCredential finds missing and conflicting settings in the configuration.
func (s site) checkCredential(shown string) error {
	switch {
	case s.config.Token == "" && (s.config.App == nil || s.config.FromEnvironment && !s.kind.hasApps):
		return &remote.Error{Kind: remote.KindAuthentication, Cause: ErrNoToken,
			Message: fmt.Sprintf("pull requests and commit statuses of %s need a token of %s. Set the token in a block forge of the "+
				"provider, with the "+
				"repository's url_prefix, or in the environment variable KALYPSO_FORGE_TOKEN", shown, s.kind.name)}
	case s.config.Token != "" && s.config.App != nil:
		return fmt.Errorf("the forge configuration for %s has a token and a GitHub App. Remove one of the two", shown)
	case s.config.App != nil && !s.kind.hasApps:
		return fmt.Errorf("the forge configuration for %s has a GitHub App, but %s has no Apps. Set a token", shown, s.kind.name)
	}
	return nil
}
