// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// findingModel has the attributes of a finding.
type findingModel struct {
	Severity string `tfsdk:"severity"`
	Code     string `tfsdk:"code"`
	Subject  string `tfsdk:"subject"`
	Message  string `tfsdk:"message"`
}

// findingModels returns a list that is never null, so that length() and for work without coalescing.
func findingModels(all []findings.Finding) []findingModel {
	models := make([]findingModel, len(all))
	for i, f := range all {
		models[i] = findingModel(f)
	}
	return models
}

// Texts of the documentation about the codes of findings, and about the attributes that
// filter findings.
const (
	ignoreFindingsDescription = "Findings to silence, each as `CODE` or `CODE:subject`, such as `CLUSTER_TYPE_IDLE:ClusterType/spare`. A " +
		"subject that the manifests do not have is a finding itself (`RULE_UNMATCHED`, `info`). Defaults to none."
	findingCodesText  = "[Messages](../guides/messages.md#findings) explains the codes, which are stable."
	failOnDescription = "Findings of any severity that are errors, written as in `ignore_findings`. Silenced findings are not errors. " +
		"Defaults to none."
)
