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
// on the state alone. Cost: one read of the cluster types' folders, if there may be something to keep.
func (w *work) keepBroken(ctx context.Context) (m message.Messages) {
	if len(w.result.Failures) == 0 && (w.isNewPlace || len(w.result.Fleet.Notes) == 0) {
		return m
	}
	present, err := w.present(ctx)
	var kept *engine.Result
	if err == nil {
		kept, err = w.result.Keeping(present)
	}
	if err == nil && !w.isNewPlace { // a new resource has none
		err = w.Was.checkPresent(present, append(w.result.Failures.Keys(), keptKeys(kept)...))
	}
	if err != nil {
		m.Errors = message.Problems(w.result.Failures.Err())
		m.Fail("Broken packages cannot be kept", message.Sentence(err))
		return m
	}
	w.result = kept
	return m
}

// checkLost returns an error if the write would remove a package that the resource cannot render, or
// that may be in a broken file. The state does not have this package: the resource is new, or it takes
// the folder over.
func (w *work) checkLost() error {
	if w.result == nil || !w.KeepBroken {
		return nil
	}
	_, left := w.result.Kept()
	var lost []string
	for name, wanted := range w.result.Folders {
		found := w.inventory.Found[name]
		if found == nil {
			continue
		}
		for _, e := range found.Entries {
			key := name + "/" + e.Name
			_, stays := wanted.Find(e.Name)
			if slices.Contains(left, key) || e.Mode.IsDir() && !stays && w.result.Fleet.MayHave(e.Name) {
				lost = append(lost, key)
			}
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("the branch has %s, and the state does not, so the resource cannot keep what it cannot render. Fix the errors that the "+
		"plan shows, or import the place, so that the resource keeps what the branch has", message.List("package", wording.Sorted(lost)))
}

// present returns the packages in the state with their entries in the branch, and the folders that
// have them, by key. A new resource has none. Errors: the branch cannot be read.
func (w *work) present(ctx context.Context) (map[string]tree.Entry, error) {
	present := map[string]tree.Entry{}
	if w.isNewPlace {
		return present, nil
	}
	if w.Git == nil {
		return nil, errors.New("the provider's configuration is not known yet, so the branch cannot be read")
	}
	names := slices.DeleteFunc(keysOf(w.Was.Packages), func(name string) bool { return w.result.Folders[name] == nil })
	inv, _, err := w.observe(ctx, w.at, w.Was.Instance, names, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		found := inv.Found[name]
		if found == nil || !inv.HasContent(name) {
			continue
		}
		present[name] = tree.Entry{Mode: tree.ModeDir, ID: found.ID}
		for _, e := range found.Entries {
			if key := name + "/" + e.Name; w.Was.Detail == engine.DetailClusterType || w.Was.Packages[key] != "" {
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

// warnBroken says which packages cannot be rendered, and why.
func (w *work) warnBroken(context.Context) (m message.Messages) {
	broken := w.result.Fleet.BrokenFiles()
	if len(w.result.Failures)+len(broken) == 0 {
		return m
	}
	_, left := w.result.Kept()
	var text []string
	if kept := w.after.Kept; len(kept) > 0 {
		text = append(text, fmt.Sprintf("These packages stay as they are: %s.", message.List("package", kept)))
	}
	if len(left) > 0 {
		text = append(text, fmt.Sprintf("Left out, because the state does not have them: %s.", message.List("package", left)))
	}
	text = append(text, "The apply writes all others.")
	text = []string{strings.Join(text, " ")}
	var list problem.List
	list.AddErr("Packages cannot be rendered", w.result.Failures.Err())
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

// maxBroken is how many problems the warning about broken packages has.
const maxBroken = 20
