// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// text is a key of a deployment target's manifests, or the value there.
type text struct {
	key   string
	isKey bool
}

// suspect is a character with which texts of a deployment target might end the scalars that
// a template writes them into.
type suspect struct {
	character byte
	texts     []text
}

// suspects returns the suspects of each target that has some: few have. Texts that no
// template may write are reported anyway. Kubernetes' rules for names and labels are
// checked at decoding.
func suspects(targets []*fleet.Target) map[*fleet.Target][]suspect {
	all := map[*fleet.Target][]suspect{}
	for _, t := range targets {
		found := map[byte][]text{}
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			if findings.Breaker(key, t.Manifests[key]) != "" {
				continue
			}
			for c := range output.Inert(key) {
				found[c] = append(found[c], text{key, true})
			}
			for c := range output.Inert(t.Manifests[key]) {
				found[c] = append(found[c], text{key, false})
			}
		}
		for _, c := range slices.Sorted(maps.Keys(found)) {
			all[t] = append(all[t], suspect{c, found[c]})
		}
	}
	return all
}

// inert returns a target with letters in the place of a character of some texts.
func inert(t *fleet.Target, character byte, texts []text) *fleet.Target {
	inert := *t
	inert.Manifests = maps.Clone(t.Manifests)
	for _, text := range texts {
		if !text.isKey {
			inert.Manifests[text.key] = output.Inert(t.Manifests[text.key])[character]
		}
	}
	for _, text := range texts {
		if text.isKey {
			value := inert.Manifests[text.key]
			delete(inert.Manifests, text.key)
			inert.Manifests[output.Inert(text.key)[character]] = value
		}
	}
	return &inert
}

// maxProbes is how often an assignment is rendered to find those of its texts that break out,
// once it is known with which character some do.
const maxProbes = 200

type probes struct {
	workers
	ctx        context.Context //nolint:containedctx // of one call
	assignment *placement.Assignment
	rendered   *tree.Dir
	left       int
	found      map[string]findings.BreakingOut
}

// breakingOut returns those of the suspect texts that end a scalar somewhere in a package.
// Such a package says something else than one with letters in the place of a character.
// All texts get the letters at once. If that shows something, or fails, halves of them get
// the letters, because a template that refuses one text says nothing about the others.
func (w workers) breakingOut(ctx context.Context, a *placement.Assignment, rendered *tree.Dir) []findings.BreakingOut {
	p := probes{w, ctx, a, rendered, maxProbes, map[string]findings.BreakingOut{}}
	for _, s := range w.suspects[a.Target] {
		texts := slices.DeleteFunc(slices.Clone(s.texts), func(t text) bool { return p.found[t.key].Target != nil })
		if len(texts) > 0 {
			p.look(s.character, texts)
		}
	}
	return slices.Collect(maps.Values(p.found)) // findings are sorted
}

// look looks for those of the texts that break out by a character.
func (p *probes) look(character byte, texts []text) {
	probed := *p.assignment
	probed.Target = inert(p.assignment.Target, character, texts)
	file, sameness, err := p.renderer.Probe(p.ctx, &probed, p.composer.Compose(p.assignment), p.rendered.Entries)
	switch {
	case p.ctx.Err() != nil || err == nil && sameness == output.Same:
		return
	case len(texts) == 1 && err != nil:
		return // the template looks at it itself; that the run is over is told by all
	case len(texts) > 1 && p.left > 1:
		p.left -= 2
		known := len(p.found)
		p.look(character, texts[:len(texts)/2])
		p.look(character, texts[len(texts)/2:])
		if err != nil || len(p.found) > known {
			return
		}
	}
	for _, t := range texts { // all of them together, or some that would take long to find
		p.found[t.key] = findings.BreakingOut{Target: p.assignment.Target, Key: t.key, File: path.Join(p.assignment.Key(), file),
			Unchecked: sameness != output.Different}
	}
}

// Findings returns what the owner of the fleet may want to know. For a result that was
// placed only, it leaves out the findings that need rendered output. For a large fleet, it
// reads only some of the rendered files, unless everyFile is true. Findings for which
// assignments failed (Input.Reject) are in Failures instead. The error is the end of the
// context.
func (r *Result) Findings(ctx context.Context, everyFile bool) ([]findings.Finding, error) {
	composer := r.composer
	if composer == nil {
		composer = composition.New(r.Fleet)
	}
	found := findings.Find(ctx, findings.Facts{Fleet: r.Fleet, Placement: r.Placement, Composer: composer, Folders: r.Folders,
		EveryFile: everyFile, BreakingOut: r.breakingOut})
	found = slices.DeleteFunc(found, func(f findings.Finding) bool { return slices.Contains(r.rejected, f) })
	return found, ended(ctx, r.Fleet.Environment)
}
