// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Names of files in the GitOps repository (docs/guides/semantics.md, section 5).
const (
	ReadmeFile = "README.md" // of each cluster type's folder
	// PromotedCommitFile is at this path of the repository, wherever the folders are.
	PromotedCommitFile = ".github/tracking/Promoted_Commit_Id"
)

// folders gathers the packages below their cluster types. Every cluster type has a folder, also
// without assignments. The packages are in the order of the cluster types.
func folders(environment string, clusterTypes []*manifest.ClusterType, packages []rendered) (map[string]*tree.Dir, error) {
	all := make(map[string]*tree.Dir, len(clusterTypes))
	for _, ct := range clusterTypes {
		var entries []tree.Entry
		var written []rendered
		for ; len(packages) > 0 && packages[0].assignment.ClusterType == ct; packages = packages[1:] {
			if p := packages[0]; p.entry.Mode != "" {
				entries = append(entries, p.entry)
				written = append(written, p)
			}
		}
		dir, err := tree.NewDir(append(entries, tree.File(ReadmeFile, readme(environment, ct.Name, written))))
		if err != nil {
			return nil, fmt.Errorf("folder of cluster type %s: %w", ct.Name, err)
		}
		all[ct.Name] = dir
	}
	return all, nil
}

// Files returns the content of every file of a result by its path below the
// GitOps repository's path, and of PromotedCommitFile.
func (r *Result) Files() map[string][]byte {
	files := map[string][]byte{}
	var add func(path string, d *tree.Dir)
	add = func(path string, d *tree.Dir) {
		for _, e := range d.Entries {
			if e.Dir != nil {
				add(path+e.Name+"/", e.Dir)
				continue
			}
			files[path+e.Name] = e.Content
		}
	}
	for name, dir := range r.Folders {
		add(name+"/", dir)
	}
	maps.Copy(files, r.FilesBeside)
	return files
}

// readmeMark is in every README.md that we write, so that an import recognizes our
// folders. kalypsoReadme is the README that Kalypso's scheduler writes.
const (
	readmeMark    = "<!-- written by terraform-provider-kalypso -->"
	kalypsoReadme = "This folder contains deployment targets scheduled on the cluster type"
)

// IsClusterTypeReadme reports whether a README.md with that content marks its
// folder as a cluster type's, written by us or by Kalypso's scheduler.
func IsClusterTypeReadme(content []byte) bool {
	text := string(content)
	return strings.Contains(text, readmeMark) || strings.TrimSpace(text) == kalypsoReadme
}

// readme returns the text that shows a visitor of the repository what is assigned to the
// cluster type and why.
func readme(environment, clusterType string, packages []rendered) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# %s\n\n", readmeMark, clusterType)
	if len(packages) == 0 {
		fmt.Fprintf(&b, "Environment %s assigns nothing to this cluster type.\n", environment)
		return []byte(b.String())
	}
	fmt.Fprintf(&b, "What environment %s assigns to this cluster type. Change it where the fleet is modelled: edits in this folder are "+
		"undone.\n\n", environment)
	// A fleet without placements keeps the README.md that it has.
	placed := slices.ContainsFunc(packages, func(p rendered) bool { return p.assignment.Decided != nil })
	if placed {
		b.WriteString("| Deployment target | Workspace | Namespace | Scheduling policies | Decided by |\n|---|---|---|---|---|\n")
	} else {
		b.WriteString("| Deployment target | Workspace | Namespace | Scheduling policies |\n|---|---|---|---|\n")
	}
	for _, p := range packages {
		a, policies := p.assignment, strings.Join(p.assignment.Policies, ", ")
		if p.isFormer {
			policies = "kept"
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s |", a.Target.FullName, a.Target.FullName, a.Target.Workspace, a.Namespace, policies)
		if placed {
			fmt.Fprintf(&b, " %s |", decidedBy(a))
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func decidedBy(a *placement.Assignment) string {
	if a.Decided == nil {
		return ""
	}
	var names []string
	for _, name := range a.Decided.Placements {
		names = append(names, "placement "+name)
	}
	return strings.Join(names, ", ")
}
