// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// reasons are what can stop a change. A plan and each attempt to write ask all of them.
var reasons = []func(c Change, now time.Time) []message.Message{
	onHold, forbidden, notOurs, overlapping, lost, beyondLimits, protected, frozen,
}

// refusals returns every reason that stops a change at a time.
func refusals(c Change, now time.Time) (all []message.Message) {
	for _, reason := range reasons {
		all = append(all, reason(c, now)...)
	}
	return all
}

// onHold stops the destroy of a resource on hold that has something in the branch. (Nothing else is planned
// on hold.)
func onHold(c Change, _ time.Time) []message.Message {
	if c.Kind != KindDestroy || c.HeldBy == "" || c.ownsNothing() {
		return nil
	}
	return message.One(message.OnHold, fmt.Sprintf("Environment %s must not be destroyed while %s is set. Remove it, apply that change first, "+
		"and destroy then.", c.Wanted.Environment, c.HeldBy))
}

// forbidden stops a destroy, or a change of place, with on_destroy = "forbid".
func forbidden(c Change, _ time.Time) []message.Message {
	switch {
	case c.Kind == KindDestroy && c.Wanted.Removal == ownership.Forbid:
		return message.One(message.Forbidden, fmt.Sprintf("Environment %s must not be destroyed: on_destroy = \"forbid\". To destroy it, set "+
			"on_destroy to retain, empty or delete, apply that first, and destroy then.", c.Wanted.Environment))
	case c.Kind == KindReplace && !c.Job.isUnwritten() && c.Job.Was.OnDestroy == ownership.Forbid:
		return message.One(message.Forbidden, fmt.Sprintf("on_destroy = \"forbid\" forbids another place or environment: the resource would "+
			"leave %s. Set on_destroy to retain, empty or delete, apply that first, and change the place then.", c.Job.Was.Location))
	}
	return nil
}

// notOurs stops a change of folders that the resource cannot have, or must not remove.
func notOurs(c Change, _ time.Time) []message.Message { return message.Refusals(c.Decision) }

// overlapping stops a change with a path that lies in another one.
func overlapping(c Change, _ time.Time) []message.Message {
	if err := (git.Change{Edits: c.Decision.Edits}).Check(); err != nil {
		return message.One("Two things at one path", problem.Sentence(err))
	}
	return nil
}

// beyondLimits stops a change that exceeds the limits, unless acknowledge has its code. No code
// acknowledges a change beyond a final limit.
func beyondLimits(c Change, _ time.Time) []message.Message {
	s := c.Job.Settings
	if c.Kind == KindDestroy || !c.writes() {
		return nil
	}
	code := codeOf(c.Before, c.After)
	if c.Before == nil {
		if !s.Limits.Any() || slices.Contains(s.Acknowledge, code) {
			return nil
		}
		return message.One("The limits cannot be checked", "detail is \"cluster_type\" and the branch cannot be read, so the present packages "+
			"are not known. Plan again when the repository can be read. If you want the change without the check, "+limits.Lift(code))
	}
	var text []string
	liftable, final := false, false
	for _, v := range s.Limits.Check(c.Before, c.After) {
		if v.Final || !slices.Contains(s.Acknowledge, code) {
			text = append(text, v.Detail, message.Changes(c.Before, c.After, v.Packages))
			liftable, final = liftable || !v.Final, final || v.Final
		}
	}
	if liftable {
		lift := "If you want this change, " + limits.Lift(code) + otherCode(s.Acknowledge)
		if final {
			lift += " The code does not lift protect and allow_empty."
		}
		text = append(text, lift)
	}
	if len(text) == 0 {
		return nil
	}
	return message.One("The change exceeds limits", strings.Join(text, "\n"))
}

// protected stops a destroy that removes protected packages.
func protected(c Change, _ time.Time) []message.Message {
	if c.Kind != KindDestroy {
		return nil
	}
	keys := c.Job.Limits.Protected(packageKeys(c.Before))
	if len(keys) == 0 {
		return nil
	}
	return message.One("Protected packages", fmt.Sprintf("Environment %s must not be destroyed: limits.protect keeps %s.\n%s\nRemove the "+
		"pattern from protect, or set on_destroy = \"retain\". Apply that first, and destroy then.",
		c.Wanted.Environment, wording.Count(len(keys), "package"), message.Changes(c.Before, c.After, keys)))
}

// frozen stops a change of packages while a freeze is in force, unless acknowledge has the code of the
// change. It only refuses: no planned value depends on the time.
func frozen(c Change, now time.Time) []message.Message {
	freeze, isFrozen := calendar.InForce(c.Job.Freezes, now)
	changed := slices.DeleteFunc(c.Before.Differing(c.After), func(key string) bool { return !engine.IsPackage(key) })
	if !isFrozen || !c.writes() || len(changed) == 0 {
		return nil
	}
	if c.Kind == KindDestroy {
		return message.One(message.Frozen, fmt.Sprintf("No package may be removed: %s. Wait until the freeze ends. To destroy the resource "+
			"earlier, remove the block freeze, apply, and then destroy.", freeze))
	}
	code := codeOf(c.Before, c.After)
	if slices.Contains(c.Job.Acknowledge, code) {
		return nil
	}
	return message.One(message.Frozen, fmt.Sprintf("No package may change: %s. The apply would change %s:\n%s\nWait until the freeze ends. "+
		"If the change cannot wait, %s%s", freeze, wording.Count(len(changed), "package"), message.Changes(c.Before, c.After, changed),
		limits.Lift(code), otherCode(c.Job.Acknowledge)))
}

// otherCode says that acknowledge has only codes of other changes.
func otherCode(acknowledged []string) string {
	if strings.Join(acknowledged, "") == "" {
		return ""
	}
	return " The codes in acknowledge are for other changes: of another environment, or of packages that have changed since a plan printed " +
		"the codes."
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
