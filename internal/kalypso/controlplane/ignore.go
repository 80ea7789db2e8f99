// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// ignoreFile names the files that exclude others, in gitignore's language.
const ignoreFile = ".sourceignore"

// defaultExcludes is what Flux's source-controller leaves out of every source.
var defaultExcludes = []string{
	".git/", ".gitignore", ".gitmodules", ".gitattributes",
	"*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip",
	".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml", "codeship-services.yml",
	"codeship-steps.yml",
	"**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml",
}

// ignores decides about files as source-controller does: each file by its whole
// path, the last pattern that matches decides. So an excluded folder may hold a
// file that is included again.
type ignores struct{ patterns []gitignore.Pattern }

// newIgnores starts with the default exclusions.
func newIgnores() *ignores {
	i := &ignores{}
	for _, pattern := range defaultExcludes {
		i.patterns = append(i.patterns, gitignore.ParsePattern(pattern, nil))
	}
	return i
}

// add takes the patterns of an ignore file in that folder. Those of a folder
// have to come before those of the folders in it.
func (i *ignores) add(folder []string, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			i.patterns = append(i.patterns, gitignore.ParsePattern(line, folder))
		}
	}
}

// match reports whether the file at that path is excluded.
func (i *ignores) match(path string) bool {
	return gitignore.NewMatcher(i.patterns).Match(strings.Split(path, "/"), false)
}
