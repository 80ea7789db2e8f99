// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed

import (
	"context"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// branchReader reads the packages of one environment.
type branchReader struct {
	*Deployments
	log *git.Log
	at  Place
	// depth is the depth of the folder with cluster types.
	depth int
	// compared are the folders of cluster types in the form for histories, by their ids.
	compared   map[tree.ID]inventory.Folder
	unreadable []string
	// missing says that the head does not have the folder at.Path.
	missing string
}

// folder is the folder of a cluster type.
type folder struct {
	readme tree.ID
	// packages are the ids of its subfolders, by name.
	packages map[string]tree.ID
}

// clusterTypes are the ids of the folders of cluster types, by their names.
type clusterTypes map[string]tree.ID

// states returns the cluster types of each commit. If the head does not have the folder,
// states adds this to unreadable.
func (b *branchReader) states(ctx context.Context, commits []commit) ([]clusterTypes, error) {
	folder := path.Join(tree.SplitPath(b.at.Path)...)
	plain := make([]git.Commit, len(commits))
	for i, c := range commits {
		plain[i] = c.Commit
	}
	read, err := b.log.Folders(ctx, plain, []string{folder})
	if err != nil {
		return nil, err
	}
	dirs := read[folder]
	if folder != "" && len(dirs[len(dirs)-1].Entries) == 0 {
		b.missing = inventory.NoFolder
		b.unreadable = append(b.unreadable, fmt.Sprintf("The newest commit of %s has no folder %q.", b.at.Branch, b.at.Path))
	}
	if err := b.readFolders(ctx, dirs); err != nil {
		return nil, err
	}
	if err := b.readReadmes(ctx, commits, dirs); err != nil {
		return nil, err
	}
	states := make([]clusterTypes, len(dirs))
	for i, dir := range dirs {
		states[i] = clusterTypes{}
		for _, e := range foldersOf(dir) {
			if b.readmes[b.folders[e.ID].readme] || commits[i].lists(e.Name, b.at) {
				states[i][e.Name] = e.ID
			}
		}
	}
	return states, nil
}

// foldersOf returns the subfolders that can be folders of cluster types.
func foldersOf(parent *tree.Dir) []tree.Entry {
	return slices.DeleteFunc(slices.Clone(parent.Entries), func(e tree.Entry) bool {
		return !e.Mode.IsDir() || strings.HasPrefix(e.Name, ".")
	})
}

func (b *branchReader) readFolders(ctx context.Context, parents []*tree.Dir) error {
	missing := map[tree.ID]bool{}
	for _, parent := range parents {
		for _, e := range foldersOf(parent) {
			if _, known := b.folders[e.ID]; !known {
				missing[e.ID] = true
			}
		}
	}
	dirs, err := b.log.Dirs(ctx, slices.Collect(maps.Keys(missing)))
	if err != nil {
		return err
	}
	for id, dir := range dirs {
		f := folder{packages: map[string]tree.ID{}}
		for _, e := range dir.Entries {
			switch {
			case e.Mode.IsDir():
				f.packages[e.Name] = e.ID
			case e.Name == engine.ReadmeFile && git.IsFile(e):
				f.readme = e.ID
			}
		}
		b.folders[id] = f
	}
	return nil
}

// readReadmes reads the README.md of folders that no record names. As in imports, this file
// distinguishes the folder of a cluster type from other folders.
func (b *branchReader) readReadmes(ctx context.Context, commits []commit, parents []*tree.Dir) error {
	missing := map[tree.ID]bool{}
	for i, parent := range parents {
		for _, e := range foldersOf(parent) {
			readme := b.folders[e.ID].readme
			if _, known := b.readmes[readme]; !known && !readme.IsZero() && !commits[i].lists(e.Name, b.at) {
				missing[readme] = true
			}
		}
	}
	contents, err := b.log.Blobs(ctx, slices.Collect(maps.Keys(missing)))
	for id, content := range contents {
		b.readmes[id] = engine.IsClusterTypeReadme(content)
	}
	return err
}

// read returns the packages of some cluster types, in order.
func (b *branchReader) read(ctx context.Context, types clusterTypes) ([]inventory.Package, error) {
	var listed []inventory.Package
	ids := map[tree.ID]bool{}
	of := map[string]tree.ID{} // by key
	for _, name := range slices.Sorted(maps.Keys(types)) {
		packages := b.folders[types[name]].packages
		for _, target := range slices.Sorted(maps.Keys(packages)) {
			id := packages[target]
			if p, known := b.packages[id]; known && p == nil {
				continue // not a package
			}
			switch named := (inventory.Package{ClusterType: name, DeploymentTarget: target, ID: id.String()}); {
			case !utf8.ValidString(named.Key()):
				b.unreadable = append(b.unreadable, fmt.Sprintf("The folder name %q is not valid UTF-8. Rename the folder.", named.Key()))
			default:
				listed, of[named.Key()] = append(listed, named), id
				if _, known := b.packages[id]; !known {
					ids[id] = true
				}
			}
		}
	}
	if err := b.readPackages(ctx, slices.Collect(maps.Keys(ids))); err != nil {
		return nil, err
	}
	var all []inventory.Package
	for _, named := range listed {
		if p := b.packages[of[named.Key()]]; p != nil {
			full := *p
			full.ClusterType, full.DeploymentTarget, full.ID = named.ClusterType, named.DeploymentTarget, named.ID
			full.Sources, full.Unreadable = slices.Clone(p.Sources), slices.Clone(p.Unreadable)
			all = append(all, full)
		}
	}
	return all, nil
}

func (b *branchReader) readPackages(ctx context.Context, ids []tree.ID) error {
	dirs, err := b.log.Dirs(ctx, ids)
	if err != nil {
		return err
	}
	contents, err := b.log.Contents(ctx, slices.Collect(maps.Values(dirs)), inventory.MaxFile, inventory.IsReadable)
	if err != nil {
		return err
	}
	read := make([]*inventory.Package, len(ids))
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, id := range ids {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return remote.Ended(ctx, remote.Redact(b.at.Branch.Repo))
			}
			read[i] = packageIn(dirs[id], contents)
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	for i, id := range ids {
		b.packages[id] = read[i]
	}
	return nil
}

// packageIn returns the package in a folder, from the contents of its files; nil if the folder is not a
// package.
func packageIn(dir *tree.Dir, contents map[tree.ID][]byte) *inventory.Package {
	var names, unread []string
	files := map[string][]byte{}
	for _, e := range dir.Entries {
		if !git.IsFile(e) {
			continue
		}
		content, isRead := contents[e.ID]
		if names = append(names, e.Name); !isRead && inventory.IsReadable(e.Name) {
			unread = append(unread, fmt.Sprintf("%s: larger than %d MiB", e.Name, inventory.MaxFile>>20))
			continue
		}
		files[e.Name] = content
	}
	if !inventory.IsPackage(names) {
		return nil
	}
	p := inventory.Read(files, unread...)
	return &p
}

// ids returns the folders of cluster types for comparison, without folders that are known not
// to be packages.
func (b *branchReader) ids(types clusterTypes) inventory.Folders {
	all := make(inventory.Folders, len(types))
	for name, id := range types {
		f, known := b.compared[id]
		if !known {
			f = inventory.Folder{ID: id.String(), Packages: map[string]string{}}
			for target, id := range b.folders[id].packages {
				if p, known := b.packages[id]; (p != nil || !known) && utf8.ValidString(name+target) {
					f.Packages[target] = id.String()
				}
			}
			b.compared[id] = f
		}
		all[name] = f
	}
	return all
}
