// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// review reports the findings that a reviewer should know about a change. It stops a
// change that the settings do not allow.
func (c *computed) review(ctx context.Context, seen *view) message.Messages {
	found, err := c.result.Findings(ctx, c.Findings.NeedEveryFile())
	if err != nil {
		return message.Messages{Errors: message.Problems(err)}
	}
	found, m := c.refuseEmpty(found)
	if c.Repo.Given && c.Branch.Given { // it is one of several resources, or meant to be alone
		found = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Code == findings.GitOpsRepoUnwritten })
	}
	m.Add(c.reviewFindings(c.result.Fleet, found))
	if broken := c.newlyBroken(); c.isJudged() || len(broken) > 0 {
		m.Add(c.reviewLimits(c.Inventory, c.decision, seen, c.result, broken))
	}
	return m
}

// refuseEmpty stops the creation of an environment that no deployment target names,
// which is mostly a misspelled one, and takes the finding out that says so. To silence
// that finding does not allow it: for a later change it says less.
func (job Job) refuseEmpty(found []findings.Finding) ([]findings.Finding, message.Messages) {
	var m message.Messages
	if job.Was != nil || job.Limits.AllowEmpty {
		return found, m
	}
	i := slices.IndexFunc(found, func(f findings.Finding) bool { return f.Code == findings.EnvironmentEmpty })
	if i < 0 {
		return found, m
	}
	m.Errors = []message.Message{{Setting: "environment", Summary: message.NothingToWrite.Title, Detail: found[i].Message +
		" So no package would be written. Correct environment, or the manifests. If there is to be nothing yet, set allow_empty = true in " +
		"limits. To give the environment up, destroy the resource; ignore_findings does not allow it."}}
	return slices.Delete(slices.Clone(found), i, i+1), m
}

// isJudged reports whether limits count: something changes, or is still proposed.
func (c *computed) isJudged() bool { return c.decision.Changes || c.Inventory.Proposal != nil }

// countsInBranch reports whether limits need packages that the inventory does not know: it has
// whole cluster types.
func (c *computed) countsInBranch() bool {
	return c.isJudged() && c.Limits.Any() && c.Inventory.Detail == engine.DetailClusterType
}

// reviewFindings reports the parts of the fleet that are probably mistakes. Findings that
// have to fail are errors. All others are in one warning, also beside an error.
func (s *Settings) reviewFindings(f *fleet.Fleet, found []findings.Finding) message.Messages {
	var m message.Messages
	kept, failing := s.Findings.Apply(f, found)
	isError := func(f findings.Finding) bool { return f.Severity == findings.SeverityError }
	refusals := slices.Concat(
		refused(message.HoldsCredentials, withCode(kept, findings.Credential), credentialAdvice),
		refused(message.BreaksOut, withCode(kept, findings.TextBreaksOut), textAdvice))
	kept, failing = slices.DeleteFunc(kept, isError), slices.DeleteFunc(failing, isError)
	m.Errors = slices.Concat(refusals, FailingFindings(kept, failing))
	told := slices.Concat(failing, findings.CausesOf(failing, kept)) // in the error
	others := slices.DeleteFunc(kept, func(f findings.Finding) bool { return slices.Contains(told, f) })
	if len(others) > 0 {
		m.Warn(message.TellsFindings, findings.Report(others)+
			"\n\nignore_findings silences a code, or one finding as \"CODE:subject\"; fail_on makes it an error.")
	}
	return m
}

// withCode returns the findings that have a code.
func withCode(found []findings.Finding, code string) []findings.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f findings.Finding) bool { return f.Code != code })
}

// What to do about findings with which nothing is written.
const (
	credentialAdvice = "The repository would hold them in clear, for good. Have templates write a reference instead: an ExternalSecret of " +
		"the External Secrets Operator, or a SecretProviderClass of the Secrets Store CSI driver. " +
		"Or encrypt the value with SOPS. The guide \"Keep secrets out\" shows all three. A value that is not a credential is silenced by name"
	textAdvice = "The guide \"Templates\" shows how templates hold such texts. A text that is right as it is, is silenced by target and key"
)

// refused returns one error that lists all findings of a kind that prevents the write.
func refused(t problem.Topic, found []findings.Finding, advice string) []message.Message {
	if len(found) == 0 {
		return nil
	}
	return []message.Message{{Summary: t.Title, Detail: fmt.Sprintf("%s\n\n%s: ignore_findings = [%q].", findings.Report(found), advice,
		found[0].Code+":"+found[0].Subject)}}
}

// FailingFindings returns one error if findings have to fail. It lists their possible
// causes first, because these do not have to fail themselves.
func FailingFindings(kept, failing []findings.Finding) []message.Message {
	if len(failing) == 0 {
		return nil
	}
	detail := findings.Report(failing)
	if causes := findings.CausesOf(failing, kept); len(causes) > 0 {
		detail = findings.Report(causes) + "\n" + detail
	}
	return []message.Message{{Summary: message.FailsFindings.Title, Detail: fmt.Sprintf(
		"%s\n\nfail_on does not allow %s. Fix the first findings first: the others may follow from them. Or silence what fails, as "+
			"ignore_findings = [%q].",
		detail, findings.RulesFor(failing), failing[0].Code+":"+failing[0].Subject)}}
}

// unwatched reports content that seems to go but stays in the repository. planKept reports
// the rest.
func unwatched(decision ownership.Decision, inv *ownership.Inventory) message.Messages {
	var m message.Messages
	var names []string
	for _, path := range decision.Left {
		if !slices.Contains(decision.Kept, path) {
			names = append(names, ownership.KeyOf(inv.Location, path))
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		m.Warn(message.Unwatched, fmt.Sprintf(
			"The plan takes these out of packages, since they are no longer this resource's: %s. They are not removed from the repository.",
			strings.Join(names, ", ")))
	}
	return m
}
