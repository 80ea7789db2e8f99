// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// site is the forge of a repository, and how to reach it.
type site struct {
	kind        Software
	config      Config
	root        string // the address of the forge's pages, without a slash at its end
	owner, name string
}

// plainHosts are hosts with a known forge.
var plainHosts = map[string]Software{"github.com": GitHub, "codeberg.org": Gitea, "gitea.com": Gitea}

// locate finds the forge of a repository: by the configuration for its URL, or by its host.
func (c *Client) locate(ctx context.Context, repo string) (site, error) {
	address, err := remote.Parse(repo)
	if err != nil {
		return site{}, err
	}
	s := site{config: c.configFor(address)}
	shown := address.String()
	if address.Protocol == remote.File && s.config.BaseURL == "" {
		return site{}, noForge("%s is a folder, not a forge with pull requests and commit statuses. Use the "+
			"repository's URL on its forge, or do without pull requests and statuses", shown)
	}
	var prefix []string
	if prefix, err = s.splitPath(address); err != nil {
		return site{}, noForge("%s: %v", shown, err)
	}
	if s.root, err = rootOf(s.config.BaseURL, address, prefix); err != nil {
		return site{}, fmt.Errorf("the forge configuration for %s: %w", shown, err)
	}
	if s.kind = cmp.Or(s.config.Kind, guess(s.root)); s.kind == "" {
		if strings.HasPrefix(address.Host, "gitlab.") {
			return site{}, noForge("%s is on GitLab, which is not supported: pull requests and commit statuses need GitHub, Gitea or "+
				"Forgejo", shown)
		}
		return site{}, noForge(`the host of %s does not show its kind of forge. Set the kind in forges of the provider: type = "github" `+
			`(GitHub Enterprise Server too) or "gitea" (Forgejo too) with the repository's url_prefix`, shown)
	}
	if s.kind == GitHub && len(prefix) > 0 {
		return site{}, fmt.Errorf("the path of %s has more parts than owner and name, unlike repositories on GitHub. Correct the URL", shown)
	}
	if err := s.check(shown); err != nil {
		return site{}, err
	}
	if why := c.withheld(ctx, address, s); why != "" {
		return site{}, remote.Errorf(remote.KindWithheld, "the forge of %s does not get KALYPSO_FORGE_TOKEN: %s (forges)", shown, why)
	}
	return s, nil
}

// withheld says why the forge of a repository does not get the token from environment
// variables; empty if it gets this token or another one.
func (c *Client) withheld(ctx context.Context, address remote.URL, s site) string {
	if !s.config.FromEnvironment {
		return ""
	}
	root, err := url.Parse(s.root)
	if err != nil {
		return err.Error()
	}
	return c.trust.Withheld(ctx, address, remote.URL{Protocol: root.Scheme, Host: root.Hostname()})
}

// configFor returns the configuration with the longest prefix of the URL.
func (c *Client) configFor(u remote.URL) Config {
	config, _ := remote.Longest(u, c.forges, func(f Config) remote.Prefix { return remote.ParsePrefix(f.URLPrefix) })
	return config
}

// splitPath removes owner and name from the end of the repository's path, and returns the
// rest: the folder that the forge is served from.
func (s *site) splitPath(address remote.URL) (prefix []string, err error) {
	segments := strings.Split(address.Name(), "/")
	if len(segments) < 2 {
		return nil, errors.New("the URL of a repository on a forge ends in its owner and its name: https://host/owner/name")
	}
	last := len(segments) - 2
	s.owner, s.name = segments[last], segments[last+1]
	return segments[:last], nil
}

// rootOf returns the address of the forge's pages.
func rootOf(base string, address remote.URL, prefix []string) (string, error) {
	if base == "" {
		protocol, host := "https", address.Address()
		switch address.Protocol {
		case remote.HTTP:
			protocol = "http"
		case remote.SSH:
			if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
				host = host[:i] // the port of SSH is not the port of the web pages
			}
			if host == "ssh.github.com" {
				host = "github.com"
			}
			prefix = nil
		}
		return strings.Join(append([]string{protocol + "://" + host}, prefix...), "/"), nil
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("base_url is not a web address. Write https://host")
	case u.User != nil:
		return "", errors.New("base_url has a user or password. Set the token in the attribute token")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New(`base_url has "?" or "#". Write https://host`)
	}
	u.Host = strings.ToLower(u.Host)
	u.Path = strings.TrimRight(u.Path, "/")
	for _, api := range []string{"/api/v3", "/api/v1"} {
		u.Path = strings.TrimSuffix(u.Path, api)
	}
	if u.Host == "api.github.com" || strings.HasPrefix(u.Host, "api.") && strings.HasSuffix(u.Host, ".ghe.com") {
		u.Host = strings.TrimPrefix(u.Host, "api.")
	}
	return u.String(), nil
}

// guess returns the kind of a forge by its host; empty if the host does not show the kind.
func guess(root string) Software {
	_, host, _ := strings.Cut(root, "://")
	host, _, _ = strings.Cut(host, "/")
	if strings.HasSuffix(host, ".ghe.com") {
		return GitHub // GitHub Enterprise Cloud with data residency
	}
	return plainHosts[host]
}

// check finds missing and conflicting settings in the configuration.
func (s site) check(shown string) error {
	switch {
	case s.kind != GitHub && s.kind != Gitea:
		return fmt.Errorf(`the kind of the forge of %s is %q. Use "github" or "gitea"`, shown, s.kind)
	case s.config.Token == "" && s.config.App == nil:
		return &remote.Error{Kind: remote.KindAuthentication, Cause: ErrNoToken,
			Message: fmt.Sprintf("pull requests and commit statuses of "+
				"%s need a token of %s. Set the token in forges of the provider, with the repository's url_prefix, or in the environment variable "+
				"KALYPSO_FORGE_TOKEN", shown, s.kind)}
	case s.config.Token != "" && s.config.App != nil:
		return fmt.Errorf("the forge configuration for %s has a token and a GitHub App. Remove one of the two", shown)
	case s.config.App != nil && s.kind != GitHub:
		return fmt.Errorf("the forge configuration for %s has a GitHub App, but %s has no Apps. Set a token", shown, s.kind)
	}
	return nil
}
