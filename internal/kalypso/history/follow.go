// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// maxFiles is how many files of a source's folder are read.
const maxFiles = 100

// sourceKey is what sources are read by: a folder at a branch or a commit.
type sourceKey struct {
	revision git.Revision
	folder   string
}

// followed is what a source is at.
type followed struct {
	commit  string
	version deployments.Version
	// described says that there is a DeploymentDescriptor.
	described bool
	// why says why it is not known.
	why string
}

// Follow reads what the sources of an environment's packages are at: the commits of
// branches, and where a DeploymentDescriptor stands beside the manifests and none in the
// package, the version. What cannot be read is told as unreadable, of packages. Each
// source is read once. Errors: only that ctx does not hold any more.
func (d *Deployments) Follow(ctx context.Context, at Deployed, packages []deployments.Package) error {
	for i := range packages {
		p := &packages[i]
		var versions []deployments.Version
		for j := range p.Sources {
			key, ok := keyOf(at, p.Sources[j])
			if !ok {
				continue
			}
			f, known := d.sources[key]
			if !known {
				f = d.follow(ctx, key)
				if err := ctx.Err(); err != nil {
					return remote.Ended(ctx, remote.Redact(key.revision.Repo))
				}
				d.sources[key] = f
			}
			p.Sources[j].Commit = f.commit
			if f.why != "" {
				p.Unreadable = append(p.Unreadable, fmt.Sprintf("%s: %s", p.Sources[j], f.why))
			}
			if f.described {
				versions = append(versions, f.version)
			}
		}
		if p.Version == "" && p.Build == "" && p.Commit == "" && len(versions) == 1 {
			p.Version, p.Build, p.Commit = versions[0].Version, versions[0].Build, versions[0].Commit
		}
	}
	return nil
}

// keyOf returns what a source is read by; not ok where it is none of Git, or names neither a
// branch nor a commit. Folders of this machine are read for those environments alone that
// stand in such a one.
func keyOf(at Deployed, s deployments.Source) (sourceKey, bool) {
	u, err := remote.Parse(s.Repo)
	if err != nil || s.Chart || s.Tag || s.Ref == "" || isLocal(u) && !isLocalURL(at.Branch.Repo) {
		return sourceKey{}, false
	}
	k := sourceKey{revision: git.Revision{Repo: s.Repo}, folder: path.Clean(strings.TrimLeft(s.Path, "/"))}
	if forge.IsFullCommit(strings.ToLower(s.Ref)) {
		k.revision.Commit = strings.ToLower(s.Ref)
	} else {
		k.revision.Branch = strings.TrimPrefix(s.Ref, "refs/heads/")
	}
	return k, true
}

func isLocal(u remote.URL) bool { return u.Protocol == remote.File }

func isLocalURL(text string) bool {
	u, err := remote.Parse(text)
	return err == nil && isLocal(u)
}

// patience is how long a source has: a manifest can name a server that never answers.
const patience = 20 * time.Second

// follow reads a source.
func (d *Deployments) follow(ctx context.Context, k sourceKey) followed {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := tree.CheckPath(k.folder); err != nil {
		return followed{why: err.Error()}
	}
	s, err := d.reader.Snapshots.Open(ctx, k.revision, k.folder)
	if err != nil {
		return followed{why: err.Error()}
	}
	f := followed{commit: s.Commit().String()}
	files, err := filesBeside(ctx, s, k.folder)
	if err == nil {
		f.version, f.described, err = deployments.ReadVersion(files)
	}
	if err != nil {
		f.why = err.Error()
	}
	return f
}

// filesBeside returns the files of a folder, without those in folders below it, as far as
// they can hold objects.
func filesBeside(ctx context.Context, s *git.Snapshot, folder string) (map[string][]byte, error) {
	names := map[string]tree.ID{}
	var ids []tree.ID
	err := s.Walk(folder, func(at string, e tree.Entry) error {
		if path.Dir(at) == folder && git.IsFile(e) && deployments.IsReadable(e.Name) {
			names[e.Name] = e.ID
			ids = append(ids, e.ID)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(ids) > maxFiles:
		return nil, fmt.Errorf("the folder holds %d files, and no DeploymentDescriptor is looked for among more than %d", len(ids), maxFiles)
	}
	if err := s.Fetch(ctx, ids...); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, id := range names {
		if files[name], err = s.Blob(id); err != nil {
			return nil, err
		}
	}
	return files, nil
}
