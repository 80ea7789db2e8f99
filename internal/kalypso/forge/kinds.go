// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Software is a forge's software.
type Software string

// The kinds of forges.
const (
	GitHub Software = "github"
	Gitea  Software = "gitea" // Forgejo too
	GitLab Software = "gitlab"
	Azure  Software = "azure"
)

// kind is a kind of forges: a new forge is a row here, and a file.
type kind struct {
	software Software
	// name and request are the names of the forge and of its pull requests in messages.
	name, request string
	// hosts are known hosts. ".ghe.com" includes all hosts below it.
	hosts   []string
	connect func(s site, client *http.Client) (Forge, error)
	// refusals explain the texts of the forge's refusals. The first that matches counts.
	refusals []refusal
	// rights says which right a credential lacks, if the answer shows it; nil if none does.
	rights func(a *answer) string
	// check returns an error for settings that the forge lacks; nil if it has all.
	check func(s Settings) error
	// maxBody is how many bytes the description of a request may have.
	maxBody int
	// mergesInAwait says that the forge cannot wait for its rules and still merge only our commit, so
	// Await merges.
	mergesInAwait bool
	// ignoresCase says that contexts of reports are the same if only their case differs.
	ignoresCase bool
}

// kinds is the table of forges.
var kinds = []*kind{
	{software: GitHub, name: "GitHub", request: "pull request", hosts: []string{"github.com", ".ghe.com"}, connect: newGitHub,
		refusals: gitHubRefusals, rights: gitHubRights, maxBody: 65_536, ignoresCase: true},
	{software: Gitea, name: "Gitea", request: "pull request", hosts: []string{"codeberg.org", "gitea.com"}, connect: newGitea,
		refusals: giteaRefusals, maxBody: 65_536},
	{software: GitLab, name: "GitLab", request: "merge request", hosts: []string{"gitlab.com"}, connect: newGitLab,
		refusals: gitLabRefusals, check: gitLabLacks, maxBody: 65_536},
	{software: Azure, name: "Azure Repos", request: "pull request", hosts: []string{"dev.azure.com", ".visualstudio.com"}, connect: newAzure,
		refusals: azureRefusals, check: azureLacks, maxBody: 4000, mergesInAwait: true},
}

// Kinds returns the names of all kinds of forges.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.software))
	}
	return names
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

// otherHosts are hosts for SSH or an API, with the hosts of the same forge's pages.
var otherHosts = map[string]string{
	"ssh.github.com": "github.com", "api.github.com": "github.com", "altssh.gitlab.com": "gitlab.com",
	"ssh.dev.azure.com": "dev.azure.com", "vs-ssh.visualstudio.com": "dev.azure.com",
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
