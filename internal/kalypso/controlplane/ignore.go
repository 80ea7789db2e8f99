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

// ignores excludes files as source-controller does: the last pattern that matches the
// whole path of a file decides. A pattern can include a file of an excluded folder again.
type ignores struct{ patterns []gitignore.Pattern }

// newIgnores starts with the default exclusions.
func newIgnores() *ignores {
	i := &ignores{}
	for _, pattern := range defaultExcludes {
		i.patterns = append(i.patterns, gitignore.ParsePattern(pattern, nil))
	}
	return i
}

// add adds the patterns of an ignore file in a folder. Add the file of a folder before
// those of its subfolders.
func (i *ignores) add(folder []string, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			i.patterns = append(i.patterns, gitignore.ParsePattern(line, folder))
		}
	}
}

func (i *ignores) match(path string) bool {
	return gitignore.NewMatcher(i.patterns).Match(strings.Split(path, "/"), false)
}
