// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// suspect is a text of a deployment target that might end the scalar that a template writes
// it into.
type suspect struct {
	key string
	// inert is the target with letters in the place of one of the characters with which the
	// text might do so.
	inert *fleet.Target
}

// suspects returns the suspects of each target that has some: few have. What no template may
// write is told anyway, and Kubernetes' rules for names and labels hold where they are read.
func suspects(targets []*fleet.Target) map[*fleet.Target][]suspect {
	all := map[*fleet.Target][]suspect{}
	for _, t := range targets {
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			value := t.Manifests[key]
			if findings.Breaker(key, value) != "" {
				continue
			}
			add := func(inertKey, inertValue string) {
				inert := *t
				inert.Manifests = maps.Clone(t.Manifests)
				delete(inert.Manifests, key)
				inert.Manifests[inertKey] = inertValue
				all[t] = append(all[t], suspect{key, &inert})
			}
			for _, inert := range output.Inert(key) {
				add(inert, value)
			}
			for _, inert := range output.Inert(value) {
				add(key, inert)
			}
		}
	}
	return all
}

// breakingOut returns those of the suspects that end a scalar somewhere in a package: it says
// something else than with letters in the place of a character. Where the template fails
// with these letters, or writes a file of another length, it looks at that character itself:
// it refuses, escapes or removes it, or takes the text apart there.
func (w workers) breakingOut(ctx context.Context, a *placement.Assignment, rendered *tree.Dir) []findings.BreakingOut {
	var all []findings.BreakingOut
	for _, s := range w.suspects[a.Target] {
		inert := *a
		inert.Target = s.inert
		others, err := w.renderer.Render(ctx, &inert, w.composer.Compose(a))
		if err != nil {
			continue // that the run is over is told by all
		}
		if file, sameness := differing(rendered.Entries, others); sameness != output.Same {
			all = append(all, findings.BreakingOut{Target: a.Target, Key: s.key, File: a.Key() + "/" + file, Unchecked: sameness == output.Incomparable})
		}
	}
	return all
}

// differing returns the name of the first YAML file that does not say the same as that of its
// name among others, which is as long, or cannot be compared with it.
func differing(files, others []tree.Entry) (name string, sameness output.Sameness) {
	for _, f := range files {
		i := slices.IndexFunc(others, func(o tree.Entry) bool { return o.Name == f.Name && len(o.Content) == len(f.Content) })
		if i < 0 || !strings.HasSuffix(f.Name, ".yaml") {
			continue
		}
		if sameness := output.Compare(f.Content, others[i].Content); sameness != output.Same {
			return f.Name, sameness
		}
	}
	return "", output.Same
}
