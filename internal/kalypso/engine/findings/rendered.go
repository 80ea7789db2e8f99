// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

type fault struct {
	// faults of one mistake become one finding.
	mistake
	// what completes the sentence "Template x renders …".
	what string
	path string
	// object is the one that it is about, so that others in the file are named; empty if it
	// is not about an object.
	object string
}

// mistake is the common key of the faults that are one finding. For most codes a template has
// one finding, and for some codes one for each reason.
type mistake struct{ code, template, reason string }

func inspect(ctx context.Context, in Facts) (faults []fault) {
	files := look(ctx, in)
	for _, ct := range in.Fleet.ClusterTypes {
		faults = append(faults, in.inspect(ct, files)...)
	}
	return faults
}

func (in Facts) inspect(ct *manifest.ClusterType, files map[tree.ID]*file) (faults []fault) {
	seen := map[Identity]Location{} // the first file of each object
	for at, entry := range YAMLFiles(in.Folders[ct.Name]) {
		f, template, isExamined := files[entry.ID], TemplateOf(ct, at.File), in.isExamined(ct, at)
		if f == nil {
			continue
		}
		note := func(code, reason, object, what string) {
			faults = append(faults, fault{mistake{code, template, reason}, what, at.in(ct.Name), object})
		}
		if isExamined {
			f.inspect(note)
		}
		for i := range f.objects {
			o := &f.objects[i]
			first, isSecond := seen[o.Identity]
			switch {
			case o.missing != "":
			case !isSecond:
				seen[o.Identity] = at
			case isExamined || in.isExamined(ct, first):
				note(ObjectDuplicate, "", o.String(), fmt.Sprintf("%s into cluster type %s, but %s already contains it", o.String(), ct.Name,
					first.in(ct.Name)))
			}
		}
	}
	return faults
}

func (f *file) inspect(note func(code, reason, object, what string)) {
	if f.err != nil {
		note(OutputNotYAML, "", "", "text that is not valid YAML ("+syntaxError(f.err)+")")
	}
	for i := range f.objects {
		o := &f.objects[i]
		if o.missing != "" {
			note(ObjectIncomplete, o.missing, "", "an object without "+o.missing)
			continue
		}
		id := o.String()
		if o.isPlainSecret {
			note(Credential, "", id, id+" with its values in plain text")
		}
		for _, refusal := range o.refusals {
			code := ObjectInvalid
			switch {
			case refusal.IsTooLong:
				code = NameTooLong
			case refusal.IsRemoved:
				code = APIRemoved
			}
			note(code, refusal.What, id, id+" with "+refusal.What)
		}
	}
}

// quotation is a piece of the text that a message of the parser quotes.
var quotation = regexp.MustCompile(`[\x60'"].*[\x60'"]`)

// syntaxError returns the message of the parser without its quotations, because these may
// contain a secret. The parser counts lines sometimes from 0 and sometimes from 1.
func syntaxError(err error) string {
	text := quotation.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "…")
	if strings.HasPrefix(text, "line ") {
		return "near " + text
	}
	return text
}

// inFiles reports the faults of the row's code. A template usually makes the same mistake in all its
// files, so there is one finding for each mistake: the first fault, and the number of files with
// such a fault. The advice appears once for each template.
func inFiles(s *search) {
	faults := map[mistake][]fault{}
	mistakes := map[string][]mistake{} // by the template
	for _, f := range s.output() {
		if f.code != s.row.code {
			continue
		}
		if faults[f.mistake] == nil {
			mistakes[f.template] = append(mistakes[f.template], f.mistake)
		}
		faults[f.mistake] = append(faults[f.mistake], f)
	}
	for template, all := range mistakes {
		var messages []string
		for _, m := range all {
			messages = append(messages, message(faults[m]))
		}
		slices.Sort(messages)
		messages[0] += s.row.advice
		for _, text := range messages {
			s.note(string(manifest.KindTemplate)+"/"+template, "%s", text)
		}
	}
}

// message describes the faults of one mistake.
func message(of []fault) string {
	first := of[0]
	files := map[string]bool{}
	var alike []string
	for _, f := range of {
		files[f.path] = true
		isNear := f.path == first.path || f.code == ObjectDuplicate
		if isNear && f.object != first.object && !slices.Contains(alike, f.object) {
			alike = append(alike, f.object)
		}
	}
	text := fmt.Sprintf("Template %s renders %s: %s", first.template, first.what, first.path)
	if more := len(files) - 1; more > 0 {
		text += " and " + wording.Count(more, "more file")
	}
	text += "."
	if len(alike) > 0 {
		text += fmt.Sprintf(" The same holds for %s.", wording.First(alike, wording.MaxListed))
	}
	return text
}
