// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// keep puts into a result what the branch has of the packages that cannot be rendered, by id.
// The ids of our folders are in the inventory, so what is planned follows from the inventory
// alone: keep fails if the branch has other folders by now, or if the packages would move. at is
// the location to write to. Cost: one read of the cluster types' folders if a package cannot be
// rendered, and one of all folders if the branch does not have it.
func (p *Publisher) keep(ctx context.Context, job Job, at git.Location, result *engine.Result) (*engine.Result, message.Messages) {
	var m message.Messages
	if len(result.Failures) == 0 || job.onHold() {
		return result, m
	}
	present, err := p.present(ctx, job, at, result)
	var kept *engine.Result
	if err == nil {
		kept, err = result.Keeping(present)
	}
	if err != nil {
		m.Errors = message.Problems(result.Failures.Err())
		m.Fail("Packages cannot be kept", message.Explain(at, err, job.Was == nil, job.Inventory.Packages))
	}
	return kept, m
}

// present returns what a location has of the packages that cannot be rendered, by their keys, and
// the folders of their cluster types, by name. If it does not have one of these packages, present
// returns all packages and folders: the deployment target may come from another cluster type.
func (p *Publisher) present(ctx context.Context, job Job, at git.Location, result *engine.Result) (map[string]tree.Entry, error) {
	if inv := job.Inventory; !inv.IsNew() && !at.Same(inv.Location) {
		return nil, fmt.Errorf("the packages move from %s to %s, and a package that cannot be rendered cannot move. Fix it first, or move later",
			inv.Location, at)
	}
	var names []string
	for _, f := range result.Failures {
		names = append(names, f.Assignment.ClusterType.Name)
	}
	present, err := p.entries(ctx, job, at, names)
	if err == nil && slices.ContainsFunc(result.Failures.Keys(), func(key string) bool { return present[key].Mode == "" }) {
		return p.entries(ctx, job, at, slices.Collect(maps.Keys(result.Folders)))
	}
	return present, err
}

// entries returns the entries of some cluster types' folders at a location, by
// <cluster type>/<entry>, and the folders themselves, by name.
func (p *Publisher) entries(ctx context.Context, job Job, at git.Location, names []string) (map[string]tree.Entry, error) {
	inv := job.Inventory
	query, folders := git.Query{Paths: map[string]tree.Entry{}, Content: ownership.TellsOwners}, map[string]string{}
	for _, name := range names {
		path := at.Join(name)
		query.Paths[path], folders[path] = tree.Entry{Mode: tree.ModeDir}, name
	}
	found, err := p.readFolders(ctx, at, query, job.Was == nil)
	if err == nil {
		err = checkUnchanged(at, inv, folders, found)
	}
	if err != nil {
		return nil, err
	}
	present := map[string]tree.Entry{}
	for path, name := range folders {
		_, ours := inv.Owned[path]
		folder := found.Found[path]
		holds := folder != nil && !ownership.IsEmptied(folder)
		if ours || holds { // ours is written again if somebody has deleted it
			present[name] = tree.Entry{Mode: tree.ModeDir}
		}
		if holds {
			for _, e := range folder.Entries {
				present[name+"/"+e.Name] = e
			}
		}
	}
	return present, nil
}

// checkUnchanged compares folders of ours with those that the inventory knows.
func checkUnchanged(at git.Location, inv *ownership.Inventory, folders map[string]string, found *git.Answer) error {
	conflict := &git.ConflictError{Branch: at.Of(), Found: map[string][]tree.Entry{}}
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		owned, ours := inv.Owned[path]
		if !ours || ownership.Standing(found, path) == owned.ID {
			continue
		}
		if conflict.Paths = append(conflict.Paths, path); found.Found[path] != nil {
			conflict.Found[path] = found.Found[path].Entries
		}
	}
	if len(conflict.Paths) > 0 {
		return conflict
	}
	return nil
}

// readFolders reads folders of a location. Where nobody has written yet, there may be no
// repository either.
func (p *Publisher) readFolders(ctx context.Context, from git.Location, query git.Query, isNew bool) (*git.Answer, error) {
	switch {
	case p.git == nil:
		return nil, errors.New("the provider's configuration is not known yet, so the branch cannot be read")
	case from.Repo == "" || from.Branch == "" || len(query.Paths) == 0:
		return &git.Answer{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := p.git.Read(ctx, from.Of(), query)
	if isNew && remote.Is(err, remote.KindNotFound) {
		return &git.Answer{}, nil
	}
	return found, err
}

// keptKeys returns the packages that the branch keeps: those that cannot be rendered, and those at
// cluster types that their deployment targets have left.
func (c *computed) keptKeys() []string {
	kept, _ := c.result.Kept()
	return slices.Sorted(slices.Values(slices.Concat(kept, keysOf(c.result.Former))))
}

func keysOf(assignments []*placement.Assignment) (keys []string) {
	for _, a := range assignments {
		keys = append(keys, a.Key())
	}
	return keys
}

// warnBroken says which packages cannot be rendered, and why.
func (c *computed) warnBroken() message.Messages {
	var m message.Messages
	if len(c.result.Failures) == 0 {
		return m
	}
	kept, left := c.result.Kept()
	former := keysOf(c.result.Former)
	text := []string{wording.Count(len(kept)+len(left), "package") + " cannot be rendered: see the errors below. The apply writes all " +
		"others."}
	if len(kept) > 0 {
		text[0] += fmt.Sprintf(" Unchanged in the branch: %s.", message.List("package", kept))
	}
	if len(left) > 0 {
		text[0] += fmt.Sprintf(" Left out, because they are not in the branch: %s.", message.List("package", left))
	}
	if len(former) > 0 {
		text[0] += fmt.Sprintf(" Meanwhile the branch keeps %s of their deployment targets on other cluster types: %s.",
			wording.Count(len(former), "old package"), wording.First(former, message.MaxListed))
	}
	if c.Inventory.Trace != "" && !c.decision.Changes {
		text = append(text, "Drift in the unchanged packages is not repaired. "+c.Inventory.Trace)
	}
	var list problem.List
	list.AddErr(message.Broken, c.result.Failures.Err())
	problems := message.Told(list)
	for _, p := range problems[:min(len(problems), message.MaxListed)] {
		text = append(text, p.Summary+": "+p.Detail)
	}
	if more := len(problems) - message.MaxListed; more > 0 {
		text = append(text, fmt.Sprintf("And %s. Fix the first ones, and plan again.", wording.Count(more, "more problem")))
	}
	m.Warn(message.Broken, strings.Join(text, "\n\n"))
	return m
}
