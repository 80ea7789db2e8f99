// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// sourceKey identifies a source: a folder at a branch or a commit.
type sourceKey struct {
	revision git.Revision
	folder   string
	// server is the server of the repository.
	server string
}

// followed is the present state of a source.
type followed struct {
	commit  string
	version deployments.Version
	// described says that a DeploymentDescriptor exists.
	described bool
	// why is the reason if the source cannot be read. silent is the server if all its sources
	// fail.
	why, silent string
}

// Follow reads the present state of the sources of an environment's packages: the commits of
// branches, and the version if the package has none and a DeploymentDescriptor is beside the
// manifests. A source that cannot be read is listed as unreadable, for its packages. Each
// source is read once. A server that fails is not asked again, and is listed once as
// unreadable, for the environment. Errors: only the end of ctx.
func (d *Deployments) Follow(ctx context.Context, e *deployments.Environment) error {
	told := map[string]bool{"": true}
	for i := range e.Packages {
		p := &e.Packages[i]
		var versions []deployments.Version
		for j := range p.Sources {
			key, ok := keyOf(p.Sources[j])
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
			if !told[f.silent] {
				told[f.silent] = true
				e.Unreadable = append(e.Unreadable, fmt.Sprintf("Sources on %s are not followed: %s.", f.silent, d.silent[f.silent]))
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

// keyOf returns the key of a source. ok is false if the repository is not a Git URL, or if the
// source names neither a branch nor a commit.
func keyOf(s deployments.Source) (sourceKey, bool) {
	u, err := remote.Parse(s.Repo)
	if err != nil || s.Chart || s.Tag || s.Ref == "" {
		return sourceKey{}, false
	}
	k := sourceKey{revision: git.Revision{Repo: s.Repo}, folder: path.Clean(strings.TrimLeft(s.Path, "/")), server: serverOf(u)}
	if k.revision.Commit = tree.FullCommitID(s.Ref); k.revision.Commit == "" {
		k.revision.Branch = strings.TrimPrefix(s.Ref, "refs/heads/")
	}
	return k, true
}

// serverOf names the server of a repository. For a local repository, the server is the
// repository itself.
func serverOf(u remote.URL) string {
	if u.Protocol == remote.File {
		return u.String()
	}
	return u.Protocol + "://" + u.Address()
}

// patience is how long reading a source may take: a manifest can name a server that never
// answers.
const patience = 20 * time.Second

// ofServers are the kinds of errors that also affect other repositories of the server.
var ofServers = []remote.ErrorKind{remote.KindServer, remote.KindNetwork, remote.KindTimeout, remote.KindTLS, remote.KindHostKey,
	remote.KindRateLimit}

// follow reads a source, unless its server has failed before.
func (d *Deployments) follow(ctx context.Context, k sourceKey) followed {
	if _, known := d.silent[k.server]; known {
		return followed{silent: k.server}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := d.reader.Snapshots.Open(ctx, k.revision, k.folder)
	switch {
	case slices.ContainsFunc(ofServers, func(kind remote.ErrorKind) bool { return remote.Is(err, kind) }):
		d.silent[k.server] = strings.TrimSuffix(err.Error(), ".")
		if ctx.Err() != nil {
			d.silent[k.server] = fmt.Sprintf("%s did not answer within %s", remote.Redact(k.revision.Repo), patience)
		}
		return followed{silent: k.server}
	case err != nil:
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

// filesBeside returns the files of a folder that can contain objects, without those in
// subfolders.
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
	case len(ids) > deployments.MaxFiles:
		return nil, fmt.Errorf("the folder has %d files, and the search for a DeploymentDescriptor reads at most %d", len(ids),
			deployments.MaxFiles)
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
