// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// comparePackages fills in both sides of the change.
func (w *work) comparePackages(context.Context) (m message.Messages) {
	w.packagesAfter, w.packagesBefore, w.isComparable = engine.Digests{}, engine.Digests{}, true
	if w.result != nil {
		w.packagesAfter = digestsOf(w.result, w.desired, engine.DetailPackage)
	}
	switch {
	case w.answer != nil:
		w.packagesBefore = w.presentPackages()
	case w.isNewPlace:
	case w.Was.Detail == engine.DetailPackage:
		w.packagesBefore = maps.Clone(w.Was.Packages)
		for _, name := range w.desired.InFleet {
			w.packagesBefore.RemoveFolder(name)
		}
	default:
		w.isComparable = false
	}
	return m
}

// checkLimits stops a change that exceeds the limits.
func (w *work) checkLimits(context.Context) (m message.Messages) {
	before, after, isKnown := w.packagesBefore, w.packagesAfter, w.isComparable
	if keys := append(packageKeys(before), packageKeys(after)...); isKnown {
		if idle := w.Limits.Idle(keys); len(idle) > 0 {
			m.Warn("limits.protect protects nothing", fmt.Sprintf("limits.protect has the %s, and no package matches, neither now nor after this "+
				"plan. Look for a misspelled name: keys are <cluster type>/<deployment target>.", message.List("pattern", idle)))
		}
	}
	if !w.changes || isKnown && w.isNewPlace && len(before) == 0 {
		return m
	}
	code := codeOf(before, after)
	if isKnown {
		w.refuse(&m, w.Limits.Check(before, after), code)
	}
	if !isKnown && w.Limits.Any() && !w.Acknowledged(code) {
		m.Fail("The limits cannot be checked", "detail is \"cluster_type\" and the branch cannot be read, so the present packages are not "+
			"known. Plan again when the repository can be read. If you want the change without the check, "+limits.Lift(code))
	}
	return m
}

// refuse reports the limits that the change exceeds, unless acknowledge has its code. No code
// acknowledges a change beyond a final limit.
func (w *work) refuse(m *message.Messages, violations []limits.Violation, code string) {
	var text []string
	liftable, final := false, false
	for _, v := range violations {
		if v.Final || !w.Acknowledged(code) {
			text = append(text, v.Detail, message.Changes(w.packagesBefore, w.packagesAfter, v.Packages))
			liftable, final = liftable || !v.Final, final || v.Final
		}
	}
	if liftable {
		lift := "If you want this change, " + limits.Lift(code) + w.otherCode()
		if final {
			lift += " The code does not lift protect and allow_empty."
		}
		text = append(text, lift)
	}
	if len(text) > 0 {
		m.Fail("The change exceeds limits", strings.Join(text, "\n"))
	}
}

// otherCode says that acknowledge has only codes of other changes.
func (w *work) otherCode() string {
	if strings.Join(w.Acknowledge, "") == "" {
		return ""
	}
	return " The codes in acknowledge are for other changes: of another environment, or of packages that have changed since a plan printed " +
		"the codes."
}

// checkFreezes refuses a change of packages while a freeze is in force, unless acknowledge has the
// code of the change. It only refuses: no planned value depends on the time.
func (w *work) checkFreezes(context.Context) (m message.Messages) {
	freeze, isFrozen := calendar.InForce(w.Freezes, w.Now())
	if !isFrozen {
		return m
	}
	if w.Was != nil && w.Was.Proposal.IsOpen() {
		m.Warn(message.Frozen, fmt.Sprintf("%s is open, and %s. A merge would change packages, also an automatic merge. Do not merge it, or "+
			"close it.", w.Was.RequestURL, freeze))
	}
	before, after := w.packagesBefore, w.packagesAfter
	changed := slices.DeleteFunc(before.Differing(after), func(key string) bool { return !engine.IsPackage(key) })
	code := codeOf(before, after)
	if !w.changes || len(changed) == 0 || w.Acknowledged(code) {
		return m
	}
	m.Fail(message.Frozen, fmt.Sprintf("No package may change: %s. The apply would change %s:\n%s\nWait until the freeze ends. If the change "+
		"cannot wait, %s%s", freeze, wording.Count(len(changed), "package"), message.Changes(before, after, changed), limits.Lift(code),
		w.otherCode()))
	return m
}

// codeDigits is long enough that nobody can construct another change with the same code.
const codeDigits = 32

// codeOf returns the code that acknowledges a change. It is a digest of the packages that change,
// with their content before and after, and of nothing else. So a commit that changes no package
// does not change it.
func codeOf(before, after engine.Digests) string {
	var b strings.Builder
	for _, key := range before.Differing(after) {
		if engine.IsPackage(key) {
			fmt.Fprintf(&b, "%q %q %q\n", key, before[key], after[key])
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:codeDigits]
}

// packageKeys returns the keys of packages, sorted, without those of other files.
func packageKeys(digests engine.Digests) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(digests)), func(key string) bool { return !engine.IsPackage(key) })
}
