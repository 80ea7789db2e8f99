// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// examines reports whether a plan looks into the files of a package: the branch has another package, or the rules are others.
func (c Change) examines(key string) bool {
	if c.Had == nil || c.Self.Imported || !c.Job.Findings.Same(c.Had.Findings) {
		return true
	}
	clusterType, _, _ := strings.Cut(key, "/")
	return c.Job.Memory.BranchAtRefresh[clusterType] != c.Wanted.Content[clusterType].ID && (c.Before == nil || c.Before[key] != c.After[key])
}

// findingsOf reports what is probably a mistake in the fleet, with what its change does to clusters.
func findingsOf(c Change, found []findings.Finding) (m message.Messages) {
	s := c.Job.Settings
	found, m.Errors = refuseEmpty(c.Job, found)
	if s.Repo.Given && s.Branch.Given { // one of several resources, or explicitly alone
		found = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Code == findings.GitOpsRepoUnwritten })
	}
	_, failing := s.Findings.Apply(consequence.Findings(c.Consequences)) // all of them are above the diff
	found = append(found, failing...)
	if f := c.Result.Fleet; s.Fleet.IsPart() && len(f.ClusterTypes) > 0 && !slices.Contains(s.Fleet.ClusterTypes, f.ClusterTypes[0].Name) {
		found = slices.DeleteFunc(found, func(f findings.Finding) bool { // of several waves, the one with the first cluster type says it
			return f.Severity == findings.SeverityInfo && !s.Findings.FailsOn(f.Code)
		})
	}
	m.Add(reportFindings(s.Findings, found))
	return m
}

// refuseEmpty refuses to create an environment that no deployment target names, because its
// name is probably misspelled. It removes the finding about this. ignore_findings cannot allow
// the creation, because the finding is less serious for later changes.
func refuseEmpty(job Job, found []findings.Finding) ([]findings.Finding, []message.Message) {
	i := slices.IndexFunc(found, func(f findings.Finding) bool { return f.Code == findings.EnvironmentEmpty })
	switch {
	case i >= 0 && len(job.Fleet.Manifests) == 0: // only files are wanted
		return slices.Delete(slices.Clone(found), i, i+1), nil
	case i < 0 || !job.isUnwritten() || job.Limits.AllowEmpty:
		return found, nil
	}
	return slices.Delete(slices.Clone(found), i, i+1), []message.Message{{Setting: "environment", Summary: "Nothing to write",
		Detail: found[i].Message + " The apply would write no package. Correct environment, or the manifests. To start without packages, set " +
			"allow_empty = true in limits. To give the environment up, destroy the resource. ignore_findings does not silence this error."}}
}

// reportFindings makes errors of the findings that fail_on names. All others are in one warning.
func reportFindings(rules findings.Rules, found []findings.Finding) message.Messages {
	var m message.Messages
	shown, failing := rules.Apply(found)
	isError := func(f findings.Finding) bool { return f.Severity == findings.SeverityError }
	refusals := slices.Concat(refused(shown, findings.Credential, credentialAdvice), refused(shown, findings.TextBreaksOut, textAdvice))
	shown, failing = slices.DeleteFunc(shown, isError), slices.DeleteFunc(failing, isError)
	m.Errors = slices.Concat(refusals, failingFindings(shown, failing))
	told := slices.Concat(failing, findings.CausesOf(failing, shown)) // in the error
	others := slices.DeleteFunc(shown, func(f findings.Finding) bool { return slices.Contains(told, f) })
	if len(others) > 0 {
		m.Warn("Findings", findings.Report(others)+
			"\n\nignore_findings silences a code, or one finding as \"CODE:subject\"; fail_on makes it an error.")
	}
	return m
}

// Advice for findings that prevent a write.
const (
	credentialAdvice = "The repository would keep them in plain text forever. Let templates write a reference instead: an ExternalSecret of " +
		"the External Secrets Operator, or a SecretProviderClass of the Secrets Store CSI driver. " +
		"Or encrypt the value with SOPS. The guide \"Keep secrets out\" shows all three. If a value is not a credential, silence the finding"
	textAdvice = "The guide \"Objects\" lists what such texts cannot hold. If the templates write a " +
		"text by quote, you may silence the finding"
)

// refused returns one error that lists all findings with a code that prevents the write.
func refused(shown []findings.Finding, code, advice string) []message.Message {
	found := slices.DeleteFunc(slices.Clone(shown), func(f findings.Finding) bool { return f.Code != code })
	if len(found) == 0 {
		return nil
	}
	return []message.Message{{Summary: findings.Titles[code], Detail: fmt.Sprintf("%s\n\n%s: ignore_findings = [%q].",
		findings.Report(found), advice, code+":"+found[0].Subject)}}
}

// failingFindings returns one error for the findings that fail_on names, with their possible causes,
// which are often findings that fail_on does not name.
func failingFindings(shown, failing []findings.Finding) []message.Message {
	if len(failing) == 0 {
		return nil
	}
	detail := findings.Report(failing)
	if causes := findings.CausesOf(failing, shown); len(causes) > 0 {
		detail += "\n\nThese findings may be the causes, so fix them first:\n" + findings.Report(causes)
	}
	return []message.Message{{Summary: "Findings that fail_on does not allow", Detail: fmt.Sprintf(
		"%s\n\nOr silence the findings that fail with ignore_findings = [%q].", detail, failing[0].Code+":"+failing[0].Subject)}}
}
