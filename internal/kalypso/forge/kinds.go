// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Software is a forge's software.
type Software string

// kind is a kind of forges, with everything that is true of it only. Its file has the value.
type kind struct {
	software Software
	// name and request are the names of the forge and of its pull requests in messages. also is other
	// software of the same kind.
	name, request, also string
	// hosts are known hosts. ".ghe.com" includes all hosts below it. otherHosts are hosts for SSH or the
	// interface, with the hosts of the same forge's pages.
	hosts      []string
	otherHosts map[string]string
	// api ends addresses of the interface that people write for the address of the forge.
	api     string
	connect func(s site, client *http.Client) (Forge, error)
	// hasApps says that an App can authenticate.
	hasApps bool
	// refusals explain the texts of the forge's refusals. The first that matches counts.
	refusals []refusal
	// ofPush are the words, in lower case, with which the forge refuses a push.
	ofPush map[pushRefusal][]string
	// rateLimit are words of a refusal, in lower case, that mean a rate limit.
	rateLimit []string
	// asksLogin reports whether an answer that looks like another one asks for a login; nil if none does.
	asksLogin func(r *http.Response) bool
	// rights says which right a credential lacks, if the answer shows it; nil if none does.
	rights func(a *answer) string
	// check returns an error for settings that the forge lacks; nil if it has all.
	check func(s Settings) error
	// maxBody is how many bytes the description of a request may have.
	maxBody int
	// mergesInAwait says that the forge cannot wait for its rules and still merge only our commit, so
	// Await merges.
	mergesInAwait bool
	// ciRun returns the run of the forge's CI by its environment variables, which is empty if they are not
	// set; nil if the forge has no CI.
	ciRun func(get func(name string) string) Run
}

// kinds is the table of forges: a new forge is a file and a row.
var kinds = []*kind{gitHubKind, giteaKind, gitLabKind, azureKind}

// Kinds returns the names of all kinds of forges.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.software))
	}
	return names
}

// Described lists the kinds of forges with other software of the same kind, in quotes if these are given.
func Described(quote string) string {
	var all []string
	for _, k := range kinds {
		text := quote + string(k.software) + quote
		if k.also != "" {
			text += " (also " + k.also + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// KnownHosts lists the hosts that show their kind: "*.ghe.com" includes all hosts below it.
func KnownHosts() []string {
	var hosts []string
	for _, k := range kinds {
		for _, host := range k.hosts {
			if strings.HasPrefix(host, ".") {
				host = "*" + host
			}
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// kindOf returns the kind of a forge by its configuration, or by its host; nil if neither shows it.
func kindOf(software Software, host string) *kind {
	for _, k := range kinds {
		if software == k.software {
			return k
		}
		for _, known := range k.hosts {
			if software == "" && (host == known || strings.HasPrefix(known, ".") && strings.HasSuffix(host, known)) {
				return k
			}
		}
	}
	return nil
}

// pagesOf returns the host of a forge's pages for any of its hosts.
func pagesOf(host string) string {
	for _, k := range kinds {
		if pages, ok := k.otherHosts[host]; ok {
			return pages
		}
	}
	return host
}

// AsksLogin reports whether the answer of any forge asks for a login, although its status does not say so.
func AsksLogin(r *http.Response) bool {
	return slices.ContainsFunc(kinds, func(k *kind) bool { return k.asksLogin != nil && k.asksLogin(r) })
}

// Settings are settings of pull requests that not every forge has.
type Settings struct {
	Reviewers, TeamReviewers []string
	AutoMerge                Method
	// Wait says that an apply waits for the merge.
	Wait bool
}

// Check returns an error if the forge lacks a setting. It connects to nothing.
func (r *Repository) Check(s Settings) error {
	if r.kind.check == nil {
		return nil
	}
	if err := r.kind.check(s); err != nil {
		return fmt.Errorf("the pull request in %s: %w", r.name, err)
	}
	return nil
}

// lacks returns the error that a forge lacks a setting.
func lacks(forge, setting, instead string) error {
	return remote.Errorf(remote.KindRefused, "%s does not have %s. %s", forge, setting, instead)
}
