// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// keepBroken puts into the result what the branch has of the packages that cannot be rendered.
// While a file of another team is broken, it does the same with packages whose deployment target
// may be in that file. It compares them with the digests in the state, so the planned values depend
// on the state alone. had is the resource at the place before; nil if it had nothing there. Cost: one read
// of the cluster types' folders, if there may be something to keep.
func (p *Publisher) keepBroken(ctx context.Context, had *Applied, result *engine.Result) (*engine.Result, message.Messages) {
	if len(result.Failures) == 0 && (had == nil || len(result.Fleet.Notes) == 0) {
		return result, message.Messages{}
	}
	present, err := p.present(ctx, had, result)
	var kept *engine.Result
	if err == nil {
		kept, err = result.Keeping(present)
	}
	if err == nil && had != nil { // a new resource has none
		err = had.checkPresent(present, append(result.Failures.Keys(), keptKeys(kept)...))
	}
	if err != nil {
		m := message.Messages{Errors: message.Problems(result.Failures.Err())}
		m.Fail("Broken packages cannot be kept", message.Sentence(err))
		return nil, m
	}
	return kept, message.Messages{}
}

// present returns the packages in the state with their entries in the branch, and the folders that
// have them, by key. A new resource has none. Errors: the branch cannot be read.
func (p *Publisher) present(ctx context.Context, had *Applied, result *engine.Result) (map[string]tree.Entry, error) {
	present := map[string]tree.Entry{}
	if had == nil {
		return present, nil
	}
	if p.Git == nil {
		return nil, errors.New("the provider's configuration is not known yet, so the branch cannot be read")
	}
	names := slices.DeleteFunc(keysOf(had.Packages), func(name string) bool { return result.Folders[name] == nil })
	seen, err := p.observe(ctx, query{at: had.Location, instance: had.Instance, keys: names})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !seen.Content.Has(name) {
			continue
		}
		found := seen.Content[name]
		present[name] = tree.Entry{Mode: tree.ModeDir, ID: found.ID}
		for _, e := range found.Dir.Entries {
			if key := name + "/" + e.Name; had.Detail == engine.DetailClusterType || had.Packages[key] != "" {
				present[key] = e
			}
		}
	}
	return present, nil
}

// checkPresent compares packages to keep with the digests in the state.
func (a *Applied) checkPresent(present map[string]tree.Entry, keys []string) error {
	var changed []string
	for _, key := range keys {
		digested := key
		if a.Detail == engine.DetailClusterType {
			digested, _, _ = strings.Cut(key, "/")
		}
		now := ""
		if e := present[digested]; e.Mode != "" {
			now = e.ID.Short()
		}
		if a.Packages[digested] != now {
			changed = append(changed, key)
		}
	}
	if len(changed) > 0 {
		return fmt.Errorf("the branch has other content than the state for %s. Plan again", message.List("package", wording.Sorted(changed)))
	}
	return nil
}

// keptKeys returns the packages that stay as they are, sorted.
func keptKeys(result *engine.Result) []string {
	kept, _ := result.Kept()
	for _, a := range result.Former {
		kept = append(kept, a.Key())
	}
	return wording.Sorted(kept)
}

func warnBroken(result *engine.Result) (m message.Messages) {
	broken := result.Fleet.BrokenFiles()
	if len(result.Failures)+len(broken) == 0 {
		return m
	}
	_, left := result.Kept()
	first := ""
	if kept := keptKeys(result); len(kept) > 0 {
		first = fmt.Sprintf("These packages stay as they are: %s. ", wording.First(kept, wording.MaxListed))
	}
	if len(left) > 0 {
		first += fmt.Sprintf("Left out, because the state does not have them: %s. ", message.List("package", left))
	}
	text := []string{first + "The apply writes all other packages."}
	var list problem.List
	list.AddErr("Packages cannot be rendered", result.Failures.Err())
	problems := message.Told(append(list, broken...))
	for _, p := range problems[:min(len(problems), maxBroken)] {
		text = append(text, p.Summary+": "+p.Detail)
	}
	if more := len(problems) - maxBroken; more > 0 {
		text = append(text, fmt.Sprintf("And %s. Fix the first ones, and plan again.", wording.Count(more, "more problem")))
	}
	m.Warn(message.Broken, strings.Join(text, "\n\n"))
	return m
}

const maxBroken = 20
