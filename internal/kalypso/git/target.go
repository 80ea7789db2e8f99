// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// remotePrefix begins the names under which a clone shows the branches of its remote.
const remotePrefix = "origin/"

// checkNew returns an error if a branch that does not exist must not be created: its name is
// another name for something that exists, or Git cannot have both.
func (r references) checkNew(name string) error {
	refuse := func(format string, args ...any) error { return remote.Errorf(remote.KindRefused, format, args...) }
	if plain, ok := strings.CutPrefix(name, remotePrefix); ok && !r.branch(plain).IsZero() {
		return refuse("%s has no branch %q. The name of its branch is %q: a clone shows it as %[2]q. Write %[3]q", r.repo.name, name, plain)
	}
	references := r.advertised.References
	if _, isTag := references[string(plumbing.NewTagReferenceName(name))]; isTag {
		return refuse("%s has no branch %q, but a tag with this name. Write the name of a branch", r.repo.name, name)
	}
	var inTheWay []string
	for reference := range references {
		branch, isBranch := strings.CutPrefix(reference, "refs/heads/")
		if isBranch && (strings.HasPrefix(branch, name+"/") || strings.HasPrefix(name, branch+"/")) {
			inTheWay = append(inTheWay, branch)
		}
	}
	if len(inTheWay) > 0 {
		slices.Sort(inTheWay)
		return refuse("Git cannot create the branch %q in %s, because it has the branch %q: one name must not begin with the other and a slash. "+
			"Choose another name", name, r.repo.name, inTheWay[0])
	}
	return nil
}

// checkCheckout returns an error if a branch is checked out in a repository of this machine: Git
// refuses a push to it, because the files of the checkout would stay behind.
func (r references) checkCheckout(name string) error {
	if r.repo.url.Protocol != remote.File || !slices.Contains(r.advertised.Capabilities.Get(capability.SymRef), "HEAD:refs/heads/"+name) {
		return nil
	}
	folder := localGit{r.repo.url}.folder()
	if _, err := os.Stat(filepath.Join(folder, ".git")); err != nil && filepath.Base(folder) != ".git" {
		return nil // it is bare
	}
	return remote.Errorf(remote.KindRefused, "the branch %q is checked out in %s, and Git refuses a push to it. Use a bare repository "+
		"(git init --bare), or check out another branch there", name, r.repo.name)
}

// start returns the commit that a new branch starts from; zero if from is empty. Errors: the branch must not be created, or from
// does not exist.
func (r references) start(branch, from string) (tree.ID, error) {
	if err := r.checkNew(branch); err != nil || from == "" {
		return tree.ID{}, err
	}
	base := r.branch(from)
	if base.IsZero() {
		return base, remote.Errorf(remote.KindStartNotFound, "%s has no branch %q to start the new branch from", r.repo.name, from)
	}
	return base, nil
}
