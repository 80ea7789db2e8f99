// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// RefusedError says why a change must not be carried out.
type RefusedError struct{ Refusals []Message }

func (e *RefusedError) Error() string { return "the change is refused" }

// Refusals returns the errors that forbid a decision.
func Refusals(d ownership.Decision) (all []Message) {
	add := func(summary, detail string) { all = append(all, Message{Summary: summary, Detail: detail}) }
	if len(d.Doubled) > 0 {
		add("Two records list the same folders", doubledText(d.Location, d.Doubled))
	}
	if len(d.Refused) > 0 {
		add("Folders exist already", RefusedText(d.Location, d.Refused))
	}
	if len(d.Forbidden) > 0 {
		add(Forbidden, fmt.Sprintf("on_removal = \"forbid\" forbids the removal of %s in %s. If you do not want the removal, look for the "+
			"missing cluster type. If you want it, set on_removal to empty or delete. To leave the content as it is, set on_removal to retain.",
			Folders(d.Forbidden), d.Location))
	}
	if len(d.Changed) > 0 {
		add("The branch changed after the plan", fmt.Sprintf("Somebody else changed %s in %s after the plan was made. Nothing was written. "+
			"Plan again, without -refresh=false, to see the change, then apply that plan.", Folders(d.Changed), d.Location))
	}
	return all
}

func doubledText(at git.Location, doubled []ownership.Claim) string {
	var files, lines []string
	for _, c := range doubled {
		files, lines = append(files, record.Path(c.Instance)), append(lines, fmt.Sprintf("%q", c.Key+": "+string(record.Owned)))
	}
	return fmt.Sprintf("Two records list the same folders in %s as owned. A folder has one owner, and nothing shows which record is "+
		"right. The files %s have the %s. A resource's instance_id in its state is the name of its file. In the branch, delete these lines from "+
		"the file of the resource that is not to have the folders, and plan again.", at,
		wording.First(wording.Sorted(files), wording.MaxListed), List("line", wording.Sorted(lines)))
}

// RefusedText says which folders exist already, and how to go on.
func RefusedText(at git.Location, refused []ownership.Refusal) string {
	var unlisted []string
	var owners []ownership.Claim
	inOthers := false
	for _, r := range refused {
		if len(r.Owners) == 0 {
			unlisted = append(unlisted, r.Key)
		}
		owners = append(owners, r.Owners...)
		inOthers = inOthers || slices.ContainsFunc(r.Owners, func(c ownership.Claim) bool { return c.Key != r.Key })
	}
	var text []string
	remedies := fmt.Sprintf("- If the state was lost, or to take them over, import them: terraform import ADDRESS %q. If this resource is in "+
		"the state already, run terraform state rm ADDRESS before.", at.String())
	if len(unlisted) > 0 {
		text = append(text, fmt.Sprintf("%s already has %s, with other content, and no record lists them.", at, Folders(unlisted)))
		remedies += "\n- If nobody needs the content of a folder that no record lists, delete the folder in the branch, and plan again."
	}
	if len(owners) > 0 {
		text = append(text, fmt.Sprintf("In %s, %s.", at, Owners(owners)))
		remedies += "\n- If you renamed the resource, add a moved block.\n" +
			"- If another resource no longer needs them, take them out of it, and apply it first. For a new wave, apply again.\n" +
			"- If another configuration is to keep them, remove this resource from yours. If it is in the state, run terraform state rm ADDRESS."
	}
	if inOthers {
		remedies += "\n- Folders of two owners must not contain each other: write below another path."
	}
	if !slices.ContainsFunc(refused, func(r ownership.Refusal) bool { return r.Key != engine.PromotedCommitFile }) {
		remedies += "\n- A branch has one file for the promoted commit, and one resource writes it: set path or cluster_types here."
	}
	return strings.Join(text, " ") + "\n\n" + remedies
}

// Takes says how many packages are taken over, and how the change differs from what the branch has.
func Takes(taken, before, after engine.Digests) string {
	n := 0
	for key := range taken {
		if engine.IsPackage(key) {
			n++
		}
	}
	text := "takes over " + wording.Count(n, "package")
	if len(before.Differing(after)) == 0 {
		return text + ", content unchanged"
	}
	return fmt.Sprintf("%s; %s, compared with the branch, not with the state", text, before.Summary(after, engine.DetailPackage))
}

// TakeoverText says why a takeover needs a code. takes is that of Takes, and isLost says that the resource had
// folders at its last apply. The text ends before the code.
func TakeoverText(at git.Location, asked []ownership.Claim, takes string, isLost bool) string {
	text := fmt.Sprintf("In %s, %s. ", at, Owners(asked))
	if isLost {
		return text + "This resource had them at its last apply. If two resources of one configuration name them, take them out of one of the " +
			"two lists. If another state has taken them over, and this one is right, take them back (this resource " + takes + "): "
	}
	return text + "This resource owns nothing there yet, and " + takes + ". If another state or workspace writes the environment, use that " +
		"one, and remove this resource. If this is a new wave beside the others, "
}

// TakenOverText lists the folders that the apply takes over, with their present owners.
func TakenOverText(at git.Location, taken []ownership.Claim) string {
	text := fmt.Sprintf("The apply takes these folders in %s over, and writes its own content to them: %s.", at, Owners(taken))
	if slices.ContainsFunc(taken, func(c ownership.Claim) bool { return c.Line() == record.Owned }) {
		text += " If the state of that resource is lost, apply. If that resource still exists, take the folders out of its " +
			"cluster_types first, or remove it from its configuration and run terraform state rm. Otherwise its next apply fails."
	}
	return text
}

// Owners lists the folders of the first records: another resource of environment "dev" (.kalypso/…) has
// folders a, b as owned.
func Owners(claims []ownership.Claim) string {
	keys, first := map[string][]string{}, map[string]ownership.Claim{} // by record and line
	for _, c := range claims {
		by := c.Instance + string(c.Line())
		keys[by], first[by] = append(keys[by], c.Key), c
	}
	var parts []string
	for _, by := range slices.Sorted(maps.Keys(keys)) {
		parts = append(parts, fmt.Sprintf("another resource of %s has %s as %s", first[by], Folders(wording.Sorted(keys[by])), first[by].Line()))
	}
	if more := len(parts) - wording.MaxListed; more > 0 {
		parts = append(parts[:wording.MaxListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
