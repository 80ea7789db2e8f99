// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// reasons are what can stop a change, and reasonsOfWrites what can stop a change that writes. A plan and each attempt to write ask
// all of them.
var (
	reasons         = []reason{onHold, forbidden, notOurs, takeovers, overlapping, unkept}
	reasonsOfWrites = []reason{beyondLimits, unread, frozen}
)

type reason func(c Change, now time.Time) []message.Message

// refusals returns every reason that stops a change at a time.
func refusals(c Change, now time.Time) (all []message.Message) {
	asked := reasons
	if c.writes() {
		asked = slices.Concat(reasons, reasonsOfWrites)
	}
	for _, stops := range asked {
		all = append(all, stops(c, now)...)
	}
	return lifting(all)
}

// lifting ends the last of the refusals that codes lift with all of these codes.
func lifting(all []message.Message) []message.Message {
	var codes []string
	last := -1
	for i, m := range all {
		if m.Code == "" {
			continue
		}
		if last >= 0 {
			all[last].Detail += "set acknowledge = the codes in the last of these messages."
		}
		codes, last = append(codes, m.Code), i
	}
	if last >= 0 {
		all[last].Detail += limits.Lift(codes)
	}
	return all
}

// onHold stops the destroy of a resource on hold that has something in the branch. (Nothing else is planned
// on hold.)
func onHold(c Change, _ time.Time) []message.Message {
	if c.Kind != KindDestroy || c.HeldBy == "" || c.ownsNothing() {
		return nil
	}
	return message.One(message.OnHold, fmt.Sprintf("Environment %s must not be destroyed while %s is set. Remove it, apply that change "+
		"first, and destroy then.", c.Wanted.Environment, c.HeldBy))
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

// takeovers stops a wave that takes folders of another wave although it owns nothing at the place yet, or
// although it had them at its last apply. Each of the other waves has its own code.
func takeovers(c Change, _ time.Time) (all []message.Message) {
	by := map[string][]ownership.Claim{} // by instance
	for _, claim := range c.Decision.Asked {
		by[claim.Instance] = append(by[claim.Instance], claim)
	}
	for _, instance := range slices.Sorted(maps.Keys(by)) {
		var keys []string
		isLost := false
		for _, claim := range by[instance] {
			_, had := c.Self.Applied[claim.Key]
			keys, isLost = append(keys, claim.Key), isLost || had
		}
		before, after := c.Before.Below(keys), c.After.Below(keys)
		reason := fmt.Sprintf("takeover %s %q", instance, keys)
		text := message.TakeoverText(c.Wanted.Location, by[instance], message.Takes(before, before, after), isLost)
		all = append(all, unless(c.Job.Acknowledge, reason, before, after, "Folders of another wave", text)...)
	}
	return all
}

// unkept stops a change that would remove a package that the resource cannot render, or that may be in a
// broken file. The state does not have this package: the resource is new, or it takes the folder over.
func unkept(c Change, _ time.Time) []message.Message {
	if c.Result == nil || !c.Job.KeepBroken || c.Seen == nil {
		return nil
	}
	_, left := c.Result.Kept()
	var lost []string
	for name, wanted := range c.Result.Folders {
		found := c.Seen.Content[name].Dir
		if found == nil {
			continue
		}
		for _, e := range found.Entries {
			key := name + "/" + e.Name
			_, stays := wanted.Find(e.Name)
			if slices.Contains(left, key) || e.Mode.IsDir() && !stays && c.Result.Fleet.MayHave(e.Name) {
				lost = append(lost, key)
			}
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return message.One("Broken packages cannot be kept", fmt.Sprintf("The branch has %s, and the state does not, so the resource cannot keep "+
		"what it cannot render. Fix the errors that the plan shows, or import the place, so that the resource keeps what the branch has.",
		message.List("package", wording.Sorted(lost))))
}

// beyondLimits stops a change that exceeds the limits. No code acknowledges a change beyond a final limit. A
// destroy obeys protect alone. If a plan does not know the present packages, the apply checks them.
func beyondLimits(c Change, _ time.Time) (all []message.Message) {
	if c.Before == nil {
		return nil
	}
	const beyond = "The change exceeds limits"
	deleting := c.deleting()
	for _, v := range c.Job.Limits.Check(c.Before, c.After, deleting...) {
		text := v.Detail + "\n" + message.Changes(c.Before, c.After, v.Packages)
		if c.Job.Was != nil && c.Kind != KindDestroy { // Terraform plans this before a destroy too, and does not say so
			text += "\n(If you run terraform destroy: it plans this change first. Add -refresh=false, and it does not.)"
		}
		switch {
		case c.Kind == KindDestroy && v.Limit == "protect":
			text += "\nOr set on_destroy = \"retain\". Apply that first, and destroy then."
			all = append(all, message.Message{Summary: "Protected packages", Detail: text})
		case c.Kind == KindDestroy:
		case v.Final:
			all = append(all, message.Message{Summary: beyond, Detail: text})
		default:
			reason := strings.Join(append([]string{v.Limit}, deleting...), " ")
			all = append(all, unless(c.Job.Acknowledge, reason, c.Before, c.After, beyond, text+"\nIf you want this change, ")...)
		}
	}
	return all
}

// unread stops a change with limits, if nothing shows what clusters delete.
func unread(c Change, _ time.Time) []message.Message {
	if len(c.Unread) == 0 || c.Kind == KindDestroy || !c.Job.Limits.Bound() {
		return nil
	}
	text := fmt.Sprintf("The old content of %s was not read, "+
		"because it is larger than max_fetch_mib of the provider. So the limits do not know what clusters delete. Raise max_fetch_mib. If you "+
		"want this change without that, ", message.List("file", c.Unread))
	return unless(c.Job.Acknowledge, "unread", c.Before, c.After, "Old files are not known", text)
}

// frozen stops a change of packages while freezes are in force. It only refuses: no planned value depends on
// the time.
func frozen(c Change, now time.Time) (all []message.Message) {
	changed := c.Before.Packages().Differing(c.After.Packages())
	if len(changed) == 0 {
		return nil
	}
	for _, freeze := range c.Job.Freezes {
		switch {
		case !freeze.IsInForce(now):
		case c.Kind == KindDestroy:
			all = append(all, message.Message{Summary: message.Frozen, Detail: fmt.Sprintf("No package of environment %s may be removed: "+
				"%s. Wait until the freeze ends. To destroy earlier, remove the block freeze, apply, and destroy.", c.Wanted.Environment, freeze)})
		default:
			text := fmt.Sprintf("No package of environment %s may change: %s. The apply would change %s:\n%s\nWait until the freeze ends. If this "+
				"cannot wait, ", c.Wanted.Environment, freeze, wording.Count(len(changed), "package"), message.Changes(c.Before, c.After, changed))
			all = append(all, unless(c.Job.Acknowledge, freeze.String(), c.Before, c.After, message.Frozen, text)...)
		}
	}
	return all
}

// unless returns a refusal for a reason, with the code that lifts it, unless acknowledge has the code.
func unless(acknowledge []string, reason string, before, after engine.Digests, summary, text string) []message.Message {
	code := codeOf(reason, before, after)
	if slices.Contains(acknowledge, code) {
		return nil
	}
	return []message.Message{{Summary: summary, Detail: text, Code: code}}
}

// codeDigits is long enough that nobody can construct another change with the same code.
const codeDigits = 32

// codeOf returns the code that lifts one reason for one change. It is a digest of the reason, and of the
// packages that change, with their content before and after. So a commit that changes no package does not
// change it, and it lifts no other reason.
func codeOf(reason string, before, after engine.Digests) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", reason)
	for _, key := range before.Packages().Differing(after.Packages()) {
		fmt.Fprintf(&b, "%q %q %q\n", key, before[key], after[key])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:codeDigits]
}
