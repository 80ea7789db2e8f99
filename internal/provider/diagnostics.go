// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// problemDiagnostics gives one error diagnostic for each problem that the
// engine found, and none where err is nil.
func problemDiagnostics(err error) diag.Diagnostics {
	var diags diag.Diagnostics
	if err == nil {
		return diags
	}
	var list problem.List
	if !errors.As(err, &list) {
		diags.AddError("The fleet cannot be computed", sentence(err))
		return diags
	}
	for _, p := range list[:min(len(list), maxProblems)] {
		diags.AddError(p.Summary, problemText(p))
	}
	if more := len(list) - maxProblems; more > 0 {
		diags.AddError("More problems", fmt.Sprintf("%d more are not told. Mend the first ones and try again.", more))
	}
	return diags
}

// maxProblems are told one by one.
const maxProblems = 100

// problemText says what a problem is about, then what it is.
func problemText(p problem.Problem) string {
	about := p.Subject
	if p.Where != "" {
		about = strings.TrimSpace(about + " (" + p.Where + ")")
	}
	if about == "" {
		return p.Detail
	}
	return about + ": " + p.Detail
}

// sentence gives an error's text with a capital letter and a full stop. What
// starts with a name or a URL keeps its first letter.
func sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	word, _, _ := strings.Cut(text, " ")
	if first, size := utf8.DecodeRuneInString(text); !strings.ContainsAny(word, ":/.@") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
