// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// The checks of texts. The package that uses a text also has its check, so a plan never
// accepts a text that an apply would refuse.
var (
	dnsLabel = textCheck{"must be a DNS label: at most 63 lower case letters, digits and hyphens",
		kubernetesRule(validation.IsDNS1123Label)}
	dnsSubdomain = textCheck{"must be a DNS subdomain: lower case letters, digits, hyphens and dots",
		kubernetesRule(validation.IsDNS1123Subdomain)}
	labelKey         = textCheck{"must be a Kubernetes label key", kubernetesRule(validation.IsQualifiedName)}
	labelValue       = textCheck{"must be a Kubernetes label value", kubernetesRule(validation.IsValidLabelValue)}
	filledLabelValue = stringvalidator.All(stringvalidator.LengthAtLeast(1), labelValue)
	templateSyntax   = textCheck{"must be a valid Go template", rendering.Parse}
	fullCommitID     = textCheck{"must be the full id of a commit: 40 lower-case hexadecimal digits", checkFullCommitID}
	sourceName       = textCheck{"must be the name of a source", record.CheckSourceName}
	statusContext    = textCheck{"must be the name of a status", forge.CheckContext}
	webPage          = textCheck{"must be the URL of a web page", checkWebPage}
	promotedID       = textCheck{"must be a commit id, or the id of a release", checkPromotedID}
	namedCommit      = textCheck{"must be the full id of a commit, or the id of a release", checkNamedCommit}
	gitURL           = textCheck{"must be the URL of a git repository", remote.Check}
	gitBranch        = textCheck{"must be a valid git branch name", git.CheckBranch}
	repoPath         = textCheck{"must be a path inside the repository", tree.CheckPath}
	jsonSchema       = textCheck{"must be a valid JSON Schema", composition.CheckSchema}
	limitAmount      = textCheck{"must be a number or a share of packages", checkAmount}
	protectPattern   = textCheck{"must be a pattern of packages", limits.CheckPattern}
	rowPattern       = textCheck{"must be a pattern of differences", inventory.CheckPattern}
	branchPrefix     = textCheck{"must be the beginning of a git branch name", func(text string) error { return git.CheckBranch(text + "x") }}
	goDuration       = textCheck{"must be a duration", checkDuration}
	findingRule      = textCheck{"must be the code of a finding, or CODE:subject", findings.CheckRule}
)

// wholeNumber is the check of a text that is a number: see requiredText.
func wholeNumber(least, most int64) textCheck {
	wanted := fmt.Sprintf("a whole number from %d to %d", least, most)
	if most == math.MaxInt64 {
		wanted = fmt.Sprintf("a whole number, at least %d", least)
	}
	return textCheck{described("must be " + wanted), func(text string) error {
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < least || n > most {
			return fmt.Errorf("%q is not", text)
		}
		return nil
	}}
}

// number returns the number in a text that wholeNumber has checked; 0 for any other text.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// described is the requirement of a validator, as a phrase that follows the attribute's name.
type described string

func (d described) Description(context.Context) string         { return string(d) }
func (d described) MarkdownDescription(context.Context) string { return string(d) }

// textCheck is a validator for strings that calls a function.
type textCheck struct {
	described
	// check returns an error in prose, or nil.
	check func(text string) error
}

func (v textCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+lastName(req.Path),
			fmt.Sprintf("%s %s: %s", req.Path, v.described, err))
	}
}

// reservedLabel is a validator for a map of labels. It refuses a key that the resource
// manages itself.
func reservedLabel(key, advice string) validator.Map {
	return mapvalidator.KeysAre(textCheck{described("must not be " + key), func(text string) error {
		if text == key {
			return errors.New(advice)
		}
		return nil
	}})
}

func checkAmount(text string) error {
	_, err := limits.ParseAmount(text)
	return err
}

// promotedIDs are the ids that a record can contain. A word without a digit is the name of
// a branch. A branch can move, so its name is not a valid id.
var promotedIDs = regexp.MustCompile(`^[!-~]*[0-9][!-~]*$`)

const maxPromotedID = 200

func checkPromotedID(text string) error {
	if tree.CommitID(text) == "" && (!promotedIDs.MatchString(text) || len(text) > maxPromotedID) {
		return fmt.Errorf("%q is not a release. Write the id of a commit, or one word of at most %d letters, digits and signs, with at least "+
			"one digit, such as \"v1.4.0\"", text, maxPromotedID)
	}
	return nil
}

// abbreviatedID matches the beginning of a commit id, as people write it.
var abbreviatedID = regexp.MustCompile(`^[0-9a-fA-F]{7,39}$`)

// checkNamedCommit refuses an abbreviated commit too: a release is compared by its full id.
func checkNamedCommit(text string) error {
	isHex := strings.ContainsAny(text, "abcdefABCDEF") // only digits may be a date
	if isHex && abbreviatedID.MatchString(text) {
		return fmt.Errorf("%q is abbreviated. Write the full id (40 digits). The command git rev-parse prints it", text)
	}
	return checkPromotedID(text)
}

func checkDuration(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration. Write hours, minutes and seconds, such as \"90m\" or \"48h\"", text)
	}
	return nil
}

func checkFullCommitID(text string) error {
	if !tree.IsCommitID(text) {
		return fmt.Errorf("%q is not a full id. The command git rev-parse prints it", text)
	}
	return nil
}

func checkWebPage(text string) error {
	if remote.WebPage(text) != text {
		return fmt.Errorf("%q is not such a URL. Write https://host/path without a user, with special characters in URL encoding", text)
	}
	return nil
}

// kubernetesRule returns a check that calls a check of Kubernetes, which returns a list of
// messages.
func kubernetesRule(rule func(string) []string) func(string) error {
	return func(text string) error {
		if messages := rule(text); len(messages) > 0 {
			return fmt.Errorf("%q is not: %s", text, strings.Join(messages, "; "))
		}
		return nil
	}
}

// lastName returns the name of the attribute that a path leads to or into.
func lastName(p path.Path) string {
	steps := p.Steps()
	for i := len(steps) - 1; i >= 0; i-- {
		if name, ok := steps[i].(path.PathStepAttributeName); ok {
			return string(name)
		}
	}
	return "value"
}

// sourceCommits are the validators for maps of "<repo>#<branch>" to a commit: what a record can have.
var sourceCommits = []validator.Map{
	mapvalidator.NoNullValues(), mapvalidator.KeysAre(sourceName),
	mapvalidator.ValueStringsAre(fullCommitID),
}

// checkSources checks sources again, because Terraform does not validate values that it knows only
// during the apply.
func checkSources(ctx context.Context, sources types.Map, at path.Path) diag.Diagnostics {
	var resp validator.MapResponse
	for _, v := range sourceCommits {
		v.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: sources}, &resp)
	}
	return resp.Diagnostics
}
