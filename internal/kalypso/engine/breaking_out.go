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
	// inert is the target with letters in the place of what could end a scalar.
	inert *fleet.Target
}

// suspects returns the suspects of each target that has some. Names and labels can be none:
// Kubernetes' rules for them hold where they are read.
func suspects(targets []*fleet.Target) map[*fleet.Target][]suspect {
	all := map[*fleet.Target][]suspect{}
	for _, t := range targets {
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			value, end := t.Manifests[key], ""
			if strings.HasSuffix(value, "\n") { // as YAML's blocks end
				value, end = strings.TrimSuffix(value, "\n"), "\n"
			}
			inertKey, inertValue := output.Inert(key), output.Inert(value)
			if inertKey == key && inertValue == value {
				continue
			}
			inert := *t
			inert.Manifests = maps.Clone(t.Manifests)
			delete(inert.Manifests, key)
			inert.Manifests[inertKey] = inertValue + end
			all[t] = append(all[t], suspect{key, &inert})
		}
	}
	return all
}

// breakingOut returns those of the suspects that end a scalar somewhere in a package: it says
// something else than with letters in their place. A suspect that the template refuses in
// that form passes, since the template has looked at it.
func (w workers) breakingOut(ctx context.Context, a *placement.Assignment, rendered *tree.Dir) []findings.BreakingOut {
	var all []findings.BreakingOut
	for _, s := range w.suspects[a.Target] {
		inert := *a
		inert.Target = s.inert
		others, err := w.renderer.Render(ctx, &inert, w.composer.Compose(a))
		if err != nil {
			continue
		}
		if file := differing(rendered.Entries, others); file != "" {
			all = append(all, findings.BreakingOut{Target: a.Target, Key: s.key, File: a.Key() + "/" + file})
		}
	}
	return all
}

// differing returns the name of the first YAML file that does not say the same as that of its
// name among others; empty where all do.
func differing(files, others []tree.Entry) string {
	for _, f := range files {
		i := slices.IndexFunc(others, func(o tree.Entry) bool { return o.Name == f.Name })
		if strings.HasSuffix(f.Name, ".yaml") && (i < 0 || !output.SaysSame(f.Content, others[i].Content)) {
			return f.Name
		}
	}
	return ""
}
